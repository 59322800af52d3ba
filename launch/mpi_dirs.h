/*
 * mpi_dirs - directories of the front for what Open MPI leaves in $TMPDIR and /dev/shm.
 *
 * Open MPI removes its session directory and the segments of its shared memory when it ends well. A killed mpirun, or one
 * that gets a second signal, does not. So both go to directories of the front, which removes them whatever happened;
 * what a killed front leaves, the next one of the same user removes.
 */
#ifndef L3R_LAUNCH_MPI_DIRS_H
#define L3R_LAUNCH_MPI_DIRS_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/private_dir.h"

struct mpi_dirs {
    struct private_dir session;  /* in $TMPDIR; none where it cannot be made: mpirun then says why, or needs none */
    struct private_dir segments; /* in /dev/shm; none where it has no room for `nproc` processes */
    char *started;               /* a file that appears when a process of the job begins; NULL: nobody can know */
};

#define MPI_DIRS_NONE {.session = PRIVATE_DIR_NONE, .segments = PRIVATE_DIR_NONE}

/* Make them, and set the environment of mpirun: what the user has set there stays. */
int mpi_dirs_open(struct mpi_dirs *d, int nproc, struct error *err);

/* Has a process of the job begun? True also where nobody can know. */
bool mpi_dirs_is_started(const struct mpi_dirs *d);

/* In a process of the job: say so. Does nothing in a job that no front started. */
void mpi_dirs_report_start(void);

void mpi_dirs_close(struct mpi_dirs *d);

#endif
