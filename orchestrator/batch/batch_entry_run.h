/*
 * batch_entry_run - one entry of a batch as a process, from its start to its verdict.
 */
#ifndef L3R_ORCHESTRATOR_BATCH_BATCH_ENTRY_RUN_H
#define L3R_ORCHESTRATOR_BATCH_BATCH_ENTRY_RUN_H

#include "orchestrator/batch/batch_options.h"
#include "orchestrator/batch/batch_outcome.h"

/* Signals that end a batch, blocked and read from a descriptor while it runs. */
struct batch_signals {
    int fd;    /* signalfd */
    int asked; /* how many were got */
};

/* Replay `e`, passing on what it prints but for its marker; `result_file` is where its result may be written. Fills `out`: what
 * prevents the replay is INFRA. */
void batch_entry_run(const struct batch_entry *e, const struct batch_options *o, const char *result_file,
                     struct batch_signals *signals, struct batch_outcome *out);

#endif
