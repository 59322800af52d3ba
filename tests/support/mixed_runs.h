/*
 * mixed_runs - many runs of a program of mixed tasks, each device in a child process: what the unit tests of pipes, paces and
 * turns share. For one kernel, or two of the same exchange, in each test program.
 */
#ifndef L3R_TESTS_SUPPORT_MIXED_RUNS_H
#define L3R_TESTS_SUPPORT_MIXED_RUNS_H

#include "tests/support/child_runs.h"
#include "tests/support/mixed_program.h"

enum { MIXED_RUNS_BLOCKS = 8 };

/* Where kernels are; and the device of a child, once it has opened it. */
extern char *mixed_runs_dir;
extern struct mixed_program mixed_runs_program;

/* Of the group: make and remove the directory. */
void mixed_runs_begin(void);
int mixed_runs_end(void **state);

/* Compile tests/unit/cpu/`kernel`.cpp; fails the test when that cannot be done. */
void mixed_runs_compile(const char *kernel, const char *flags);

/* The same against the headers of $PTO_ISA_ROOT; does nothing without it. */
void mixed_runs_compile_isa(const char *kernel);

/* Skip the test, and say so, when mixed_runs_compile_isa() had no headers. */
void mixed_runs_need_isa(void);

/* In a child: RUN_FAILED, with the error in `text`. */
enum run_state mixed_runs_failed(char text[CHILD_TEXT]);

/* In a child: one dispatch. The device, of `ncores`, is opened with run 0. RUN_RIGHT or RUN_FAILED. */
enum run_state mixed_runs_dispatch(const char *kernel, int ncores, int run, const uint64_t scalars[MIXED_ARGS],
                                   char text[CHILD_TEXT]);

/* child_runs(), all of them right. */
void mixed_runs_assert(int nchild, int nrun, child_run run, void *context);

/* One task of MIXED_RUNS_BLOCKS blocks whose three lanes leave a sum each in the memory of its dispatch: `runs` of them,
 * `at_a_time` in processes beside each other, give the expected sums. */
void mixed_runs_assert_sums(const char *kernel, int runs, int at_a_time, int ncores,
                            const uint64_t expected[MIXED_RUNS_BLOCKS][3]);

#endif
