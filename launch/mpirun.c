#include "launch/mpirun.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/executable.h"

enum { PATH_SIZE = 4096, NUMBER_SIZE = 16 };

static const char *const always[] = {"--oversubscribe", /* cards are not cores */
                                     "--bind-to",
                                     "none", /* executors are placed by topology/, and compiling wants all cores */
                                     "--mca",
                                     "mpi_yield_when_idle",
                                     "1"};

/* Half of a start's 0.5 s is spent looking for networks and other hosts. */
static const char *const one_host[] = {"--mca", "btl", "self,vader", "--mca", "pml", "ob1", "--mca", "plm", "isolated",
                                       /* needs a ptrace permission that containers lack, and warns then */
                                       "--mca", "btl_vader_single_copy_mechanism", "none"};

enum { NALWAYS = sizeof always / sizeof *always, NONE_HOST = sizeof one_host / sizeof *one_host };

static int find_mpirun(char **path, struct error *err)
{
    static const char hint[] = "install the package openmpi-bin, or set L3REPLAY_MPIRUN to an mpirun";
    const char *given = getenv("L3REPLAY_MPIRUN");

    if (given && *given) {
        return executable_need(given, "L3REPLAY_MPIRUN", hint, path, err);
    }
    return executable_need("mpirun", "PATH", hint, path, err);
}

/* A Slurm allocation of several nodes is left to Open MPI to use. */
static bool is_one_host(void)
{
    const char *nodes = getenv("SLURM_JOB_NUM_NODES");

    return !nodes || atoi(nodes) <= 1;
}

char **mpirun_command(int nproc, const char *exe, int argc, char **argv, struct error *err)
{
    size_t count = 3 + NALWAYS + NONE_HOST + 1 + (size_t)argc + 1;
    size_t nbytes, n = 0;
    char **command, *number, *found;

    if (find_mpirun(&found, err) < 0) {
        return NULL;
    }
    nbytes = count * sizeof(char *) + NUMBER_SIZE + strlen(found) + 1;
    command = malloc(nbytes);
    if (!command) {
        error_nomem(err, "mpirun", nbytes);
        free(found);
        return NULL;
    }
    number = (char *)(command + count);
    snprintf(number, NUMBER_SIZE, "%d", nproc);
    command[n++] = memcpy(number + NUMBER_SIZE, found, strlen(found) + 1);
    free(found);
    command[n++] = (char *)(size_t)"-np";
    command[n++] = number;
    for (size_t i = 0; i < NALWAYS; i++) {
        command[n++] = (char *)(size_t)always[i];
    }
    for (size_t i = 0; is_one_host() && i < NONE_HOST; i++) {
        command[n++] = (char *)(size_t)one_host[i];
    }
    command[n++] = (char *)(size_t)exe;
    for (int i = 0; i < argc; i++) {
        command[n++] = argv[i];
    }
    command[n] = NULL;
    return command;
}

int mpirun_environment(struct error *err)
{
    if (geteuid() != 0) {
        return 0;
    }
    if (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0) < 0 || setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0) < 0) {
        return error_nomem(err, "environment", 1);
    }
    return 0;
}

/* Root may write anywhere but where nothing can be made (/proc), so try. */
static bool can_make_files(void)
{
    const char *dir = getenv("TMPDIR");
    char path[PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s/l3replay-XXXXXX", dir && *dir ? dir : "/tmp");

    if (n >= (int)sizeof path || !mkdtemp(path)) {
        return false;
    }
    rmdir(path);
    return true;
}

const char *mpirun_hint(void)
{
    char path[PATH_SIZE];

    if (!getcwd(path, sizeof path) && errno == ENOENT) {
        return "the current directory was deleted: change to one that exists";
    }
    if (!can_make_files()) {
        return "mpirun can make no files in TMPDIR (/tmp when not set): name a directory that exists, can be written "
               "and has space";
    }
    return "look at the messages above; when there are none, see whether this mpirun is one of Open MPI and runs other "
           "programs (mpirun -np 2 hostname), or set L3REPLAY_MPIRUN to another";
}
