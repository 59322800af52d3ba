/*
 * bench_startup - the whole command beside an empty MPI program of as many
 * processes, and the time from the end of MPI_Init to the first dispatch, when
 * the binaries exist. Pairs are run in turn, so that a slow moment hits both.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "tests/bench/build_writer.h"

enum { RUNS = 9 };

static char *const mpirun_head[] = {"mpirun", "--oversubscribe",     "--bind-to", "none",
                                    "--mca",  "mpi_yield_when_idle", "1",         "--mca",
                                    "btl",    "self,vader",          "-np"};
enum { HEAD = sizeof mpirun_head / sizeof *mpirun_head };

static int mpirun(const char *processes, char *const tail[], struct usage *usage)
{
    char *argv[HEAD + 16];
    int n = 0;

    for (int i = 0; i < HEAD; i++) {
        argv[n++] = mpirun_head[i];
    }
    argv[n++] = (char *)(uintptr_t)processes;
    for (int i = 0; tail[i]; i++) {
        argv[n++] = tail[i];
    }
    argv[n] = NULL;
    return command_run(argv, 0, usage);
}

static double to_first_dispatch(const char *file)
{
    char *text = NULL;
    size_t size = 0;
    struct error err;
    double seconds = 0;
    cJSON *json, *item;

    text = file_read(file, (size_t)1 << 30, &size, &err);
    if (!text) {
        return 0;
    }
    json = cJSON_Parse(text);
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "phases")) {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(item, "name"));

        if (name && strcmp(name, "mpi init to first dispatch") == 0) {
            seconds = cJSON_GetNumberValue(cJSON_GetObjectItem(item, "seconds"));
        }
    }
    cJSON_Delete(json);
    free(text);
    return seconds;
}

static int measure(const char *processes, const char *dir, const char *result)
{
    char program[4096], empty[4096];
    char *replay[] = {program, "run", (char *)(uintptr_t)dir, "--result", (char *)(uintptr_t)result, NULL};
    char *nothing[] = {empty, NULL};
    double whole[RUNS], bare[RUNS], more[RUNS], first[RUNS];
    struct usage usage;

    tree_path("orchestrator/l3replay", program, sizeof program);
    tree_path("tests/mpi_empty", empty, sizeof empty);
    if (mpirun(processes, replay, &usage) != 0) {
        return 1;
    }
    for (int i = 0; i < RUNS; i++) {
        if (mpirun(processes, nothing, &usage) != 0) {
            return 1;
        }
        bare[i] = usage.wall;
        if (mpirun(processes, replay, &usage) != 0) {
            return 1;
        }
        whole[i] = usage.wall;
        more[i] = whole[i] - bare[i];
        first[i] = to_first_dispatch(result);
    }
    printf("%9s %12.3f %12.3f %12.3f %14.3f\n", processes, quantile(bare, RUNS, 0.5), quantile(whole, RUNS, 0.5),
           quantile(more, RUNS, 0.5), quantile(first, RUNS, 0.5));
    return 0;
}

int main(void)
{
    static const char *const processes[] = {"1", "2", "4"};
    char dir[] = "/tmp/l3replay-bench-XXXXXX", result[64], command[128];
    int rc = 0;

    if (!mkdtemp(dir)) {
        return 1;
    }
    if (geteuid() == 0) {
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    snprintf(result, sizeof result, "%s.json", dir);
    build_write(dir, BENCH_CARDS, 4, 2);
    printf("%9s %12s %12s %12s %14s   (medians of %d, seconds)\n", "processes", "empty MPI", "l3replay run",
           "difference", "init to first", RUNS);
    for (size_t i = 0; i < sizeof processes / sizeof *processes; i++) {
        rc |= measure(processes[i], dir, result);
    }
    snprintf(command, sizeof command, "rm -rf %s %s", dir, result);
    return system(command) || rc;
}
