/* Second step: the ranks beside each other. Durations need no common clock. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/report/report_steps.h"

static int make_ranks(struct report *r, struct error *err)
{
    size_t n = r->related ? r->run.world_size : 0;
    uint64_t *times = malloc((r->ndispatch + 1) * sizeof *times);

    r->ranks = calloc(n + r->ndispatch + 1, sizeof *r->ranks);
    if (!r->ranks || !times) {
        free(times);
        return error_nomem(err, r->dir, (n + r->ndispatch) * sizeof *r->ranks);
    }
    for (; r->nrank < n; r->nrank++) {
        r->ranks[r->nrank].rank = (uint32_t)r->nrank;
    }
    for (size_t i = 0, count, ntime; i < r->ndispatch; i += count) {
        struct report_rank *rank;
        uint32_t number = r->dispatches[i].rank;
        for (count = ntime = 0; i + count < r->ndispatch && r->dispatches[i + count].rank == number; count++) {
            if (r->dispatches[i + count].timed) {
                times[ntime++] = r->dispatches[i + count].time_ns;
            }
        }
        if (number >= n) {
            r->ranks[r->nrank++].rank = number;
        }
        rank = number < n ? &r->ranks[number] : &r->ranks[r->nrank - 1];
        rank->dispatches = stats_of(times, ntime);
        rank->computing_ns = rank->dispatches.total;
    }
    free(times);
    return 0;
}

static struct report_rank *rank_of(struct report *r, uint32_t number)
{
    for (size_t i = 0; i < r->nrank; i++) {
        if (r->ranks[i].rank == number) {
            return &r->ranks[i];
        }
    }
    return NULL;
}

struct member {
    uint32_t k, rank;
    const char *program;
    const struct report_dispatch *d;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order;

    if (x->k != y->k) {
        return x->k < y->k ? -1 : 1;
    }
    order = strcmp(x->program, y->program);
    if (order) {
        return order;
    }
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int make_slot(struct report *r, const struct member *m, size_t count, struct error *err)
{
    struct report_slot slot = {.k = m->k,
                               .program = m->program,
                               .nrank = (uint32_t)count,
                               .slowest = m->rank,
                               .min_ns = UINT64_MAX,
                               .first = r->nslot_time,
                               .count = count};
    uint64_t start[2] = {UINT64_MAX, 0}, end[2] = {UINT64_MAX, 0};

    if (array_room(&r->slots, &r->slot_capacity, r->nslot, sizeof *r->slots)) {
        return error_nomem(err, r->dir, r->nslot * sizeof *r->slots);
    }
    for (size_t i = 0; i < count; i++) {
        const struct report_dispatch *d = m[i].d;
        if (array_room(&r->slot_times, &r->slot_time_capacity, r->nslot_time, sizeof *r->slot_times)) {
            return error_nomem(err, r->dir, r->nslot_time * sizeof *r->slot_times);
        }
        r->slot_times[r->nslot_time++] = (struct report_slot_time){m[i].rank, d->time_ns};
        if (d->time_ns > slot.max_ns) {
            slot.max_ns = d->time_ns;
            slot.slowest = m[i].rank;
        }
        slot.min_ns = d->time_ns < slot.min_ns ? d->time_ns : slot.min_ns;
        start[0] = d->start_ns < start[0] ? d->start_ns : start[0];
        start[1] = d->start_ns > start[1] ? d->start_ns : start[1];
        end[0] = d->end_ns < end[0] ? d->end_ns : end[0];
        end[1] = d->end_ns > end[1] ? d->end_ns : end[1];
    }
    slot.start_spread_ns = start[1] - start[0];
    slot.end_spread_ns = end[1] - end[0];
    for (size_t i = 0; i < count; i++) {
        rank_of(r, m[i].rank)->behind_ns += m[i].d->time_ns - slot.min_ns;
    }
    rank_of(r, slot.slowest)->slowest_of++;
    r->slots[r->nslot++] = slot;
    return 0;
}

static int make_slots(struct report *r, struct error *err)
{
    struct member *members = malloc((r->ndispatch + 1) * sizeof *members);
    size_t n = 0;
    int rc = 0;

    if (!members) {
        return error_nomem(err, r->dir, r->ndispatch * sizeof *members);
    }
    for (size_t i = 0; i < r->ndispatch; i++) {
        const struct report_dispatch *d = &r->dispatches[i];
        if (d->program && d->timed) { /* programs that are not known cannot be said to be the same */
            members[n++] = (struct member){d->k, d->rank, d->program, d};
        }
    }
    qsort(members, n, sizeof *members, compare_members);
    for (size_t i = 0, count; i < n && rc == 0; i += count) {
        for (count = 1; i + count < n && members[i + count].k == members[i].k &&
                        strcmp(members[i + count].program, members[i].program) == 0;) {
            count++;
        }
        if (count > 1) {
            rc = make_slot(r, members + i, count, err);
        }
    }
    free(members);
    return rc;
}

static int compare_kernels_by_cpu(const void *a, const void *b)
{
    const struct report_kernel *x = a, *y = b;

    if (x->cpu_ns != y->cpu_ns) {
        return x->cpu_ns > y->cpu_ns ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct report_kernel *x = a, *y = b;

    if (x->stats.total != y->stats.total) {
        return x->stats.total > y->stats.total ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

/* Parts name kernels by number: they follow the kernels to their new places. */
static int sort_kernels(struct report *r, struct error *err)
{
    uint64_t **old = malloc((r->nkernel + 1) * sizeof *old);
    size_t *now = malloc((r->nkernel + 1) * sizeof *now);

    if (!old || !now) {
        free(old);
        free(now);
        return error_nomem(err, r->dir, r->nkernel * sizeof *now);
    }
    for (size_t i = 0; i < r->nkernel; i++) {
        old[i] = r->kernels[i].values;
    }
    if (r->nkernel) {
        qsort(r->kernels, r->nkernel, sizeof *r->kernels, report_by_cpu(r) ? compare_kernels_by_cpu : compare_kernels);
    }
    for (size_t i = 0; i < r->nkernel; i++) {
        for (size_t k = 0; k < r->nkernel; k++) {
            if (r->kernels[k].values == old[i]) {
                now[i] = k;
            }
        }
    }
    for (size_t i = 0; i < r->ndispatch; i++) {
        for (size_t p = 0; p < r->dispatches[i].npart; p++) {
            r->dispatches[i].parts[p].kernel = now[r->dispatches[i].parts[p].kernel];
        }
    }
    free(old);
    free(now);
    return 0;
}

int report_compare(struct report *r, struct error *err)
{
    const struct report_rank *worst = NULL;

    if (make_ranks(r, err) || make_slots(r, err) || sort_kernels(r, err)) {
        return -1;
    }
    for (size_t i = 0; i < r->nrank; i++) {
        if (r->ranks[i].behind_ns && (!worst || r->ranks[i].behind_ns > worst->behind_ns)) {
            worst = &r->ranks[i];
        }
    }
    if (worst) {
        r->straggler = worst->rank;
    }
    return 0;
}
