#include <inttypes.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/bench/measured.h"

enum { LABEL = 40 };

/* --- the table ---------------------------------------------------------------- */

static bool is_effective(const struct measured_row *row)
{
    return strcmp(row->metric, samples_metric_names[SAMPLES_EFFECTIVE]) == 0;
}

static void label_of(const struct measured_row *row, char *buf, size_t size)
{
    static const char *const of_round[][2] = {{"effective", "effective, slowest rank"},
                                              {"device", "device, slowest rank"},
                                              {"host", "host, slowest rank"},
                                              {"fastest", "effective, fastest rank"},
                                              {"union", "union"},
                                              {"start_skew", "start skew"}};

    if (row->level == MEASURED_RANK) {
        snprintf(buf, size, "rank %u %s", row->rank, row->metric);
        return;
    }
    if (row->level == MEASURED_SLOT) {
        snprintf(buf, size, "  slot %u %s (%s)", row->slot, row->metric, row->program);
        return;
    }
    for (size_t i = 0; i < sizeof of_round / sizeof *of_round; i++) {
        if (strcmp(of_round[i][0], row->metric) == 0) {
            snprintf(buf, size, "%s", of_round[i][1]);
        }
    }
}

static void print_row(FILE *f, const struct measured *m, const struct measured_row *row, bool raw)
{
    const struct series_summary *s = &row->summary;
    char label[256] = "", interval[64] = "-";

    label_of(row, label, sizeof label);
    if (s->interval.known) {
        snprintf(interval, sizeof interval, "%.2f..%.2f", s->interval.low, s->interval.high);
    }
    fprintf(f, "  %-*s %11.2f %11.2f %22s %11.2f %11.2f %11.2f\n", LABEL, label, s->min, s->median, interval, s->mean,
            s->p95, s->max);
    for (uint32_t i = 0; raw && i < m->samples.count; i++) {
        fprintf(f, "%s%.3f%s", i ? " " : "    ", row->values[i], i + 1 == m->samples.count ? "\n" : "");
    }
}

static void print_head(FILE *f, const struct measured *m)
{
    const struct rounds_options *o = &m->samples.options;

    fprintf(f, "%u round%s after %u that %s not counted", m->samples.count, m->samples.count == 1 ? "" : "s", o->warmup,
            o->warmup == 1 ? "is" : "are");
    if (m->samples.dropped) {
        fprintf(f, "; %u dropped, in which a rank has no time", m->samples.dropped);
    }
    if (m->copied) {
        fprintf(f, "; %" PRIu64 " bytes put back before each", m->copied);
    }
    fprintf(f, "\n  %-*s %11s %11s %22s %11s %11s %11s\n", LABEL, "microseconds", "min", "median", "95 % of the median",
            "mean", "p95", "max");
}

void measured_print(FILE *f, const struct measured *m, bool raw)
{
    print_head(f, m);
    for (uint32_t i = 0; i < m->nrow; i++) {
        const struct measured_row *row = &m->rows[i];

        if (raw || row->level == MEASURED_ROUND || is_effective(row)) {
            print_row(f, m, row, raw);
        }
    }
}

/* --- lines for scripts ---------------------------------------------------------- */

static const struct measured_row *find(const struct measured *m, const char *metric)
{
    for (uint32_t i = 0; i < m->nrow; i++) {
        if (m->rows[i].level == MEASURED_ROUND && strcmp(m->rows[i].metric, metric) == 0) {
            return &m->rows[i];
        }
    }
    return NULL;
}

static void print_numbers(FILE *f, const struct series_summary *s)
{
    fprintf(f, " min=%.1f median=%.1f mean=%.1f max=%.1f\n", s->min, s->median, s->mean, s->max);
}

void measured_print_lines(FILE *f, const struct measured *m, const char *build, bool l3)
{
    const struct measured_row *whole_union = find(m, "union"), *host = find(m, "host");

    for (uint32_t i = 0; i < m->nrow; i++) {
        const struct measured_row *row = &m->rows[i];

        if (!is_effective(row)) {
            continue;
        }
        switch (row->level) {
        case MEASURED_ROUND:
            fprintf(f, "[RUN]   effective_us (%u rounds)", m->samples.count);
            break;
        case MEASURED_RANK:
            fprintf(f, "[RUN]     rank %u: eff_us", row->rank);
            break;
        default:
            fprintf(f, "[RUN]       slot %u (%s): eff_us", row->slot, row->program);
        }
        print_numbers(f, &row->summary);
    }
    fprintf(f, "[RUN] benchmark kernel=%s l3=%d rounds=%u ranks=%u host_union_mean_us=%.1f host_mean_us=%.1f\n", build,
            l3, m->samples.count, m->samples.nrank, whole_union->summary.mean, host->summary.mean);
}

/* --- CSV -------------------------------------------------------------------------- */

static void write_csv(FILE *f, const struct measured *m)
{
    const struct samples *s = &m->samples;

    fputs("round,rank,slot,program,start_us,host_us,device_us,effective_us\n", f);
    for (uint32_t r = 0; r < s->count; r++) {
        for (uint32_t i = 0; i < s->nslot; i++) {
            fprintf(f, "%u,%u,%u,\"%s\",%.3f,%.3f,%.3f,%.3f\n", s->round[r], s->slots[i].rank, s->slots[i].slot,
                    s->slots[i].program, s->starts[(size_t)i * s->options.count + r] / 1e3,
                    samples_of_slot(s, SAMPLES_HOST, i)[r] / 1e3, samples_of_slot(s, SAMPLES_DEVICE, i)[r] / 1e3,
                    samples_of_slot(s, SAMPLES_EFFECTIVE, i)[r] / 1e3);
        }
    }
}

int measured_save_csv(const struct measured *m, const char *path, struct error *err)
{
    struct file_writer w;

    if (file_write_begin(&w, path, err) < 0) {
        return -1;
    }
    write_csv(w.stream, m);
    return file_write_commit(&w, err);
}

void measured_label(enum measured_level level, const char *metric, uint32_t rank, uint32_t slot, const char *program,
                    char label[MEASURED_LABEL_SIZE])
{
    if (level == MEASURED_ROUND) {
        snprintf(label, MEASURED_LABEL_SIZE, "%s", metric);
    } else if (level == MEASURED_RANK) {
        snprintf(label, MEASURED_LABEL_SIZE, "rank %u", rank);
    } else {
        snprintf(label, MEASURED_LABEL_SIZE, "  slot %u (%.80s)", slot, program);
    }
}
