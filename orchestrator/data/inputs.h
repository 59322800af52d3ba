/*
 * inputs - what every parameter holds before the first dispatch.
 *
 * In order of precedence: --input NAME=FILE[:KEY], data/in/<name>.npy or .pt of the
 * build (not for pure outputs), generated (docs/formats.md, "Generated inputs":
 * floats normal(0,1), integers uniform in 0..7, bool 0/1, pure outputs zero).
 * Generation depends on the seed and the parameter's name alone, so it does not
 * change with the number of processes or the order of parameters.
 */
#ifndef L3R_ORCHESTRATOR_DATA_INPUTS_H
#define L3R_ORCHESTRATOR_DATA_INPUTS_H

#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "orchestrator/open/build_info.h"

/* NAME=FILE, as typed; both strings borrowed. */
struct named_file {
    const char *name, *file;
};

struct inputs; /* which file or generator feeds which parameter; shapes known, files open, data not yet read */

/* Decide the sources and check them: files exist, hold tensors (tensor_file.h), dtype and number of
 * dimensions fit the parameter. build == NULL (run --plan without a build): parameters come from the plan later.
 * `build` and `given` are not kept. A NAME that is no parameter is an error of kind ERROR_USAGE. */
int inputs_open(struct inputs **out, const struct build *build, const struct named_file *given, size_t ngiven,
                uint64_t seed, struct error *err);
void inputs_free(struct inputs *in); /* NULL is fine */

/* Add files for parameters of `build` that nothing feeds yet; messages call them `label`. */
int inputs_add(struct inputs *in, const struct build *build, const struct named_file *files, size_t count,
               const char *label, struct error *err);

/* Everything is loaded and will not be again: give the files of inputs_add() back, which may be memory. */
void inputs_release(struct inputs *in);

/* Sizes that are other than the metadata's are an error with `strict`, else a warning: the recording goes by the file. */
int inputs_check_shapes(const struct inputs *in, const struct build *build, bool strict, struct error *err);

/* Check every file against the plan, whose dtypes and shapes are authoritative: call it once the plan is
 * there and before anything runs. */
int inputs_check(const struct inputs *in, const struct plan *plan, struct error *err);

/* Shape of the file that feeds `param`, for record_shape; returns false when it is generated. */
bool inputs_shape(const struct inputs *in, const char *param, uint32_t *ndim, int64_t *shape);

/* Value of the file that feeds a scalar parameter as text; NULL when none. Owned by `in`. */
const char *inputs_scalar(const struct inputs *in, const char *param);

/* What feeds `param`: the path of a file, or NULL when it is generated. Owned by `in`. */
const char *inputs_file(const struct inputs *in, const char *param);

/* 1: data/in of the build holds the array that feeds `param`; 0: it holds another one, or none. */
int inputs_is_of_build(const struct inputs *in, const struct build *build, const char *param, struct error *err);

/* Write the initial bytes of parameter storage `storage` of the plan to `dst` (storages[].nbytes). */
int inputs_fill(const struct inputs *in, const struct plan *plan, uint32_t storage, void *dst, struct error *err);

/* The same of all storages for which `dst` (plan->nstorage pointers) is not NULL: their files are read at once. */
int inputs_fill_all(const struct inputs *in, const struct plan *plan, void *const *dst, struct error *err);

#endif
