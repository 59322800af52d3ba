#include "orchestrator/bench/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const samples_metric_names[SAMPLES_METRICS] = {"effective", "device", "host"};

void samples_free(struct samples *s)
{
    free(s->slots);
    free(s->ranks);
    free(s->round);
    free(s->values);
    free(s->starts);
    free(s->union_ns);
    free(s->skew);
    memset(s, 0, sizeof *s);
}

const double *samples_of_slot(const struct samples *s, enum samples_metric metric, uint32_t slot)
{
    return s->values + ((size_t)metric * s->nslot + slot) * s->options.count;
}

void samples_of_rank(const struct samples *s, enum samples_metric metric, uint32_t rank, double *out)
{
    memset(out, 0, s->count * sizeof *out);
    for (uint32_t i = 0; i < s->nslot; i++) {
        const double *values = samples_of_slot(s, metric, i);

        for (uint32_t r = 0; s->slots[i].rank == rank && r < s->count; r++) {
            out[r] += values[r];
        }
    }
}

/* The greatest sum of a rank in each round, or the least. Slots lie by rank. */
static void extreme(const struct samples *s, enum samples_metric metric, bool greatest, double *out)
{
    for (uint32_t r = 0; r < s->count; r++) {
        double sum = 0;

        out[r] = greatest ? 0 : INFINITY;
        for (uint32_t i = 0; i < s->nslot; i++) {
            sum += samples_of_slot(s, metric, i)[r];
            if (i + 1 == s->nslot || s->slots[i + 1].rank != s->slots[i].rank) {
                out[r] = greatest ? fmax(out[r], sum) : fmin(out[r], sum);
                sum = 0;
            }
        }
    }
}

void samples_slowest(const struct samples *s, enum samples_metric metric, double *out)
{
    extreme(s, metric, true, out);
}

void samples_fastest(const struct samples *s, enum samples_metric metric, double *out)
{
    extreme(s, metric, false, out);
}

/* --- taking ------------------------------------------------------------------ */

/* The dispatches of the recorded plan, by card and in order: `nodes` has their numbers. */
static int list_slots(struct samples *s, const struct plan *plan, const struct rounds *rounds, uint32_t part,
                      uint32_t **nodes, struct error *err)
{
    const struct rounds_part *of = &rounds->parts[part];
    uint32_t round = 0, first;

    while (rounds->part[round] != part) {
        round++;
    }
    first = rounds->firsts[round];
    s->slots = calloc(of->nnode + UINT64_C(1), sizeof *s->slots);
    s->ranks = calloc(plan->world_size + UINT64_C(1), sizeof *s->ranks);
    *nodes = calloc(of->nnode + UINT64_C(1), sizeof **nodes);
    if (!s->slots || !s->ranks || !*nodes) {
        return error_nomem(err, "samples", of->nnode * sizeof *s->slots);
    }
    for (uint32_t card = 0; card < plan->world_size; card++) {
        const uint32_t before = s->nslot;

        for (uint32_t i = 0; i < of->nnode; i++) {
            const struct plan_node *n = &plan->nodes[first + i];

            if (n->kind == PLAN_DISPATCH && n->lane == card) {
                s->slots[s->nslot] =
                    (struct samples_slot){card, s->nslot - before, plan_text(plan, plan->programs[n->program])};
                (*nodes)[s->nslot++] = i;
            }
        }
        if (s->nslot > before) {
            s->ranks[s->nrank++] = card;
        }
    }
    return 0;
}

static int reserve(struct samples *s, struct error *err)
{
    const size_t wanted = s->options.count;

    s->round = calloc(wanted + 1, sizeof *s->round);
    s->values = calloc(wanted * s->nslot * SAMPLES_METRICS + 1, sizeof *s->values);
    s->starts = calloc(wanted * s->nslot + 1, sizeof *s->starts);
    s->union_ns = calloc(wanted + 1, sizeof *s->union_ns);
    s->skew = calloc(wanted + 1, sizeof *s->skew);
    return s->round && s->values && s->starts && s->union_ns && s->skew
               ? 0
               : error_nomem(err, "samples", wanted * s->nslot * (SAMPLES_METRICS + 1) * sizeof *s->values);
}

/* The round whose nodes begin at `first_node`, as the next sample; it is the one with this number of its part. */
static void take_round(struct samples *s, const struct segment *seg, const uint32_t *nodes, uint32_t first_node,
                       bool gated, uint32_t number)
{
    uint64_t first = UINT64_MAX, last = 0, early = UINT64_MAX, late = 0;

    for (uint32_t i = 0; i < s->nslot; i++) {
        const uint32_t node = first_node + nodes[i];
        const struct segment_times *t = &seg->times[node];

        if (!t->end_ns || !t->effective_ns) {
            s->dropped++;
            return;
        }
        first = t->start_ns < first ? t->start_ns : first;
        last = t->end_ns > last ? t->end_ns : last;
        if (s->slots[i].slot == 0 && seg->plan.nodes[node].npred <= gated) {
            early = t->start_ns < early ? t->start_ns : early;
            late = t->start_ns > late ? t->start_ns : late;
        }
    }
    for (uint32_t i = 0; i < s->nslot; i++) {
        const struct segment_times *t = &seg->times[first_node + nodes[i]];
        const double metrics[SAMPLES_METRICS] = {(double)t->effective_ns, (double)t->device_ns,
                                                 (double)(t->end_ns - t->start_ns)};

        for (size_t m = 0; m < SAMPLES_METRICS; m++) {
            s->values[(m * s->nslot + i) * s->options.count + s->count] = metrics[m];
        }
        s->starts[(size_t)i * s->options.count + s->count] = (double)(t->start_ns - first);
    }
    s->union_ns[s->count] = (double)(last - first);
    s->skew[s->count] = late > early ? (double)(late - early) : 0;
    s->round[s->count++] = number;
}

static void take_rounds(struct samples *s, const struct segment *seg, const struct rounds *rounds, uint32_t part,
                        const uint32_t *nodes)
{
    uint32_t number = 0; /* of its part, warm-up included */

    for (uint32_t r = 0; r < rounds->total; r++) {
        if (rounds->part[r] != part) {
            continue;
        }
        if (number >= s->options.warmup) {
            take_round(s, seg, nodes, rounds->firsts[r], rounds->parts[part].ngate > 0, number - s->options.warmup);
        }
        number++;
    }
}

int samples_take(struct samples *s, const struct segment *seg, const struct rounds *rounds, uint32_t part,
                 struct error *err)
{
    uint32_t *nodes = NULL;
    int rc;

    *s = (struct samples){.options = rounds->options};
    rc = list_slots(s, &seg->plan, rounds, part, &nodes, err);
    if (rc == 0 && s->nslot == 0) {
        rc = error_set(err, "rounds", NULL, "the program has no dispatch: there is nothing to measure");
    }
    if (rc == 0) {
        rc = reserve(s, err);
    }
    if (rc == 0) {
        take_rounds(s, seg, rounds, part, nodes);
    }
    if (rc == 0 && s->count == 0) {
        rc = error_set(err, "rounds", "run it with more rounds",
                       "none of the %u rounds has the times of all dispatches", rounds->options.count);
    }
    free(nodes);
    return rc;
}
