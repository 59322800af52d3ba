/*
 * cpu_rig - the cpu device with a small compiled program on it, for unit tests.
 *
 * Compiles tests/unit/cpu/graph.cpp and kernel.cpp into a temporary directory with the flags of docs/formats.md, "What a
 * compile is", once per test program. A test that hangs is ended by SIGALRM.
 */
#ifndef L3R_TESTS_SUPPORT_CPU_RIG_H
#define L3R_TESTS_SUPPORT_CPU_RIG_H

#include "tests/support/temp_dir.h"

#include "rank-worker/device.h"
#include "tests/support/cpu_compile.h"
#include "tests/unit/cpu/graph_programs.h"
#include "tests/unit/cpu/kernel_events.h"

enum { RIG_ELEMENTS = 64, RIG_SECONDS = 120 };

struct rig {
    char *dir;
    struct device *dev;
    uint32_t program;
    struct events events;
    struct device_switches switches; /* of the next run; all zero: nothing is captured */
    int32_t x[RIG_ELEMENTS], y[RIG_ELEMENTS], z[RIG_ELEMENTS];
    struct device_result result;
    uint32_t nlost; /* files of profiles */
    struct error err;
};

/* The one of a test program: its kernels write into `events`. */
extern struct rig rig;

/* Open rig.dev with so many cores, and load the program. */
void rig_open(int ncores);

/* RIG_ELEMENTS elements as an argument of a dispatch. */
struct device_tensor rig_tensor(int32_t *elements);

/* Run one program of graph.cpp; events start at zero. */
int rig_run(enum program_name which);

/* The same on a device of its own, for runs that fail: such a device takes no other. */
int rig_run_alone(enum program_name which, int ncores);

/* What the kernels with that tag wrote down in the last run. */
struct event *rig_event(int tag);

/* `later` started only when `earlier` was over. */
void assert_after(int later, int earlier);

/* Of the group: a device with one core. */
int rig_setup(void **state);
int rig_teardown(void **state);

#endif
