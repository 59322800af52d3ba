/*
 * postmortem - what the end of an executor means for the verdict.
 */
#ifndef L3R_RANK_WORKER_LANES_POSTMORTEM_H
#define L3R_RANK_WORKER_LANES_POSTMORTEM_H

#include "common/base/error.h"
#include "common/segment/segment.h"

/* `status` is from waitpid(). Returns 0 when the lane was walked to its end. Else fills `err`, naming what
 * ran where, and returns -1: kind FAIL when a kernel was running and ended the process itself; INFRA when
 * nothing had started, or when somebody else killed it (SIGKILL, SIGTERM, ...). */
int postmortem(const struct segment *seg, uint32_t lane, int status, struct error *err);

#endif
