/*
 * plan_record - one parsed record of the plan stream into a plan builder.
 *
 * Private to common/plan/plan_stream*.c. Format: docs/formats.md, "Plan stream".
 */
#ifndef L3R_COMMON_PLAN_PLAN_RECORD_H
#define L3R_COMMON_PLAN_PLAN_RECORD_H

#include <cjson/cJSON.h>

#include "common/plan/plan_build.h"

/* Buffers that grow to the widest node and are used again for each. */
struct plan_record_scratch {
    struct plan_arg *args;
    struct plan_scalar *scalars;
    size_t args_capacity, scalars_capacity;
};

void plan_record_scratch_free(struct plan_record_scratch *scratch);

/* Add a record that is neither the header nor the end. `where` of errors stays empty. */
int plan_record_add(struct plan_builder *b, struct plan_record_scratch *scratch, const cJSON *record,
                    struct error *err);

#endif
