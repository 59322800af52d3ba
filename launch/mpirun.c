#include "launch/mpirun.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, NUMBER_SIZE = 16 };

static const char mend[] = "install the package openmpi-bin, or set L3REPLAY_MPIRUN to an mpirun";

static const char *const always[] = {
    "--oversubscribe", /* cards are not cores */
    "--bind-to",       "none", /* executors are placed by topology/, and compiling wants all cores */
    "-q",              /* no second opinion on how a process ended */
    "--mca",           "mpi_yield_when_idle", "1"};

/* Half of a start's 0.5 s is spent looking for networks and other hosts. */
static const char *const one_host[] = {"--mca", "btl", "self,vader", "--mca", "pml", "ob1", "--mca", "plm", "isolated",
                                       /* needs a ptrace permission that containers lack, and warns then */
                                       "--mca", "btl_vader_single_copy_mechanism", "none"};

enum { NALWAYS = sizeof always / sizeof *always, NONE_HOST = sizeof one_host / sizeof *one_host };

static bool is_program(const char *path)
{
    struct stat st;

    return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int find_mpirun(char *buf, size_t size, struct error *err)
{
    const char *given = getenv("L3REPLAY_MPIRUN"), *path = getenv("PATH"), *next;

    if (given && strchr(given, '/')) {
        snprintf(buf, size, "%s", given);
        return is_program(buf) ? 0 : error_set(err, "L3REPLAY_MPIRUN", mend, "%s cannot be executed", given);
    }
    given = given && *given ? given : "mpirun";
    for (; path && *path; path = *next ? next + 1 : next) {
        next = strchrnul(path, ':');
        snprintf(buf, size, "%.*s/%s", (int)(next - path), path, given);
        if (next > path && is_program(buf))
            return 0;
    }
    return error_set(err, "PATH", mend, "%s is not there", given);
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
    size_t nbytes = count * sizeof(char *) + PATH_SIZE + NUMBER_SIZE;
    char **command = malloc(nbytes);
    size_t n = 0;

    if (!command) {
        error_nomem(err, "mpirun", nbytes);
        return NULL;
    }
    char *program = (char *)(command + count), *number = program + PATH_SIZE;
    if (find_mpirun(program, PATH_SIZE, err) < 0) {
        free(command);
        return NULL;
    }
    snprintf(number, NUMBER_SIZE, "%d", nproc);
    command[n++] = program;
    command[n++] = (char *)(size_t)"-np";
    command[n++] = number;
    for (size_t i = 0; i < NALWAYS; i++)
        command[n++] = (char *)(size_t)always[i];
    for (size_t i = 0; is_one_host() && i < NONE_HOST; i++)
        command[n++] = (char *)(size_t)one_host[i];
    command[n++] = (char *)(size_t)exe;
    for (int i = 0; i < argc; i++)
        command[n++] = argv[i];
    command[n] = NULL;
    return command;
}

int mpirun_environment(struct error *err)
{
    if (geteuid() != 0)
        return 0;
    if (setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0) < 0 || setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0) < 0)
        return error_nomem(err, "environment", 1);
    return 0;
}

/* Root may write anywhere but where nothing can be made (/proc), so try. */
static bool can_make_files(void)
{
    const char *dir = getenv("TMPDIR");
    char path[PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s/l3replay-XXXXXX", dir && *dir ? dir : "/tmp");

    if (n >= (int)sizeof path || !mkdtemp(path))
        return false;
    rmdir(path);
    return true;
}

const char *mpirun_mend(void)
{
    char path[PATH_SIZE];

    if (!getcwd(path, sizeof path) && errno == ENOENT)
        return "the current directory was deleted: change to one that exists";
    if (!can_make_files())
        return "mpirun can make no files in TMPDIR (/tmp when not set): name a directory that exists, can be written "
               "and has space";
    return "look at the messages above; when there are none, see whether this mpirun is one of Open MPI and runs other "
           "programs (mpirun -np 2 hostname), or set L3REPLAY_MPIRUN to another";
}
