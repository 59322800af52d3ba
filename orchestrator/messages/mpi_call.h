/*
 * mpi_call - non-blocking MPI calls: waiting for one without burning a core, and its errors. For code that calls MPI itself.
 *
 * Open MPI waits by polling; with more processes than cores that takes the
 * cores from the compilers and kernels that are waited for. So every wait of
 * ours that may be long is a non-blocking call, tested at growing intervals
 * with sleep in between (at most 1 ms: little beside what is waited for).
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_MPI_CALL_H
#define L3R_ORCHESTRATOR_MESSAGES_MPI_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

/* Wait for a request of a non-blocking call, which `call` names. 0: it is complete; 1: it is not by `deadline_ns`
 * (clock_now_ns(); 0: wait for ever) and is still under way. `brisk` polls for the first moment, for answers that come
 * within microseconds and whose time counts. -1 also when a signal waits that is blocked (stop_signals.h): the code that reads
 * signals must get to it. Then too the request is still under way. */
int mpi_call_wait(MPI_Request *request, uint64_t deadline_ns, bool brisk, const char *call, struct error *err);

/* The error of an MPI call that returned `code`. Returns -1. */
int mpi_call_error(struct error *err, int code, const char *call);

#endif
