/*
 * peers - the other processes of the job, as process 0 watches them: which one has ended, although none may.
 *
 * A process that is killed sends no message, and mpirun ends the others some time later with a signal that says nothing
 * of it.
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_PEERS_H
#define L3R_ORCHESTRATOR_MESSAGES_PEERS_H

#include "common/base/error.h"
#include "orchestrator/messages/mpi_job.h"

struct peers;

/* All processes of the job call it at the same time. `*out` is NULL in all but process 0, and in a job of one. A kernel
 * of the host without pidfds watches none. */
int peers_open(struct peers **out, const struct mpi_job *job, struct error *err);

/* The rank of one that has ended, or 0: all live. NULL: 0. */
int peers_ended(const struct peers *peers);

/* INFRA: that one has been killed, or has crashed. Returns -1. */
int peers_blame(const struct peers *peers, int rank, struct error *err);

void peers_close(struct peers *peers);

#endif
