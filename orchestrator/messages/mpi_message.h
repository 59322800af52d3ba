/*
 * mpi_message - one short message from process to process, with a limit for how long it may take.
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_MPI_MESSAGE_H
#define L3R_ORCHESTRATOR_MESSAGES_MPI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Both wait as mpi_call_wait() does (mpi_call.h), until `deadline_ns` of clock_now_ns(), and return -1 with `err` filled
 * when MPI fails or a stop signal waits. */

/* 0: received; 1: nothing came by the deadline, and nothing will be written to `buf` any more. */
int mpi_message_receive(void *buf, size_t nbytes, int from, int tag, uint64_t deadline_ns, bool brisk,
                        struct error *err);

/* 0: `buf` is free again; 1: not by the deadline: it belongs to MPI for good. */
int mpi_message_send(const void *buf, size_t nbytes, int to, int tag, uint64_t deadline_ns, struct error *err);

#endif
