/*
 * fit - does a tensor of a file fit a parameter, and which storage has that parameter?
 *
 * Shared by inputs and verify, so that both say the same about the same fault.
 */
#ifndef L3R_ORCHESTRATOR_DATA_FIT_H
#define L3R_ORCHESTRATOR_DATA_FIT_H

#include "orchestrator/open/build_info.h"
#include "orchestrator/tensor_file/tensor.h"

/* The file's elements are the parameter's; else an error that names both. */
int fit_dtype(const char *param, enum dtype type, const char *file, const struct tensor *t, struct error *err);

/* numpy has no bfloat16, so float32 is taken for it: the reader converts it. fit_dtype() lets it pass. */
bool fit_is_widened(enum dtype type, const struct tensor *t);

/* The file's shape is the parameter's, where -1 in `shape` takes any length; else an error that names both. */
int fit_shape(const char *param, uint32_t ndim, const int64_t *shape, const char *file, const struct tensor *t,
              struct error *err);

/* Is only a size other than in `shape`, not the number of dimensions? */
bool fit_rank(uint32_t ndim, const int64_t *shape, const struct tensor *t);

/* A shape typed as --shape is one that the parameter can have; else an error of kind ERROR_USAGE. */
int fit_typed_shape(const struct build_param *param, uint32_t ndim, const int64_t *shape, struct error *err);

/* The parameter storage called `name` (in full, or plain where unambiguous); -1 with `err` filled when there is
 * none. */
long fit_storage(const struct plan *plan, const char *name, struct error *err);

/* `*file` becomes the path of <build>/<dir>/<name>.npy or .pt, where <name> is the parameter's in full, or without its
 * last "__ssa_vN", or plain, the latter two where no other parameter has the same; NULL when there is none. The caller
 * frees it. A note names what is passed over: a .pt beside a .npy, a file of another "__ssa_vN". -1: out of memory, or
 * something is there that cannot be used (no permission, a symlink to nothing, a directory): what the user put there is
 * not passed over. */
int fit_find(const struct build *build, const char *dir, const char *param, char **file, struct error *err);

/* How many bytes of a name come before its last "__ssa_vN"; all of them where it has none. */
size_t fit_name_length(const char *param);

/* How many bytes of a parameter's name its file should have: the same, or all where another parameter has the same. */
size_t fit_file_length(const struct build *build, const char *param);

#endif
