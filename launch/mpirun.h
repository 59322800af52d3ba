/*
 * mpirun - which one, and its command line for a job on this host.
 */
#ifndef L3R_LAUNCH_MPIRUN_H
#define L3R_LAUNCH_MPIRUN_H

#include "common/base/error.h"

/* The NULL-terminated command that runs "<exe> argv..." in nproc processes, one malloc'd block to be freed. Its
 * strings are those given, or constants, or inside the block. NULL with `err` filled when there is no mpirun. */
char **mpirun_command(int nproc, const char *exe, int argc, char **argv, struct error *err);

/* Set what mpirun wants in the environment when root starts it. */
int mpirun_environment(struct error *err);

/* What to do when mpirun ended without a result: looks at what it needs here to start a job. */
const char *mpirun_hint(void);

#endif
