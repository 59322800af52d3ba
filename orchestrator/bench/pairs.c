#include "orchestrator/bench/pairs.h"

#include <stdlib.h>
#include <string.h>

/* Of one pass: the samples of both builds. */
struct both {
    struct samples samples[ROUNDS_PARTS];
};

/* --- rows ------------------------------------------------------------------------- */

void pairs_free(struct pairs *p)
{
    if (!p) {
        return;
    }
    for (uint32_t i = 0; i < p->nrow; i++) {
        free(p->rows[i].program);
        free(p->rows[i].values[0]);
        free(p->rows[i].values[1]);
    }
    free(p->rows);
    free(p);
}

static uint32_t slots_of(const struct samples *s, uint32_t rank)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->nslot; i++) {
        n += s->slots[i].rank == rank;
    }
    return n;
}

static uint32_t slot_index(const struct samples *s, uint32_t rank, uint32_t slot)
{
    uint32_t i = 0;

    while (s->slots[i].rank != rank || s->slots[i].slot != slot) {
        i++;
    }
    return i;
}

static void add_rank(struct pairs *p, const struct both *both, uint32_t rank, bool *failed)
{
    const uint32_t n = slots_of(&both->samples[0], rank), m = slots_of(&both->samples[1], rank);
    const char *effective = samples_metric_names[SAMPLES_EFFECTIVE];

    if (!n || !m) {
        return;
    }
    p->rows[p->nrow++] = (struct pairs_row){.level = MEASURED_RANK, .rank = rank, .metric = effective};
    for (uint32_t slot = 0; n == m && slot < n; slot++) {
        const char *program = both->samples[0].slots[slot_index(&both->samples[0], rank, slot)].program;
        struct pairs_row *row = &p->rows[p->nrow++];

        *row = (struct pairs_row){.level = MEASURED_SLOT, .rank = rank, .slot = slot, .metric = effective};
        row->program = strdup(program);
        *failed |= !row->program;
    }
}

static struct pairs *open_pairs(const struct both *both, struct error *err)
{
    const struct samples *a = &both->samples[0];
    const size_t most = 2 + (size_t)a->nrank + a->nslot;
    struct pairs *p = calloc(1, sizeof *p);
    bool failed = false;

    if (p) {
        p->rows = calloc(most, sizeof *p->rows);
    }
    if (!p || !p->rows) {
        pairs_free(p);
        error_nomem(err, "pairs", most * sizeof *p->rows);
        return NULL;
    }
    p->rows[p->nrow++] = (struct pairs_row){.metric = samples_metric_names[SAMPLES_EFFECTIVE]};
    p->rows[p->nrow++] = (struct pairs_row){.metric = "union"};
    for (uint32_t i = 0; i < a->nrank; i++) {
        add_rank(p, both, a->ranks[i], &failed);
    }
    if (failed) {
        pairs_free(p);
        error_nomem(err, "pairs", most);
        return NULL;
    }
    return p;
}

static int reserve(struct pairs *p, uint32_t more, struct error *err)
{
    const uint32_t room = p->count + more;

    for (uint32_t i = 0; i < p->nrow && room > p->room; i++) {
        for (int part = 0; part < ROUNDS_PARTS; part++) {
            double *grown = realloc(p->rows[i].values[part], room * sizeof *grown);

            if (!grown) {
                return error_nomem(err, "pairs", room * sizeof *grown);
            }
            p->rows[i].values[part] = grown;
        }
    }
    p->room = room > p->room ? room : p->room;
    return 0;
}

/* --- values ------------------------------------------------------------------------ */

/* All values of a row in one build, by round; `work` has room for them. */
static const double *values_of(const struct samples *s, const struct pairs_row *row, double *work)
{
    if (row->level == MEASURED_SLOT) {
        return samples_of_slot(s, SAMPLES_EFFECTIVE, slot_index(s, row->rank, row->slot));
    }
    if (row->level == MEASURED_RANK) {
        samples_of_rank(s, SAMPLES_EFFECTIVE, row->rank, work);
        return work;
    }
    if (strcmp(row->metric, "union") == 0) {
        return s->union_ns;
    }
    samples_slowest(s, SAMPLES_EFFECTIVE, work);
    return work;
}

/* Append to a row the values of rounds that have a twin; returns how many there are. */
static uint32_t append(const struct pairs *p, struct pairs_row *row, const struct both *both, double *work[])
{
    const struct samples *a = &both->samples[0], *b = &both->samples[1];
    const double *first = values_of(a, row, work[0]), *second = values_of(b, row, work[1]);
    uint32_t n = 0;

    for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->round[i] == b->round[j]) {
            row->values[0][p->count + n] = first[i] / 1e3;
            row->values[1][p->count + n] = second[j] / 1e3;
            n++;
        }
        if (a->round[i] <= b->round[j]) {
            i += 1;
            j += a->round[i - 1] == b->round[j];
        } else {
            j++;
        }
    }
    return n;
}

static int compare(struct pairs *p, struct error *err)
{
    for (uint32_t i = 0; i < p->nrow; i++) {
        struct pairs_row *row = &p->rows[i];

        if (series_summarize(row->values[0], p->count, &row->summaries[0], err) < 0 ||
            series_summarize(row->values[1], p->count, &row->summaries[1], err) < 0 ||
            series_compare_pairs(row->values[0], row->values[1], p->count, &row->difference, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take(struct pairs **pairs, const struct both *both, double *work[], struct error *err)
{
    const uint32_t wanted = both->samples[0].options.count;
    struct pairs *p = *pairs ? *pairs : open_pairs(both, err);
    uint32_t n = 0;

    *pairs = p;
    if (!p || reserve(p, wanted, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < p->nrow; i++) {
        n = append(p, &p->rows[i], both, work);
    }
    p->count += n;
    p->dropped += wanted - n;
    p->passes++;
    if (p->count == 0) {
        return error_set(err, "rounds", "run it with more rounds",
                         "no round of both builds has the times of all dispatches");
    }
    return compare(p, err);
}

int pairs_take(struct pairs **pairs, const struct segment *seg, const struct rounds *rounds, struct error *err)
{
    struct both both = {0};
    double *work[ROUNDS_PARTS] = {calloc(rounds->options.count + UINT64_C(1), sizeof(double)),
                                  calloc(rounds->options.count + UINT64_C(1), sizeof(double))};
    int rc = -1;

    if (!work[0] || !work[1]) {
        error_nomem(err, "pairs", 2 * rounds->options.count * sizeof(double));
    } else if (samples_take(&both.samples[0], seg, rounds, 0, err) == 0 &&
               samples_take(&both.samples[1], seg, rounds, 1, err) == 0) {
        rc = take(pairs, &both, work, err);
    }
    samples_free(&both.samples[0]);
    samples_free(&both.samples[1]);
    free(work[0]);
    free(work[1]);
    return rc;
}

bool pairs_are_precise(const struct pairs *p, double precision)
{
    const struct series_interval *of = &p->rows[0].difference.interval;

    return p->count >= PAIRS_LEAST && of->known && of->high - of->low < precision;
}
