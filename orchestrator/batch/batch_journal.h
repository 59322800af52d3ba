/*
 * batch_journal - which entries of a batch have ended, kept beside the manifest so that an interrupted batch can go on.
 *
 * A line an entry, appended when it has ended (docs/formats.md, "Batch journal"). A line that a killed batch left unfinished
 * does not count. The journal names the manifest's content: of another one nothing is taken.
 */
#ifndef L3R_ORCHESTRATOR_BATCH_BATCH_JOURNAL_H
#define L3R_ORCHESTRATOR_BATCH_BATCH_JOURNAL_H

#include "orchestrator/batch/batch_outcome.h"

struct batch_journal {
    char *path; /* NULL: none is kept */
    int fd;
};

#define BATCH_JOURNAL_NONE {.fd = -1}

/* Read what the journal at `path` says of the entries, into `outcomes` (m->count, zeroed). Returns how many entries from the
 * first on have ended; 0 where there is no journal. -1: it is of another manifest, or damaged. */
long batch_journal_read(const char *path, const struct manifest *m, struct batch_outcome *outcomes, struct error *err);

/* Begin a journal, or go on with that which was read (`resumed`). -1: it cannot be written; the batch can do without. */
int batch_journal_open(struct batch_journal *j, const char *path, const struct manifest *m, bool resumed,
                       struct error *err);

/* Entry `i` has ended. */
int batch_journal_add(struct batch_journal *j, size_t i, const struct batch_outcome *o, struct error *err);

/* Close it; `done`: all entries have ended, and it is removed. */
void batch_journal_close(struct batch_journal *j, bool done);

#endif
