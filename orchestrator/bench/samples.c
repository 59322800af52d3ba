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
static int list_slots(struct samples *s, const struct plan *plan, const struct rounds *rounds, uint32_t **nodes,
                      struct error *err)
{
    const uint32_t first = rounds_node(rounds, 0, 0);

    s->slots = calloc(rounds->nnode + UINT64_C(1), sizeof *s->slots);
    s->ranks = calloc(plan->world_size + UINT64_C(1), sizeof *s->ranks);
    *nodes = calloc(rounds->nnode + UINT64_C(1), sizeof **nodes);
    if (!s->slots || !s->ranks || !*nodes) {
        return error_nomem(err, "samples", rounds->nnode * sizeof *s->slots);
    }
    for (uint32_t card = 0; card < plan->world_size; card++) {
        const uint32_t before = s->nslot;

        for (uint32_t i = 0; i < rounds->nnode; i++) {
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

/* One of the rounds, as the next sample. */
static void take_round(struct samples *s, const struct segment *seg, const struct rounds *rounds, const uint32_t *nodes,
                       uint32_t round)
{
    uint64_t first = UINT64_MAX, last = 0, early = UINT64_MAX, late = 0;

    for (uint32_t i = 0; i < s->nslot; i++) {
        const uint32_t node = rounds_node(rounds, round + s->options.warmup, nodes[i]);
        const struct segment_times *t = &seg->times[node];

        if (!t->end_ns || !t->effective_ns) {
            s->dropped++;
            return;
        }
        first = t->start_ns < first ? t->start_ns : first;
        last = t->end_ns > last ? t->end_ns : last;
        if (s->slots[i].slot == 0 && seg->plan.nodes[node].npred <= (rounds->ngate ? 1 : 0)) {
            early = t->start_ns < early ? t->start_ns : early;
            late = t->start_ns > late ? t->start_ns : late;
        }
    }
    for (uint32_t i = 0; i < s->nslot; i++) {
        const struct segment_times *t = &seg->times[rounds_node(rounds, round + s->options.warmup, nodes[i])];
        const double metrics[SAMPLES_METRICS] = {(double)t->effective_ns, (double)t->device_ns,
                                                 (double)(t->end_ns - t->start_ns)};

        for (size_t m = 0; m < SAMPLES_METRICS; m++) {
            s->values[(m * s->nslot + i) * s->options.count + s->count] = metrics[m];
        }
        s->starts[(size_t)i * s->options.count + s->count] = (double)(t->start_ns - first);
    }
    s->union_ns[s->count] = (double)(last - first);
    s->skew[s->count] = late > early ? (double)(late - early) : 0;
    s->round[s->count++] = round;
}

int samples_take(struct samples *s, const struct segment *seg, const struct rounds *rounds, struct error *err)
{
    uint32_t *nodes = NULL;
    int rc;

    *s = (struct samples){.options = rounds->options};
    rc = list_slots(s, &seg->plan, rounds, &nodes, err);
    if (rc == 0 && s->nslot == 0) {
        rc = error_set(err, "rounds", NULL, "the program has no dispatch: there is nothing to measure");
    }
    if (rc == 0) {
        rc = reserve(s, err);
    }
    for (uint32_t r = 0; rc == 0 && r < rounds->options.count; r++) {
        take_round(s, seg, rounds, nodes, r);
    }
    if (rc == 0 && s->count == 0) {
        rc = error_set(err, "rounds", "run it with more rounds",
                       "none of the %u rounds has the times of all dispatches", rounds->options.count);
    }
    free(nodes);
    return rc;
}
