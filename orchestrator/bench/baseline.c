#include <math.h>
#include <string.h>

#include "common/base/json.h"
#include "orchestrator/bench/measured.h"

#define MOST_BYTES ((size_t)1 << 30)

/* --- the old result ------------------------------------------------------------- */

static const cJSON *with_number(const cJSON *list, const char *key, uint32_t number)
{
    const struct json_source quiet = {0};
    const cJSON *item;
    int64_t found;

    cJSON_ArrayForEach(item, list) {
        if (json_get_int(&quiet, item, key, 0, UINT32_MAX, &found) == 0 && (uint32_t)found == number) {
            return item;
        }
    }
    return NULL;
}

/* What the old result has in the place of `row`; NULL: nothing. A slot is the same only with the same program. */
static const cJSON *old_row(const cJSON *bench, const struct measured_row *row)
{
    const cJSON *at = json_member(bench, "round");
    const char *program;

    if (row->level != MEASURED_ROUND) {
        at = with_number(json_member(bench, "ranks"), "rank", row->rank);
    }
    if (row->level == MEASURED_SLOT) {
        at = with_number(json_member(at, "slots"), "slot", row->slot);
        program = json_text_of(at, "program");
        at = program && strcmp(program, row->program) == 0 ? at : NULL;
    }
    return json_member(at, row->metric);
}

/* Of a row's statistics those that a comparison needs. */
static int read_summary(const struct json_source *src, const cJSON *item, struct series_summary *s)
{
    const cJSON *bounds = json_member(item, "median_95");

    *s = (struct series_summary){0};
    if (json_get_number(src, item, "median", &s->median) < 0) {
        return -1;
    }
    s->interval = (struct series_interval){.low = s->median, .high = s->median};
    if (bounds && !json_is_null(bounds)) {
        if (json_get_number(src, bounds->child, NULL, &s->interval.low) < 0 ||
            json_get_number(src, bounds->child ? bounds->child->next : NULL, NULL, &s->interval.high) < 0) {
            return -1;
        }
        s->interval.known = true;
    }
    if (!(s->interval.low > 0 && s->interval.low <= s->median && s->median <= s->interval.high &&
          isfinite(s->interval.high))) {
        return json_fail(src, item, "median", "no time between the bounds of \"median_95\"");
    }
    return 0;
}

/* --- the comparison --------------------------------------------------------------- */

static void print_finding(FILE *f, const struct measured_row *row, const struct series_difference *d)
{
    static const char *const findings[] = {[SERIES_NO_DIFFERENCE] = "no difference",
                                           [SERIES_LESS] = "faster",
                                           [SERIES_GREATER] = "slower",
                                           [SERIES_UNKNOWN] = "too few rounds to say"};
    char label[MEASURED_LABEL_SIZE];

    measured_label(row->level, row->metric, row->rank, row->slot, row->program, label);
    fprintf(f, "  %-40s %+7.2f %%  (95 %%: %+.2f..%+.2f %%)  %s\n", label, d->ratio * 100, d->interval.low * 100,
            d->interval.high * 100, findings[d->finding]);
}

static bool is_compared(const struct measured_row *row)
{
    return strcmp(row->metric, samples_metric_names[SAMPLES_EFFECTIVE]) == 0 || strcmp(row->metric, "union") == 0;
}

static int compare(FILE *f, const struct measured *m, const struct json_source *src, const cJSON *bench)
{
    for (uint32_t i = 0; i < m->nrow; i++) {
        const struct measured_row *row = &m->rows[i];
        const cJSON *old = is_compared(row) ? old_row(bench, row) : NULL;
        struct series_summary before;
        struct series_difference d;

        if (!old || !(row->summary.interval.low > 0)) {
            continue;
        }
        if (read_summary(src, old, &before) < 0) {
            return -1;
        }
        series_compare_apart(&before, &row->summary, &d);
        print_finding(f, row, &d);
    }
    return 0;
}

int measured_print_baseline(FILE *f, const struct measured *m, const char *path, struct error *err)
{
    struct json_source src = {.file = path, .hint = "give a file that `l3replay bench --result` wrote", .err = err};
    cJSON *root = json_read(&src, MOST_BYTES);
    const cJSON *bench;
    int rc = -1;

    if (root && json_get_object(&src, root, "bench", &bench) == 0) {
        fprintf(f, "against %s:\n", path);
        rc = compare(f, m, &src, bench);
    }
    cJSON_Delete(root);
    if (rc < 0) {
        err->kind = ERROR_USAGE;
    }
    return rc;
}
