/*
 * mixed_program - a program of mixed tasks (cpu/mixed.h) on a cpu device, for tests and benches.
 *
 * Compiled once; then each process that wants to run it opens a device of its own. Nothing here fails a test, so it may
 * be called in child processes. Functions return 0, or -1 with `err` of the struct filled.
 */
#ifndef L3R_TESTS_SUPPORT_MIXED_PROGRAM_H
#define L3R_TESTS_SUPPORT_MIXED_PROGRAM_H

#include "rank-worker/device.h"
#include "tests/support/cpu_compile.h"
#include "tests/unit/cpu/mixed.h"

struct mixed_program {
    struct device *dev;
    uint32_t id;
    struct device_result result; /* of the last run */
    struct error err;
};

/* Compile tests/unit/cpu/`kernel`.cpp once a lane, with `flags`, and the orchestration, into `dir`. */
bool mixed_compile(const char *dir, const char *kernel, const char *flags);

/* Flags for PTO-ISA, whose bfloat16_t a compiler without one gets from a header of ours; `dir` is for a probe. */
const char *mixed_bfloat_flags(const char *dir);

/* On a device of its own that may keep `ncores` cores busy; free_threads: its lanes take no turns. */
int mixed_open_threads(struct mixed_program *p, const char *dir, const char *kernel, int ncores, bool free_threads);

/* The same, with turns. */
int mixed_open(struct mixed_program *p, const char *dir, const char *kernel, int ncores);

/* One dispatch; `scalars` by enum mixed_arg. */
int mixed_run(struct mixed_program *p, const uint64_t scalars[MIXED_ARGS]);

#endif
