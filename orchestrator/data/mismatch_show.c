#include "orchestrator/data/mismatch_show.h"

#include <inttypes.h>

#include "common/base/log.h"
#include "orchestrator/data/element.h"

struct showing {
    const struct plan *plan;
    uint32_t storage;
    enum dtype expected_type;
    const char *actual, *expected;
};

/* "out(1, 2): actual 3, expected 4", after `before`. */
static void show_element(const struct showing *s, const char *before, uint64_t at)
{
    const struct plan_storage *st = &s->plan->storages[s->storage];
    char index[ELEMENT_INDEX_SIZE], got[ELEMENT_VALUE_SIZE], want[ELEMENT_VALUE_SIZE];

    log_msg(LOG_ERROR, "%s%s%s: actual %s, expected %s", before, plan_text(s->plan, st->name),
            element_index(s->plan, s->storage, at, index, sizeof index),
            element_value((enum dtype)st->dtype, s->actual + at * dtype_size((enum dtype)st->dtype), got, sizeof got),
            element_value(s->expected_type, s->expected + at * dtype_size(s->expected_type), want, sizeof want));
}

void mismatch_show(const struct plan *plan, uint32_t storage, const struct comparison *found,
                   const struct mismatch_places *places, const void *actual, enum dtype expected_type,
                   const void *expected)
{
    const struct showing s = {
        .plan = plan, .storage = storage, .expected_type = expected_type, .actual = actual, .expected = expected};
    const char *name = plan_text(plan, plan->storages[storage].name);

    for (uint32_t i = 0; i < found->nshown; i++) {
        show_element(&s, "", found->shown[i].index);
    }
    if (found->mismatched > found->nshown) {
        log_msg(LOG_ERROR, "%s: and %" PRIu64 " more", name, found->mismatched - found->nshown);
        if (found->max_abs_error > 0) {
            show_element(&s, "largest difference: ", found->max_index);
        }
    }
    mismatch_places_print(places, plan, storage);
}
