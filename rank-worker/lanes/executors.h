/*
 * executors - the children of one MPI process in which its cards' lanes run.
 *
 * Life of one: started -> (its lane's status in the segment moves) -> exited.
 * A child dies with its parent, and everything it prints is relayed to the
 * parent's stderr, a line at a time, with the card in front; the last lines
 * are kept to be shown beside a crash.
 *
 * The caller waits: it polls the descriptors of executors_poll() and SIGCHLD,
 * and calls executors_service() and executors_reap(), which do not block.
 * Starting takes as long as the processes do; killing (and freeing what lives)
 * takes up to half a second, as executors_kill() says.
 */
#ifndef L3R_RANK_WORKER_LANES_EXECUTORS_H
#define L3R_RANK_WORKER_LANES_EXECUTORS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/segment/segment.h"

struct executor_lane {
    uint32_t lane;
    int device_id;
    int ncores;          /* host cores it may keep busy */
    const char *dfx_dir; /* for its profiles; NULL: the segment's */
};

/* NULL stands for none, in every function below. */
struct executors;

/* Start one child for each of `lanes`. $L3REPLAY_EXECUTOR names the binary, else the one that was installed
 * or built with this program. On failure no child is left. */
int executors_start(struct executors **out, struct segment *seg, const struct executor_lane *lanes, uint32_t count,
                    struct error *err);

/* Fill `fds` (room for one a lane) with what to poll for; returns how many. */
nfds_t executors_poll(const struct executors *e, struct pollfd *fds);

/* Relay what the children printed. */
void executors_service(struct executors *e);

/* Collect children that ended. Returns how many still live. The first one that did not walk its lane to the
 * end sets `*failed` and fills `err` (kind FAIL when its kernel is to blame, INFRA else); once only. */
uint32_t executors_reap(struct executors *e, bool *failed, struct error *err);

/* Kill every child and collect it; returns when all are gone (SIGKILL cannot be refused). One that is writing the
 * profiles of a node that is complete is left half a second for it. */
void executors_kill(struct executors *e);

void executors_free(struct executors *e); /* kills what lives */

#endif
