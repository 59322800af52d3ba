/*
 * run - a replay from MPI_Init to the marker.
 */
#ifndef L3R_ORCHESTRATOR_JOB_RUN_H
#define L3R_ORCHESTRATOR_JOB_RUN_H

#include "orchestrator/prepare/options.h"

/* Replay. Called in every process of the job, with its command line for MPI and signals taken (interrupt.h). Returns the
 * exit code. */
int run_replay(const struct run_options *options, int argc, char **argv);

#endif
