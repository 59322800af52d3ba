#include "orchestrator/bench/measured.h"

static void put_row(struct json_writer *w, cJSON *object, const struct measured *m, const struct measured_row *row)
{
    const struct series_summary *s = &row->summary;
    cJSON *item = json_put_object(w, object, row->metric), *list;

    json_put_number(w, item, "min", s->min);
    json_put_number(w, item, "median", s->median);
    json_put_number(w, item, "mean", s->mean);
    json_put_number(w, item, "p95", s->p95);
    json_put_number(w, item, "max", s->max);
    if (s->interval.known) {
        list = json_put_list(w, item, "median_95");
        json_append_number(w, list, s->interval.low);
        json_append_number(w, list, s->interval.high);
    } else {
        json_put_null(w, item, "median_95");
    }
    list = json_put_list(w, item, "samples");
    for (uint32_t i = 0; i < m->samples.count && !w->failed; i++) {
        json_append_number(w, list, row->values[i]);
    }
}

static void put_options(struct json_writer *w, cJSON *bench, const struct measured *m)
{
    const struct samples *s = &m->samples;
    cJSON *list;

    json_put_text(w, bench, "unit", "us");
    json_put_number(w, bench, "rounds", s->count);
    json_put_number(w, bench, "warmup", s->options.warmup);
    json_put_number(w, bench, "dropped", s->dropped);
    json_put_bool(w, bench, "keep_state", s->options.keep_state);
    json_put_bool(w, bench, "keep_windows", s->options.keep_windows);
    json_put_u64(w, bench, "put_back_nbytes", m->copied);
    list = json_put_list(w, bench, "round_numbers");
    for (uint32_t i = 0; i < s->count && !w->failed; i++) {
        json_append_number(w, list, s->round[i]);
    }
}

void measured_put_json(struct json_writer *w, cJSON *root, const struct measured *m)
{
    cJSON *bench = json_put_object(w, root, "bench"), *round, *ranks, *rank = NULL, *slots = NULL, *slot = NULL;
    uint32_t last = PLAN_NONE;

    put_options(w, bench, m);
    round = json_put_object(w, bench, "round");
    ranks = json_put_list(w, bench, "ranks");
    for (uint32_t i = 0; i < m->nrow && !w->failed; i++) {
        const struct measured_row *row = &m->rows[i];

        if (row->level == MEASURED_ROUND) {
            put_row(w, round, m, row);
        } else if (row->level == MEASURED_RANK) {
            if (m->rows[i - 1].level != MEASURED_RANK) {
                rank = json_append_object(w, ranks);
                json_put_number(w, rank, "rank", row->rank);
                last = PLAN_NONE;
                slots = NULL;
            }
            put_row(w, rank, m, row);
        } else {
            slots = slots ? slots : json_put_list(w, rank, "slots");
            if (row->slot != last) {
                last = row->slot;
                slot = json_append_object(w, slots);
                json_put_number(w, slot, "slot", row->slot);
                json_put_text(w, slot, "program", row->program);
            }
            put_row(w, slot, m, row);
        }
    }
}
