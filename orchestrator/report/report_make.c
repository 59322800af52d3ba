#include "orchestrator/report/report_make.h"

#include <string.h>

#include "orchestrator/report/report_steps.h"

static void report_incomplete(struct report *r)
{
    size_t count = 0;

    for (size_t i = 0; i < r->ndispatch; i++) {
        count += r->dispatches[i].notes.count > 0;
    }
    if (count) {
        notes_add(&r->notes,
                  "the picture is not complete: of %zu of the %zu dispatches something is missing or wrong; "
                  "the list of dispatches says what",
                  count, r->ndispatch);
    }
}

int report_make(struct report *r, const struct dfx_list *list, struct error *err)
{
    int related;

    memset(r, 0, sizeof *r);
    r->dir = list->dir;
    r->straggler = REPORT_NONE;
    related = run_record_read_dir(list->dir, &r->run, &r->notes, err);
    if (related < 0) {
        return -1;
    }
    r->related = related == 1 && !run_clocks_report(&r->run.clocks, r->run.world_size, &r->notes);
    if (related == 1 && !r->related) {
        notes_add(&r->notes, "ranks cannot be related in time: waiting, skew in time and the critical path through the "
                             "plan are not known");
    }
    run_extra_report(&r->run.extra, &r->notes);
    for (size_t i = 0; i < list->notes.count; i++) {
        notes_add(&r->notes, "%s", list->notes.items[i]);
    }
    if (report_collect(r, list, err) || report_compare(r, err) || (r->related && report_relate(r, err))) {
        return -1;
    }
    report_incomplete(r);
    return r->notes.failed ? error_nomem(err, list->dir, 256) : 0;
}
