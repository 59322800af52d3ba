/*
 * build_info - what is known of a build: its kind, parameters, platform, cards and programs.
 *
 * Filled by build_open() (build.h); sources: docs/formats.md, "Build directory" and "distributed_meta.json".
 */
#ifndef L3R_ORCHESTRATOR_OPEN_BUILD_INFO_H
#define L3R_ORCHESTRATOR_OPEN_BUILD_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/dtype.h"
#include "common/plan/plan.h"
#include "orchestrator/open/sub_worker_files.h"

/* Cards of one replay at most: what one job is sized for. */
enum { BUILD_MAX_CARDS = 1024 };

enum build_kind { BUILD_L3 = 3, BUILD_L2 = 2 };

struct build_param {
    char *name;
    enum plan_direction direction;
    bool scalar;      /* shape was null */
    bool unknown;     /* of a build without metadata: a tensor whose dtype (DTYPE_COUNT) and shape are not known yet */
    enum dtype dtype; /* DTYPE_COUNT: a valid name for which the runtime has no number */
    char *dtype_text; /* as written: "fp32", "index", "hf4", ... */
    uint32_t ndim;
    int64_t shape[PLAN_MAX_DIMS]; /* -1: dynamic */
};

struct build {
    enum build_kind kind;
    bool
        no_metadata; /* an L2 build without compiled_meta.json: parameters come from a signature (signature_params.h) */
    char *dir;       /* absolute, symlinks resolved */
    char *platform;  /* "a2a3sim", ... */
    char meta_hash[33]; /* XXH3 of the bytes of the metadata file, 32 digits; "": not read */
    char *backend_type;
    char *runtime; /* distributed_config.runtime, or NULL */
    int num_return_types, num_sub_workers, aicpu_thread_num;
    uint32_t ndevice; /* world size */
    int *device_ids;
    uint32_t nparam;
    struct build_param *params;
    uint32_t nprogram;
    char **program_names;           /* sorted; directories of next_levels/ with a kernel_config.py. L2: none, the build
                                     * is its program */
    struct sub_workers sub_workers; /* that it brings or asks for */
    uint32_t nnote;
    size_t note_capacity;
    char **notes; /* printed to the user: left-overs, sub-directories ignored, ... */
};

void build_free(struct build *b);

/* Add "..." to the build's notes. */
int build_add_note(struct build *b, struct error *err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

bool build_platform_is_sim(const struct build *b);

/* "a2a3, a2a3sim, a5, a5sim": for help texts and messages. */
const char *build_platform_names(void);
bool build_platform_is_known(const char *platform);

/* Parameter by full name, or by its plain name ("a" for "a__ssa_v0") where that is unambiguous.
 * NULL with `err` filled (kind ERROR_USAGE, listing the candidates) otherwise. */
const struct build_param *build_find_param(const struct build *b, const char *name, struct error *err);

/* Length of the plain part of a name: what stands before the compiler's suffix "__...". */
size_t build_plain_length(const char *full);

/* Names to choose from: the one at `i` of `of`; NULL: there is none at this index. */
typedef const char *build_name_at(const void *of, size_t i);

/* Index of the one of `count` names that `name` means, by the rule of build_find_param(); else -1. */
long build_match_name(build_name_at *name_at, const void *of, size_t count, const char *name, struct error *err);

#endif
