#include "orchestrator/bench/pairs.h"

static const char *const findings[] = {[SERIES_NO_DIFFERENCE] = "no difference",
                                       [SERIES_LESS] = "faster",
                                       [SERIES_GREATER] = "slower",
                                       [SERIES_UNKNOWN] = "unknown"};

/* --- text --------------------------------------------------------------------------- */

static void print_row(FILE *f, const struct pairs_row *row)
{
    const struct series_difference *d = &row->difference;
    char label[MEASURED_LABEL_SIZE];

    measured_label(row->level, row->metric, row->rank, row->slot, row->program, label);
    fprintf(f, "  %-32s %11.2f %11.2f %+8.2f %%  %+8.2f..%+.2f %%  %s\n", label, row->summaries[0].median,
            row->summaries[1].median, d->ratio * 100, d->interval.low * 100, d->interval.high * 100,
            d->finding == SERIES_UNKNOWN ? "too few pairs to say" : findings[d->finding]);
}

void pairs_print(FILE *f, const struct pairs *p, double precision)
{
    fprintf(f, "%u pair%s of rounds in %u pass%s", p->count, p->count == 1 ? "" : "s", p->passes,
            p->passes == 1 ? "" : "es");
    if (p->dropped) {
        fprintf(f, "; %u dropped, in which a rank has no time", p->dropped);
    }
    fprintf(f, "; the interval of whole rounds is %s than %g %%\n",
            pairs_are_precise(p, precision) ? "narrower" : "wider", precision * 100);
    fprintf(f, "  %-32s %11s %11s %10s  %s\n", "medians, microseconds", "first", "second", "second is", "with 95 %");
    for (uint32_t i = 0; i < p->nrow; i++) {
        print_row(f, &p->rows[i]);
    }
}

/* --- JSON ----------------------------------------------------------------------------- */

static void put_samples(struct json_writer *w, cJSON *item, const char *key, const double *values, uint32_t count)
{
    cJSON *list = json_put_list(w, item, key);

    for (uint32_t i = 0; i < count && !w->failed; i++) {
        json_append_number(w, list, values[i]);
    }
}

static void put_row(struct json_writer *w, cJSON *rows, const struct pairs *p, const struct pairs_row *row)
{
    static const char *const levels[] = {"round", "rank", "slot"};
    cJSON *item = json_append_object(w, rows), *bounds;

    json_put_text(w, item, "of", levels[row->level]);
    json_put_text(w, item, "metric", row->metric);
    if (row->level != MEASURED_ROUND) {
        json_put_number(w, item, "rank", row->rank);
    }
    if (row->level == MEASURED_SLOT) {
        json_put_number(w, item, "slot", row->slot);
        json_put_text(w, item, "program", row->program);
    }
    json_put_text(w, item, "finding", findings[row->difference.finding]);
    json_put_number(w, item, "ratio", row->difference.ratio);
    if (row->difference.interval.known) {
        bounds = json_put_list(w, item, "ratio_95");
        json_append_number(w, bounds, row->difference.interval.low);
        json_append_number(w, bounds, row->difference.interval.high);
    } else {
        json_put_null(w, item, "ratio_95");
    }
    json_put_number(w, item, "median_first", row->summaries[0].median);
    json_put_number(w, item, "median_second", row->summaries[1].median);
    put_samples(w, item, "first", row->values[0], p->count);
    put_samples(w, item, "second", row->values[1], p->count);
}

void pairs_put_json(struct json_writer *w, cJSON *root, const struct pairs *p, const char *other, double precision)
{
    cJSON *ab = json_put_object(w, root, "ab"), *rows;

    json_put_text(w, ab, "unit", "us");
    json_put_text(w, ab, "second", other);
    json_put_number(w, ab, "pairs", p->count);
    json_put_number(w, ab, "dropped", p->dropped);
    json_put_number(w, ab, "passes", p->passes);
    json_put_bool(w, ab, "precise", pairs_are_precise(p, precision));
    rows = json_put_list(w, ab, "rows");
    for (uint32_t i = 0; i < p->nrow && !w->failed; i++) {
        put_row(w, rows, p, &p->rows[i]);
    }
}
