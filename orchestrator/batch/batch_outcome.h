/*
 * batch_outcome - what became of the entries of a batch: kept, and written as JSON and as JUnit XML for CI.
 *
 * Formats: docs/formats.md, "Batch summary".
 */
#ifndef L3R_ORCHESTRATOR_BATCH_BATCH_OUTCOME_H
#define L3R_ORCHESTRATOR_BATCH_BATCH_OUTCOME_H

#include <stdbool.h>

#include "orchestrator/batch/manifest.h"

enum batch_verdict { BATCH_NOT_RUN = 0, BATCH_PASS, BATCH_FAIL, BATCH_INFRA, BATCH_VERDICTS };

struct batch_outcome {
    enum batch_verdict verdict;
    double seconds;
    int device;         /* of a PASS; -1: not known */
    bool earlier;       /* of the batch that this one continues */
    struct error error; /* where the verdict is not PASS; `what` may be "" */
};

/* "PASS", ...; "" of BATCH_NOT_RUN. */
const char *batch_verdict_name(enum batch_verdict v);

/* The verdict of that name; BATCH_NOT_RUN: there is none. */
enum batch_verdict batch_verdict_of(const char *name);

/* How many of `n` outcomes have a verdict. */
size_t batch_count(const struct batch_outcome *outcomes, size_t n, enum batch_verdict v);

/* Write the summary of all entries of `m`, whole or not at all. -1 with `err`. */
int batch_write_json(const char *path, const struct manifest *m, const struct batch_outcome *outcomes,
                     struct error *err);
int batch_write_junit(const char *path, const struct manifest *m, const struct batch_outcome *outcomes,
                      struct error *err);

#endif
