/* verify_state - what the sources of verify.h share. */
#ifndef L3R_ORCHESTRATOR_DATA_VERIFY_STATE_H
#define L3R_ORCHESTRATOR_DATA_VERIFY_STATE_H

#include "orchestrator/data/compare_rule.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/data/references.h"

struct verify {
    uint32_t count, nstorage;
    struct compare_rule *rules; /* by storage */
    struct references references;
    const struct reference **expected; /* by storage; NULL: not compared */
    bool *left;                        /* by storage: compared in another way */
    struct topk_pair {
        uint32_t values; /* storage; PLAN_NONE: none */
        bool ascending;
    } *topks;                                                   /* by storage */
    const void *(*data)(const void *context, uint32_t storage); /* verify_set_data() */
    const void *data_context;
    char **why; /* by storage: why an output is not compared */
};

/* What the elements of a reference's file are. */
static inline enum dtype verify_file_type(const struct plan_storage *st, const struct reference *r)
{
    return fit_is_widened(st->dtype, r->tensor) ? DTYPE_FLOAT32 : (enum dtype)st->dtype;
}

#endif
