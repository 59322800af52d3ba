/*
 * bench_record - how long a recording takes.
 *
 * Prints the time from record_plan()'s call to its plan for a build of two
 * dispatches (the start of Python included), and the rate at which dispatches
 * of three tensors each are recorded: 100,000, and with an argument as many
 * as it says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/open/build.h"
#include "orchestrator/record/record.h"

static const char kernel_config[] =
    "from pathlib import Path\n"
    "_ROOT_DIR = Path(__file__).parent\n"
    "ORCHESTRATION = {'source': str(_ROOT_DIR / 'orchestration' / 'o.cpp'), 'function_name': 'entry'}\n"
    "KERNELS = [{'func_id': 0, 'name': 'k', 'source': str(_ROOT_DIR / 'kernels' / 'k.cpp'), 'core_type': 'aiv'}]\n";

static const char host_orch[] =
    "import torch\n"
    "from simpler.task_interface import DataType, TaskArgs, TensorArgType\n"
    "from pypto.runtime.tensor_arg import make_tensor_arg\n"
    "from pypto.runtime.distributed_runner import _submit_chip\n"
    "def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size):\n"
    "    for i in range(%ld):\n"
    "        r = i %% world_size\n"
    "        tensors['x_r'] = tensors['x'][r, 0:64]\n"
    "        tensors['y_r'] = tensors['y'][r, 0:64]\n"
    "        _ta_0 = TaskArgs()\n"
    "        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors['x_r']), TensorArgType.INPUT)\n"
    "        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors['y_r']), TensorArgType.OUTPUT_EXISTING)\n"
    "        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors['z']), TensorArgType.INOUT)\n"
    "        _ta_0.add_scalar(i)\n"
    "        _keep.append(_ta_0)\n"
    "        _submit_chip(orch, callables['chip'], _ta_0, config, r)\n"
    "host_orch._pypto_distributed_entry = True\n";

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int put(const char *dir, const char *name, const char *text, struct error *err)
{
    char *path = file_join(dir, name, err);
    int rc = path ? file_write(path, text, strlen(text), err) : -1;

    free(path);
    return rc;
}

static int write_build(const char *dir, long dispatches, struct error *err)
{
    char text[sizeof host_orch + 32];

    snprintf(text, sizeof text, host_orch, dispatches);
    return put(dir, "next_levels/chip/kernel_config.py", kernel_config, err) ||
                   put(dir, "orchestration/host_orch.py", text, err) ||
                   put(dir, "distributed_meta.json",
                       "{\"schema\":2,\"params\":["
                       "{\"name\":\"x\",\"direction\":\"In\",\"shape\":[2,64],\"dtype\":\"fp32\"},"
                       "{\"name\":\"y\",\"direction\":\"Out\",\"shape\":[2,64],\"dtype\":\"fp32\"},"
                       "{\"name\":\"z\",\"direction\":\"InOut\",\"shape\":[64],\"dtype\":\"fp32\"}],"
                       "\"distributed_config\":{\"device_ids\":[0,1]}}",
                       err)
               ? -1
               : 0;
}

/* Seconds of one recording, or -1. */
static double record_once(const char *dir, long dispatches, struct error *err)
{
    struct build build = {0};
    struct plan plan = {0};
    struct record_request request = {.build = &build};
    double start, took = -1;

    if (write_build(dir, dispatches, err) == 0 && build_open(dir, &build, err) == 0) {
        start = now();
        if (record_plan(&request, NULL, &plan, err) == 0) {
            took = now() - start;
        }
    }
    plan_free(&plan);
    build_free(&build);
    return took;
}

static void remove_build(char *dir)
{
    static const char *const names[] = {"next_levels/chip/kernel_config.py",
                                        "next_levels/chip",
                                        "next_levels",
                                        "orchestration/host_orch.py",
                                        "orchestration",
                                        "distributed_meta.json",
                                        ""};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = file_join(dir, names[i], NULL);
        if (path) {
            remove(path);
        }
        free(path);
    }
}

static int measure(char *dir, long many, struct error *err)
{
    double best = 1e9, took;
    struct rusage children;

    for (int i = 0; i < 10; i++) {
        took = record_once(dir, 2, err);
        if (took < 0) {
            return -1;
        }
        best = took < best ? took : best;
    }
    printf("%-32s %10.1f ms\n", "start to plan, 2 dispatches", best * 1e3);
    took = record_once(dir, many, err);
    if (took < 0) {
        return -1;
    }
    getrusage(RUSAGE_CHILDREN, &children);
    printf("%-32s %10ld\n", "dispatches", many);
    printf("%-32s %10.0f per second\n", "recorded", (double)many / took);
    printf("%-32s %10.1f MB\n", "recorder's memory", (double)children.ru_maxrss / 1024);
    return 0;
}

int main(int argc, char **argv)
{
    char dir[] = "/tmp/l3r-bench-XXXXXX", levels[64], orchestration[64];
    long many = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    struct error err = {0};
    int rc = -1;

    log_set_level(LOG_ERROR);
    if (!mkdtemp(dir)) {
        perror(dir);
        return 1;
    }
    snprintf(levels, sizeof levels, "%s/next_levels/chip", dir);
    snprintf(orchestration, sizeof orchestration, "%s/orchestration", dir);
    if (file_make_dirs(levels, &err) == 0 && file_make_dirs(orchestration, &err) == 0) {
        rc = measure(dir, many, &err);
    }
    if (rc < 0) {
        error_print(&err);
    }
    remove_build(dir);
    return rc < 0;
}
