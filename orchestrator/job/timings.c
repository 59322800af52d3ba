#include "orchestrator/job/timings.h"

#include <stdlib.h>
#include <string.h>

#include "topology/placement.h"

uint32_t timings_dispatches(const struct segment *seg)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        n += seg->plan.nodes[i].kind == PLAN_DISPATCH;
    }
    return n;
}

uint64_t timings_first_start_ns(const struct segment *seg)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        if (seg->times[i].end_ns && seg->times[i].start_ns < first) {
            first = seg->times[i].start_ns;
        }
    }
    return first == UINT64_MAX ? 0 : first;
}

uint64_t timings_span_ns(const struct segment *seg)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        if (seg->times[i].end_ns > last) {
            last = seg->times[i].end_ns;
        }
    }
    return last ? last - timings_first_start_ns(seg) : 0;
}

static void add_dispatch(struct timings *t, const struct segment *seg, uint32_t node, uint64_t zero)
{
    const struct plan_node *n = &seg->plan.nodes[node];
    const struct segment_times *times = &seg->times[node];
    struct result_card *card = &t->cards[n->lane];

    t->dispatches[t->ndispatch++] =
        (struct result_dispatch){.node = node,
                                 .card = n->lane,
                                 .k = n->k == PLAN_NONE ? RESULT_NONE : n->k,
                                 .line = n->line,
                                 .program = plan_text(&seg->plan, seg->plan.programs[n->program]),
                                 .start_ns = times->start_ns - zero,
                                 .end_ns = times->end_ns - zero,
                                 .wall_ns = times->end_ns - times->start_ns,
                                 .device_ns = times->device_ns,
                                 .orch_ns = times->orch_ns,
                                 .ntasks = times->ntasks,
                                 .turns_lost = times->turns_lost};
    if (!card->ndispatch++) {
        card->start_ns = times->start_ns - zero;
    }
    card->end_ns = times->end_ns - zero;
    card->busy_ns += times->end_ns - times->start_ns;
}

int timings_collect(struct timings *t, const struct segment *seg, const int *device_ids, int nproc, struct error *err)
{
    uint64_t zero = timings_first_start_ns(seg);
    uint32_t world = seg->plan.world_size;

    memset(t, 0, sizeof *t);
    t->cards = calloc(world + 1u, sizeof *t->cards);
    t->dispatches = calloc(seg->plan.nnode + 1u, sizeof *t->dispatches);
    if (!t->cards || !t->dispatches) {
        timings_free(t);
        return error_nomem(err, "timings", seg->plan.nnode * sizeof *t->dispatches);
    }
    t->ncard = world;
    for (int process = 0; process < nproc; process++) {
        uint32_t first, count;

        placement_block(world, (uint32_t)nproc, (uint32_t)process, &first, &count);
        for (uint32_t c = first; c < first + count; c++) {
            t->cards[c] = (struct result_card){.card = c, .device_id = device_ids[c], .process = (uint32_t)process};
        }
    }
    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        if (seg->plan.nodes[i].kind == PLAN_DISPATCH && seg->times[i].end_ns) {
            add_dispatch(t, seg, i, zero);
        }
    }
    return 0;
}

void timings_free(struct timings *t)
{
    free(t->cards);
    free(t->dispatches);
    memset(t, 0, sizeof *t);
}
