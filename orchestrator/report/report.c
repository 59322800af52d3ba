#include "orchestrator/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/trace/timeline.h"

static void tell_incomplete(struct report *r)
{
    size_t count = 0;

    if (r->run.captured.known && !r->run.captured.swimlane)
        notes_add(&r->notes, "the run was without --swimlane: what happened inside its dispatches is not known");
    for (size_t i = 0; i < r->ndispatch; i++)
        count += r->dispatches[i].notes.count > 0;
    if (count)
        notes_add(&r->notes, "the picture is not complete: of %zu of the %zu dispatches something is missing or wrong; "
                             "the list of dispatches says what", count, r->ndispatch);
}

int report_make(struct report *r, const struct dfx_list *list, struct error *err)
{
    int related;

    memset(r, 0, sizeof *r);
    r->dir = list->dir;
    r->straggler = REPORT_NONE;
    related = timeline_read_run(list->dir, &r->run, &r->notes, err);
    if (related < 0)
        return -1;
    r->related = related == 1 && !run_clocks_tell(&r->run.clocks, r->run.world_size, &r->notes);
    if (related == 1 && !r->related)
        notes_add(&r->notes, "ranks cannot be related in time: waiting, skew in time and the critical path through the "
                             "plan are not known");
    run_aside_tell(&r->run.aside, &r->notes);
    for (size_t i = 0; i < list->notes.count; i++)
        notes_add(&r->notes, "%s", list->notes.items[i]);
    if (report_collect(r, list, err) || report_compare(r, err) || (r->related && report_relate(r, err)))
        return -1;
    tell_incomplete(r);
    return r->notes.failed ? error_nomem(err, list->dir, 256) : 0;
}

void report_free(struct report *r)
{
    for (size_t i = 0; i < r->ndispatch; i++) {
        free(r->dispatches[i].program);
        free(r->dispatches[i].parts);
        notes_free(&r->dispatches[i].notes);
    }
    for (size_t i = 0; i < r->nkernel; i++) {
        free(r->kernels[i].program);
        free(r->kernels[i].name);
        free(r->kernels[i].values);
    }
    for (size_t i = 0; i < r->nrank; i++)
        free(r->ranks[i].waits);
    free(r->dispatches);
    free(r->kernels);
    free(r->ranks);
    free(r->slots);
    free(r->slot_times);
    free(r->steps);
    notes_free(&r->notes);
    run_record_free(&r->run);
    memset(r, 0, sizeof *r);
}

const struct report_dispatch *report_dispatch_of(const struct report *r, uint32_t node)
{
    const struct run_node *n = &r->run.nodes[node];
    size_t low = 0, high = r->ndispatch;

    if (n->kind != PLAN_DISPATCH)
        return NULL;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct report_dispatch *d = &r->dispatches[middle];
        if (d->rank == n->lane && d->k == n->k)
            return d;
        if (d->rank < n->lane || (d->rank == n->lane && d->k < n->k))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *report_time(double ns, char *buf, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    unsigned unit = 0;

    while (ns >= 999.5 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    snprintf(buf, size, "%.*f %s", unit == 0 || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2, ns, units[unit]);
    return buf;
}

double report_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *report_core_name(int core_type)
{
    static const char *const names[] = {[SWIM_AIC] = "aic", [SWIM_AIV] = "aiv", [SWIM_UNKNOWN] = "?"};

    return names[core_type];
}

const char *report_straggler(const struct report *r, char *buf, size_t size)
{
    char time[24];

    for (size_t i = 0; i < r->nrank; i++) {
        const struct report_rank *k = &r->ranks[i];

        if (k->rank != r->straggler)
            continue;
        snprintf(buf, size,
                 "straggler: rank %u: %s more than the fastest in all, over %zu dispatch%s that ranks share "
                 "(slowest in %u)",
                 k->rank, report_time((double)k->behind_ns, time, sizeof time), r->nslot, r->nslot == 1 ? "" : "es",
                 k->slowest_of);
        return buf;
    }
    return NULL;
}

int report_finish(FILE *f, struct error *err)
{
    if (fflush(f) || ferror(f))
        return error_errno(err, NULL, NULL, "cannot write the report");
    return 0;
}
