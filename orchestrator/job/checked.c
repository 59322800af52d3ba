#include "orchestrator/job/checked.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool was_compared(const char *name, const struct result_comparison *comparisons, size_t ncomparison)
{
    for (size_t i = 0; i < ncomparison; i++) {
        if (strcmp(comparisons[i].parameter, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Name of output `i` of the plan's storages, or of the build's parameters while there is no plan; NULL: that is none. */
static const char *output_name(const struct prepared *p, uint32_t i)
{
    const struct plan *plan = &p->recording.plan;
    const struct build_param *param;

    if (plan->nstorage) {
        return plan->storages[i].kind == PLAN_PARAM && plan->storages[i].direction != PLAN_IN
                   ? plan_text(plan, plan->storages[i].name)
                   : NULL;
    }
    param = &p->recording.build.params[i];
    return !param->scalar && param->direction != PLAN_IN ? param->name : NULL;
}

static uint32_t candidates(const struct prepared *p)
{
    return p->recording.plan.nstorage ? p->recording.plan.nstorage : p->recording.build.nparam;
}

struct checked checked_count(const struct prepared *p, const struct result_comparison *comparisons, size_t ncomparison)
{
    struct checked c = {0};

    for (uint32_t i = 0; i < candidates(p); i++) {
        const char *name = output_name(p, i);

        c.outputs += name != NULL;
        c.compared += name && was_compared(name, comparisons, ncomparison);
    }
    return c;
}

struct result_unchecked *checked_missing(const struct prepared *p, const struct result_comparison *comparisons,
                                         size_t ncomparison, size_t *count, struct error *err)
{
    struct result_unchecked *items = calloc(candidates(p) + 1u, sizeof *items);

    *count = 0;
    if (!items) {
        error_nomem(err, "result", (candidates(p) + 1u) * sizeof *items);
        return NULL;
    }
    for (uint32_t i = 0; i < candidates(p); i++) {
        const char *name = output_name(p, i);
        const char *why = p->verify ? verify_why_not(p->verify, i) : NULL;

        if (name && !was_compared(name, comparisons, ncomparison)) {
            items[(*count)++] = (struct result_unchecked){
                .parameter = name,
                .why = why ? why : "the run ended before its outputs were compared, or this one was not readable"};
        }
    }
    return items;
}
