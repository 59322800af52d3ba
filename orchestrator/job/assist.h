/*
 * assist - the other processes of the job take part in compiling.
 *
 * Process 0 sends them the programs; everybody then compiles the same list with the cores it has. What is
 * compiled by whom is settled by the store: a source is compiled by the process that takes its lock first, and the others
 * find the object there. So fast processes do more, and nothing is compiled twice.
 */
#ifndef L3R_ORCHESTRATOR_JOB_ASSIST_H
#define L3R_ORCHESTRATOR_JOB_ASSIST_H

#include <stdbool.h>

#include "common/plan/program_table.h"
#include "orchestrator/messages/mpi_job.h"
#include "orchestrator/messages/order.h"
#include "orchestrator/prepare/fresh.h"

/* Process 0: order the others to compile the needed programs, as `fresh` says of compilers (limit, ccache). */
int assist_offer(const struct mpi_job *job, const char *platform, const struct program_table *programs,
                 const bool *needed, const struct fresh_options *fresh, struct error *err);

/* The others, after an ORDER_COMPILE: receive the programs and compile until all are done. Sources that
 * do not compile are left to process 0, which reports errors. */
int assist_take(const struct mpi_job *job, const struct order *order, struct error *err);

#endif
