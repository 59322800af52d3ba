#include "orchestrator/job/passes.h"

#include <string.h>

#include "common/base/log.h"

int passes_split(const struct dfx *wanted, bool simulator, struct pass passes[PASSES_MAX])
{
    passes[0] = (struct pass){.name = "only pass", .dfx = *wanted};
    if (!wanted->swimlane || simulator)
        return 1;
    passes[1] = (struct pass){.name = "timing pass", .dfx = *wanted};
    passes[1].dfx.dep_gen = false;
    passes[0] = (struct pass){.name = "graph pass", .dfx = {.dep_gen = true}};
    memcpy(passes[0].dfx.dir, wanted->dir, sizeof wanted->dir);
    return 2;
}

/* In front, where it is seen however long the rest is. */
static void name_pass(struct error *err, const char *name)
{
    const char *between = err->where[0] ? ": " : "";
    size_t n = strlen(name), gap = strlen(between);

    memmove(err->where + n + gap, err->where, sizeof err->where - n - gap);
    memcpy(err->where, name, n);
    memcpy(err->where + n, between, gap);
    err->where[sizeof err->where - 1] = '\0';
}

int passes_run(struct segment *seg, const struct pass *passes, int count, const struct pass_steps *steps,
               struct error *err)
{
    for (int i = 0; i < count; i++) {
        if (i > 0 && (segment_rewind(seg, err) < 0 || steps->load(steps->context, err) < 0))
            return -1;
        seg->header->dfx = passes[i].dfx;
        if (count > 1)
            log_msg(LOG_TIMING, "%s, %d of %d", passes[i].name, i + 1, count);
        if (steps->run(steps->context, err) < 0) {
            if (count > 1)
                name_pass(err, passes[i].name);
            return -1;
        }
    }
    return 0;
}
