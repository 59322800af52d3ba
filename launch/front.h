/*
 * front - l3replay started without mpirun starts its job itself.
 *
 * The front does no work of its own: it runs this program again, by mpirun in several processes or directly in one
 * that needs no MPI, passes the output on, and makes sure that there is one result marker, that the exit code agrees
 * with it, and that nothing stays behind, however the job ends.
 * Facts about mpirun that it relies on: docs/formats.md, "Starting mpirun".
 */
#ifndef L3R_LAUNCH_FRONT_H
#define L3R_LAUNCH_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

/* Whether this process was started as one of an MPI job (mpirun, srun with PMI). */
bool launch_under_mpi(void);

/* Rank in that job according to the environment, before MPI_Init; 0 when there is none. */
int launch_rank(void);

/* Have a `run` that this process starts take itself for the only process of its job, which somebody watches: its parent must
 * print the marker when it cannot. */
int launch_mark_alone(struct error *err);

/* Whether this process was started by a front as the only one of its job, which needs no MPI. To be asked once. `*begun_ns`:
 * when the front began (clock_now_ns()), else now. */
bool launch_is_alone(uint64_t *begun_ns);

/* Run "<this program> argv[0] ... argv[argc - 1]" in `nproc` processes that mpirun starts; 0: in one process, without
 * mpirun and MPI. argv[0] is the command's name. Returns
 * the exit code: 0 PASS, 1 FAIL, 3 INFRA by the markers that were printed (the worst of several: FAIL, then
 * INFRA), 2 when the job ended with 2 and no marker (usage). When there was no marker at all, it prints
 * PYPTO_EXEC_RESULT=INFRA. SIGINT, SIGTERM and SIGHUP are passed on; what does not end within 4 s of the
 * first one (2 s when there is a second, at once on a third) is killed. So is an mpirun that has started no process of the job
 * within `start_timeout` seconds (0: no limit).
 *
 * mpirun is $L3REPLAY_MPIRUN, else found on PATH. Call it before threads are made and MPI is initialised. */
int launch_self(int nproc, double start_timeout, int argc, char **argv);

#endif
