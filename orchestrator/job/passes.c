#include "orchestrator/job/passes.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"
#include "orchestrator/supervise/progress.h"

int passes_split(const struct dfx *wanted, bool simulator, struct pass passes[PASSES_MAX])
{
    passes[0] = (struct pass){.name = "only pass", .dfx = *wanted};
    if (!wanted->swimlane || simulator) {
        return 1;
    }
    passes[1] = (struct pass){.name = "timing pass", .dfx = *wanted};
    passes[1].dfx.dep_gen = false;
    passes[0] = (struct pass){.name = "graph pass", .dfx = {.dep_gen = true}};
    memcpy(passes[0].dfx.dir, wanted->dir, sizeof wanted->dir);
    return 2;
}

static int rewind_and_load(struct segment *seg, const struct pass_steps *steps, struct error *err)
{
    return segment_rewind(seg, err) < 0 || steps->load(steps->context, err) < 0 ? -1 : 0;
}

int passes_run(struct segment *seg, const struct pass *passes, int count, const struct pass_steps *steps,
               struct error *err)
{
    for (int i = 0; i < count; i++) {
        if (i > 0 && rewind_and_load(seg, steps, err) < 0) {
            return -1;
        }
        seg->header->dfx = passes[i].dfx;
        if (count > 1) {
            log_msg(LOG_TIMING, "%s, %d of %d", passes[i].name, i + 1, count);
        }
        if (steps->run(steps->context, err) < 0) {
            if (count > 1) {
                error_within(err, passes[i].name);
            }
            return -1;
        }
    }
    return 0;
}

int passes_repeat(struct segment *seg, int count, const struct pass_steps *steps, struct error *err)
{
    char name[PASS_NAME_MAX] = "";
    int rc = 0;

    seg->header->hashing = 1;
    seg->header->dfx = (struct dfx){0};
    for (int i = 0; i < count && rc == 0; i++) {
        snprintf(name, sizeof name, "run %d of %d", i + 1, count);
        log_msg(LOG_INFO, "%s", name);
        progress_name(name);
        if ((i > 0 && rewind_and_load(seg, steps, err) < 0) || steps->run(steps->context, err) < 0) {
            rc = -1;
        }
    }
    progress_name("run");
    if (rc < 0) {
        error_within(err, name);
    }
    return rc;
}

int passes_until(struct segment *seg, bool (*enough)(const void *context), const struct pass_steps *steps,
                 struct error *err)
{
    char name[PASS_NAME_MAX] = "";
    const uint32_t skip_end = seg->header->skip_end;
    int number = 0, rc;

    seg->header->dfx = (struct dfx){0};
    do {
        snprintf(name, sizeof name, "pass %d", ++number);
        progress_name(name);
        seg->header->skip_end = number % 2 ? seg->header->skip_first : skip_end;
        rc = (number > 1 && rewind_and_load(seg, steps, err) < 0) || steps->run(steps->context, err) < 0 ? -1 : 0;
    } while (rc == 0 && (number % 2 || !enough(steps->context)));
    progress_name("run");
    if (rc < 0) {
        error_within(err, name);
    }
    return rc;
}
