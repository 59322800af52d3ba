/*
 * build - open a build directory and check it, without side effects.
 *
 * Says which kind it is, reads distributed_meta.json, and lists the program
 * directories. Source: docs/formats.md, "Build directory" and "distributed_meta.json".
 * What kernel_config.py says is not read here (it is Python): see record/record.h.
 */
#ifndef L3R_ORCHESTRATOR_OPEN_BUILD_H
#define L3R_ORCHESTRATOR_OPEN_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/dtype.h"
#include "common/error.h"
#include "common/plan.h"
#include "orchestrator/open/sub_workers.h"

enum build_kind { BUILD_L3 = 3, BUILD_L2 = 2 };

struct build_param {
    char *name;
    enum plan_direction direction;
    bool scalar; /* shape was null */
    enum dtype dtype; /* DTYPE_COUNT: a valid name for which the runtime has no number */
    char *dtype_text; /* as written: "fp32", "index", "hf4", ... */
    uint32_t ndim;
    int64_t shape[PLAN_MAX_DIMS]; /* -1: dynamic */
};

struct build {
    enum build_kind kind;
    char *dir; /* absolute, symlinks resolved */
    char *platform; /* "a2a3sim", ... */
    char *backend_type;
    char *runtime; /* distributed_config.runtime, or NULL */
    int num_return_types, num_sub_workers, aicpu_thread_num;
    uint32_t ndevice; /* world size */
    int *device_ids;
    uint32_t nparam;
    struct build_param *params;
    uint32_t nprogram;
    char **program_names; /* sorted; directories of next_levels/ with a kernel_config.py */
    struct sub_workers sub_workers; /* that it brings or asks for */
    uint32_t nnote;
    char **notes; /* things the user should be told: left-overs, sub-directories ignored, ... */
};

/* Open `path`. Every fault of the directory or its metadata is one error with file, field and mend. */
int build_open(const char *path, struct build *out, struct error *err);
void build_free(struct build *b);

/* Cards of one replay at most: what one job is sized for. */
enum { BUILD_MAX_CARDS = 1024 };

/* Override what the metadata says. `spec` is the text of --device-ids: "0,1,4" or "0-3" or a mix.
 * Errors are of kind ERROR_USAGE. */
int build_set_device_ids(struct build *b, const char *spec, struct error *err);
int build_set_platform(struct build *b, const char *platform, struct error *err);
bool build_platform_is_sim(const struct build *b);

/* "a2a3, a2a3sim, a5, a5sim": for help texts and messages. */
const char *build_platform_names(void);
bool build_platform_is_known(const char *platform);

/* Every parameter's dtype can be handed to `device` ("cpu", or one that takes what the runtime has a number for); else an error naming parameter
 * and dtype. Call it before anything runs: a build with other dtypes can be opened and inspected. */
int build_check_dtypes(const struct build *b, const char *device, struct error *err);

/* Parameter by full name, or by its plain name ("a" for "a__ssa_v0") where that is unambiguous.
 * NULL with `err` filled (kind ERROR_USAGE, listing the candidates) otherwise. */
const struct build_param *build_find_param(const struct build *b, const char *name, struct error *err);

/* Length of the plain part of a name: what stands before the compiler's suffix "__...". */
size_t build_plain_length(const char *full);

/* Index of the one of `count` names that `name` means, by the rule of build_find_param(); else -1. */
long build_match_name(const char *const *names, size_t count, const char *name, struct error *err);

#endif
