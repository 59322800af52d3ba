/*
 * measured - what the rounds of a replay say, in every form that is given to users.
 *
 * A row is a metric of a whole round, of a rank or of a slot (samples.h), with its statistics and all its samples in
 * microseconds. Of a whole round there are "effective", "device" and "host" of its slowest rank, "fastest" (effective of its
 * fastest rank), "union" and "start_skew".
 */
#ifndef L3R_ORCHESTRATOR_BENCH_MEASURED_H
#define L3R_ORCHESTRATOR_BENCH_MEASURED_H

#include <stdio.h>

#include "common/base/json_write.h"
#include "orchestrator/bench/samples.h"
#include "orchestrator/measure/series.h"

enum measured_level { MEASURED_ROUND = 0, MEASURED_RANK, MEASURED_SLOT };

struct measured_row {
    enum measured_level level;
    uint32_t rank, slot;
    const char *program; /* of a slot */
    const char *metric;  /* constant */
    double *values;      /* microseconds, by round */
    struct series_summary summary;
};

struct measured {
    struct samples samples;
    uint64_t copied; /* bytes that are put back before each round */
    uint32_t nrow;
    struct measured_row *rows; /* of the round; then of each rank, followed by those of its slots */
};

/* Of a replay whose times are settled; the segment must stay. To be freed with measured_free(). */
int measured_take(struct measured **out, const struct segment *seg, const struct rounds *rounds, struct error *err);
void measured_free(struct measured *m); /* NULL is fine */

/* A table for people, in microseconds: of ranks and slots the effective times; with `raw` all rows, with all samples. */
void measured_print(FILE *f, const struct measured *m, bool raw);

/* The lines that scripts of the stack look for (docs/formats.md, "Lines of measurements"); `l3`: a build of several cards. */
void measured_print_lines(FILE *f, const struct measured *m, const char *build, bool l3);

/* As key "bench" of the result file (measured_json.c). */
void measured_put_json(struct json_writer *w, cJSON *root, const struct measured *m);

/* A line for each dispatch of each round, with a head. The file appears whole. */
int measured_save_csv(const struct measured *m, const char *path, struct error *err);

/* Compare effective and union times with those of a result file, and print what is faster or slower. -1 with `err` (usage)
 * when the file cannot be read, or is no result of a bench (baseline.c). */
int measured_print_baseline(FILE *f, const struct measured *m, const char *path, struct error *err);

/* How a row is called in tables: "union", "rank 1", "  slot 2 (chip_orch)". `program` is of a slot. */
enum { MEASURED_LABEL_SIZE = 128 };
void measured_label(enum measured_level level, const char *metric, uint32_t rank, uint32_t slot, const char *program,
                    char label[MEASURED_LABEL_SIZE]);

#endif
