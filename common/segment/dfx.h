/*
 * dfx - which profiles of the dispatches are wanted, and where those of one dispatch go.
 *
 * Files and formats: docs/formats.md, "Profiles". All zero means that nothing is captured.
 */
#ifndef L3R_COMMON_SEGMENT_DFX_H
#define L3R_COMMON_SEGMENT_DFX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DFX_SWIMLANE_MAX = 4, DFX_DUMP_ARGS_MAX = 3, DFX_PMU_DEFAULT = 2, DFX_PMU_MAX = 8, DFX_PATH = 4096 };

struct dfx {
    int32_t swimlane;  /* 0..4: tasks; dispatch and finish; scheduler; orchestrator */
    int32_t pmu;       /* 0, or an event type: dfx_pmu_is_known() */
    int32_t dump_args; /* 0; 1 marked arguments, 2 all, 3 all without the bytes of those that are not marked */
    bool dep_gen, scope_stats;
    bool flat;          /* of an L2 build, which has one dispatch: its files lie in `dir` itself */
    char dir[DFX_PATH]; /* of all profiles of the run, absolute */
};

/* Is anything to be captured? */
bool dfx_any(const struct dfx *dfx);

bool dfx_pmu_is_known(int event_type);

/* Directory of the files of one dispatch of card `rank` below `dir`, in `buf`: "<dir>/rank<r>/d<k>", or
 * "<dir>/rank<r>/c<other>" when `k` is PLAN_NONE; `other` counts such dispatches of the card from 0. `flat`: `dir`. Every
 * process uses this and nothing else, so that they agree. */
void dfx_dispatch_dir(const char *dir, bool flat, uint32_t rank, uint32_t k, uint32_t other, char *buf, size_t size);

/* Is `name` that of a file or directory which belongs to the profiles of one dispatch? */
bool dfx_is_profile(const char *name);

/* Is `name` that of a map from function ids to names: name_map.json, or name_map_<build>.json beside flat profiles? */
bool dfx_is_name_map(const char *name);

/* The part of it below `dir`, for printf: a rank, 'd' or 'c', a number. */
#define DFX_DISPATCH "rank%u/%c%u"

/* Is `name` `prefix` ("rank", "d" or "c") with a number as dfx_dispatch_dir() writes it? The number goes to `*number`. */
bool dfx_name_number(const char *name, const char *prefix, uint32_t *number);

/* The file by which the processes of a job find out that they see one directory is named by this and the job's token,
 * DFX_TOKEN_LENGTH hexadecimal digits. One that stays is of a run that was killed. */
#define DFX_TOKEN_PREFIX ".l3replay."
enum { DFX_TOKEN_LENGTH = 32 };
bool dfx_is_token_file(const char *name);

#endif
