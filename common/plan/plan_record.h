/*
 * plan_record - one parsed record of the plan stream into a plan builder.
 *
 * Private to common/plan/plan_stream*.c. Format: docs/formats.md, "Plan stream".
 */
#ifndef L3R_COMMON_PLAN_PLAN_RECORD_H
#define L3R_COMMON_PLAN_PLAN_RECORD_H

#include "common/base/json.h"
#include "common/plan/plan_build.h"

/* Buffers that grow to the widest node and are used again for each. */
struct plan_record_scratch {
    struct plan_arg *args;
    struct plan_scalar *scalars;
    size_t args_capacity, scalars_capacity;
};

void plan_record_scratch_free(struct plan_record_scratch *scratch);

/* Add a record, an object with members, that is neither the header nor the end. Errors go to src->err; those of the
 * plan's own rules leave `where` empty. */
int plan_record_add(struct plan_builder *b, const struct json_source *src, struct plan_record_scratch *scratch,
                    const cJSON *record);

#endif
