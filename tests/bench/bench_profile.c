/*
 * bench_profile - what each kind of profile costs a dispatch with one task, on one card: with an empty kernel, and with
 * one of 100 us.
 *
 * "running" is the orchestration and the tasks, in which capture only records; "start to start" also holds the writing
 * of the files. "run" is the whole replay, with old profiles removed and directories made.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "tests/bench/build_writer.h"

enum { DISPATCHES = 2000, ARGUMENTS = 12 };

static double running[DISPATCHES], gaps[DISPATCHES];

static size_t read_times(const char *result_file)
{
    struct error err;
    char *text = file_read(result_file, (size_t)1 << 30, NULL, &err);
    cJSON *json = text ? cJSON_Parse(text) : NULL, *item;
    double before = -1;
    size_t n = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "dispatches")) {
        double start = cJSON_GetNumberValue(cJSON_GetObjectItem(item, "start_ns"));

        if (before >= 0 && n < DISPATCHES) {
            running[n] = (cJSON_GetNumberValue(cJSON_GetObjectItem(item, "orch_ns")) +
                          cJSON_GetNumberValue(cJSON_GetObjectItem(item, "device_ns"))) /
                         1e3;
            gaps[n++] = (start - before) / 1e3;
        }
        before = start;
    }
    cJSON_Delete(json);
    free(text);
    return n;
}

static int measure(const char *dir, const char *name, const char *option, const char *value)
{
    char program[4096], result[64];
    char *argv[ARGUMENTS] = {program,
                             "run",
                             (char *)(uintptr_t)dir,
                             "-n",
                             "1",
                             "--result",
                             result,
                             (char *)(uintptr_t)option,
                             (char *)(uintptr_t)value,
                             NULL};
    struct usage usage;
    size_t n;
    int rc;

    snprintf(result, sizeof result, "%s.json", dir);
    tree_path("orchestrator/l3replay", program, sizeof program);
    rc = command_run(argv, 0, &usage);
    n = rc == 0 ? read_times(result) : 0;
    remove(result);
    if (!n) {
        printf("%-24s failed with exit status %d\n", name, rc);
        return 1;
    }
    printf("%-24s %10.2f %10.2f   %10.2f %10.2f   %8.3f\n", name, quantile(running, n, 0.5), quantile(running, n, 0.9),
           quantile(gaps, n, 0.5), quantile(gaps, n, 0.9), usage.wall);
    return 0;
}

static int measure_all(const char *dir, const char *title)
{
    static const struct {
        const char *name, *option, *value;
    } cases[] = {
        {"(the first run compiles)", NULL, NULL},
        {"off", NULL, NULL},
        {"swimlane 1", "--enable-chip-swimlane", "1"},
        {"swimlane 2", "--enable-chip-swimlane", "2"},
        {"swimlane 3", "--enable-chip-swimlane", "3"},
        {"swimlane 4", "--enable-chip-swimlane", "4"},
        {"dep-gen", "--dep-gen", NULL},
        {"pmu 2", "--enable-pmu", "2"},
        {"scope-stats", "--scope-stats", NULL},
        {"dump-args 2", "--dump-args", "2"},
        {"off", NULL, NULL},
    };
    int rc = 0;

    printf("%-24s %21s   %21s   %8s\n%-24s %10s %10s   %10s %10s   %8s\n", title, "running", "start to start", "run",
           "", "median", "p90", "median", "p90", "s");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc |= measure(dir, cases[i].name, cases[i].option, cases[i].value);
    }
    return rc;
}

int main(void)
{
    char dir[] = "/tmp/l3replay-bench-XXXXXX", command[160];
    int rc;

    if (!mkdtemp(dir)) {
        return 1;
    }
    build_write(dir, BENCH_ONE_CARD, 1, DISPATCHES);
    rc = measure_all(dir, "empty kernel, us");
    build_set_busy(dir, 100);
    rc |= measure_all(dir, "kernel of 100 us, us");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) || rc;
}
