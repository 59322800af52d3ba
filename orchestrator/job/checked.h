/*
 * checked - how many of the program's outputs were compared, and why the others were not.
 */
#ifndef L3R_ORCHESTRATOR_JOB_CHECKED_H
#define L3R_ORCHESTRATOR_JOB_CHECKED_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "orchestrator/job/result.h"
#include "orchestrator/prepare/prepare.h"

struct checked {
    uint32_t compared, outputs; /* 0 of 0: the run ended before its outputs were known */
};

/* `comparisons` are those that took place. */
struct checked checked_count(const struct prepared *p, const struct result_comparison *comparisons, size_t ncomparison);

/* The outputs without a comparison, each with the reason: an array of `*count` to be freed, its texts of `p`. NULL with
 * `err` without memory. */
struct result_unchecked *checked_missing(const struct prepared *p, const struct result_comparison *comparisons,
                                         size_t ncomparison, size_t *count, struct error *err);

#endif
