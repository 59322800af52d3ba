#include "orchestrator/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (size_t i = 0; i < r->nrank; i++) {
        free(r->ranks[i].waits);
    }
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

bool report_is_without_tasks(const struct report *r)
{
    return r->run.captured.known && !r->run.captured.swimlane;
}

const struct report_dispatch *report_dispatch_of(const struct report *r, uint32_t node)
{
    const struct run_node *n = &r->run.nodes[node];
    size_t low = 0, high = r->ndispatch;

    if (n->kind != PLAN_DISPATCH) {
        return NULL;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct report_dispatch *d = &r->dispatches[middle];
        if (d->rank == n->lane && d->k == n->k) {
            return d;
        }
        if (d->rank < n->lane || (d->rank == n->lane && d->k < n->k)) {
            low = middle + 1;
        } else {
            high = middle;
        }
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

bool report_by_cpu(const struct report *r)
{
    for (size_t i = 0; i < r->nkernel; i++) {
        if (!r->kernels[i].has_cpu) {
            return false;
        }
    }
    return run_record_oversubscribed(&r->run);
}

uint64_t report_kernel_ns(const struct report *r, const struct report_kernel *k)
{
    return report_by_cpu(r) ? k->cpu_ns : k->stats.total;
}

const char *report_straggler(const struct report *r, char *buf, size_t size)
{
    char time[24];

    for (size_t i = 0; i < r->nrank; i++) {
        const struct report_rank *k = &r->ranks[i];

        if (k->rank != r->straggler) {
            continue;
        }
        snprintf(buf, size,
                 "straggler: rank %u: %s more than the fastest in all, over %zu dispatch%s that ranks share "
                 "(slowest in %u)",
                 k->rank, report_time((double)k->behind_ns, time, sizeof time), r->nslot, r->nslot == 1 ? "" : "es",
                 k->slowest_of);
        return buf;
    }
    return NULL;
}
