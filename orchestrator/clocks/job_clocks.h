/*
 * job_clocks - the clocks of the job's processes, in terms of process 0's.
 *
 * Two processes have one clock when they run on one boot of a kernel and in one time namespace: then nothing is
 * measured, and times are compared as they are. Of every other clock, the first process that runs lanes is measured,
 * before the executors start and after they are gone; the other processes of that clock use its map
 * (common/segment/clock_map.h).
 *
 * A clock that cannot be measured ends no run: a warning says so, and the record of the run says which lanes it concerns.
 */
#ifndef L3R_ORCHESTRATOR_CLOCKS_JOB_CLOCKS_H
#define L3R_ORCHESTRATOR_CLOCKS_JOB_CLOCKS_H

#include "common/segment/segment.h"
#include "orchestrator/messages/mpi_job.h"
#include "orchestrator/messages/order.h"
#include "orchestrator/profiles/run_clocks.h"

/* What a process says about its clock. */
struct job_clock_identity {
    uint32_t round;                 /* of job_clocks_measure() */
    char identity[ORDER_CLOCK_MAX]; /* equal for two processes exactly when their clocks are one */
    char host[RUN_CLOCK_HOST_MAX];
};

/* Asked by process 0, and the answer. */
struct job_clocks_message {
    uint32_t round;
    int32_t number; /* within the round; -1: there are no more */
    uint64_t stamp_ns;
};

struct job_clocks_process {
    struct job_clock_identity own; /* identity "": it has not answered yet */
    bool deaf;                     /* a message to it is under way for too long: `out` belongs to MPI */
    struct job_clocks_message out;
    struct clock_point points[2]; /* the first measurement and the last */
    uint32_t npoint;
};

/* Process 0 only. */
struct job_clocks {
    uint32_t size, world_size; /* processes, cards */
    uint32_t round;
    uint64_t begun_ns;                    /* no executor ran before; process 0's clock */
    struct job_clocks_process *processes; /* size */
    struct run_clocks result;             /* of job_clocks_settle() */
};

/* To be freed with job_clocks_free() in every case. */
int job_clocks_open(struct job_clocks *clocks, const struct mpi_job *job, const struct plan *plan, struct error *err);

/* Measure every clock that is not process 0's. The others follow with job_clocks_answer(). In a job of one clock,
 * nothing but the identities is exchanged, once. Takes no longer than ten seconds, whether all answer or not; a warning
 * names the process. -1 only when the order itself could not be given. */
int job_clocks_measure(struct job_clocks *clocks, const struct mpi_job *job, struct error *err);

/* The other processes, on ORDER_CLOCKS. */
int job_clocks_answer(const struct mpi_job *job, const struct order *order, struct error *err);

/* The clock of a lane's process as it is known now. `clocks` may be NULL: all is one clock. */
struct clock_map job_clocks_lane_map(const struct job_clocks *clocks, uint32_t lane);

/* After the run: make seg->times, the times of all nodes on process 0's clock, and `result`. They are copies, since
 * executors that outlive an interrupt go on to write theirs; what cannot be a time counts as not run. Calling it again
 * starts from the executors' times anew. */
int job_clocks_settle(struct job_clocks *clocks, struct segment *seg, struct error *err);

/* After MPI_Finalize: a message to a process that hangs may lie here. A zeroed struct is fine. */
void job_clocks_free(struct job_clocks *clocks);

/* The process that is measured for the clock of `process`: itself, or an earlier one of the same clock. */
uint32_t job_clocks_leader(const struct job_clocks *clocks, uint32_t process);

/* What this process says about its clock. */
void job_clocks_identify(struct job_clock_identity *own);

#endif
