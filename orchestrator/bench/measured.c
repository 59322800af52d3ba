#include "orchestrator/bench/measured.h"

#include <stdlib.h>
#include <string.h>

enum { OF_ROUND = SAMPLES_METRICS + 3 };

void measured_free(struct measured *m)
{
    if (!m) {
        return;
    }
    for (uint32_t i = 0; i < m->nrow; i++) {
        free(m->rows[i].values);
    }
    free(m->rows);
    samples_free(&m->samples);
    free(m);
}

/* The next row; its values, count of them and in nanoseconds, are to be filled. NULL: no memory. */
static struct measured_row *add_row(struct measured *m, enum measured_level level, const char *metric,
                                    struct error *err)
{
    struct measured_row *row = &m->rows[m->nrow];

    *row = (struct measured_row){.level = level, .metric = metric};
    row->values = calloc(m->samples.count + UINT64_C(1), sizeof *row->values);
    if (!row->values) {
        error_nomem(err, "measurements", m->samples.count * sizeof *row->values);
        return NULL;
    }
    m->nrow++;
    return row;
}

static int finish_row(const struct measured *m, struct measured_row *row, struct error *err)
{
    for (uint32_t i = 0; i < m->samples.count; i++) {
        row->values[i] /= 1e3;
    }
    return series_summarize(row->values, m->samples.count, &row->summary, err);
}

static int add_plain(struct measured *m, const char *metric, const double *values, struct error *err)
{
    struct measured_row *row = add_row(m, MEASURED_ROUND, metric, err);

    if (!row) {
        return -1;
    }
    memcpy(row->values, values, m->samples.count * sizeof *values);
    return finish_row(m, row, err);
}

static int add_round(struct measured *m, struct error *err)
{
    struct measured_row *row;

    for (int metric = 0; metric < SAMPLES_METRICS; metric++) {
        if (!(row = add_row(m, MEASURED_ROUND, samples_metric_names[metric], err))) {
            return -1;
        }
        samples_slowest(&m->samples, (enum samples_metric)metric, row->values);
        if (finish_row(m, row, err) < 0) {
            return -1;
        }
    }
    if (!(row = add_row(m, MEASURED_ROUND, "fastest", err))) {
        return -1;
    }
    samples_fastest(&m->samples, SAMPLES_EFFECTIVE, row->values);
    return finish_row(m, row, err) < 0 || add_plain(m, "union", m->samples.union_ns, err) < 0 ||
                   add_plain(m, "start_skew", m->samples.skew, err) < 0
               ? -1
               : 0;
}

static int add_rank(struct measured *m, uint32_t rank, struct error *err)
{
    for (int metric = 0; metric < SAMPLES_METRICS; metric++) {
        struct measured_row *row = add_row(m, MEASURED_RANK, samples_metric_names[metric], err);

        if (!row) {
            return -1;
        }
        row->rank = rank;
        samples_of_rank(&m->samples, (enum samples_metric)metric, rank, row->values);
        if (finish_row(m, row, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int add_slot(struct measured *m, uint32_t index, struct error *err)
{
    const struct samples_slot *slot = &m->samples.slots[index];

    for (int metric = 0; metric < SAMPLES_METRICS; metric++) {
        struct measured_row *row = add_row(m, MEASURED_SLOT, samples_metric_names[metric], err);

        if (!row) {
            return -1;
        }
        row->rank = slot->rank;
        row->slot = slot->slot;
        row->program = slot->program;
        memcpy(row->values, samples_of_slot(&m->samples, (enum samples_metric)metric, index),
               m->samples.count * sizeof *row->values);
        if (finish_row(m, row, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int add_rows(struct measured *m, struct error *err)
{
    const size_t most = OF_ROUND + SAMPLES_METRICS * ((size_t)m->samples.nrank + m->samples.nslot);

    m->rows = calloc(most, sizeof *m->rows);
    if (!m->rows) {
        return error_nomem(err, "measurements", most * sizeof *m->rows);
    }
    if (add_round(m, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < m->samples.nslot; i++) {
        if ((m->samples.slots[i].slot == 0 && add_rank(m, m->samples.slots[i].rank, err) < 0) ||
            add_slot(m, i, err) < 0) {
            return -1;
        }
    }
    return 0;
}

int measured_take(struct measured **out, const struct segment *seg, const struct rounds *rounds, struct error *err)
{
    struct measured *m = calloc(1, sizeof *m);

    *out = NULL;
    if (!m) {
        return error_nomem(err, "measurements", sizeof *m);
    }
    m->copied = rounds->parts[0].nbytes;
    if (samples_take(&m->samples, seg, rounds, 0, err) < 0 || add_rows(m, err) < 0) {
        measured_free(m);
        return -1;
    }
    *out = m;
    return 0;
}
