/* PTO-ISA's lock of atomic adds is one for the process: each kernel object binds to the executor's. */
#include "tests/support/temp_dir.h"

#include <dlfcn.h>

#include "tests/support/child_runs.h"
#include "tests/support/mixed_program.h"
#include "tests/unit/cpu/atomic.h"

enum { RUNS = 100, CALLS = 8 /* of each kernel object */ };

static char *dir;
static bool with_isa;
static struct mixed_program program; /* of a child */

static int setup(void **state)
{
    const char *isa = getenv("PTO_ISA_ROOT");
    char flags[2048];

    (void)state;
    dir = temp_dir_make();
    assert_true(mixed_compile(dir, "atomic_kernel", ""));
    if (isa && *isa) {
        snprintf(flags, sizeof(flags), "-I %s/include -I %s/include/pto%s", isa, isa, mixed_bfloat_flags(dir));
        assert_true(mixed_compile(dir, "atomic_isa_kernel", flags));
        with_isa = true;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

/* Single-lane tasks of kernel 0, and of kernel 1 beside them. */
static int run_two(const char *kernel, int run, struct atomic_memory *m, char text[CHILD_TEXT])
{
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)m,
                                          [MIXED_LANES] = 1,
                                          [MIXED_BLOCKS] = 1,
                                          [MIXED_TASKS] = CALLS,
                                          [MIXED_LATER] = CALLS};
    if ((run == 0 && mixed_open(&program, dir, kernel, 2)) || mixed_run(&program, scalars)) {
        snprintf(text, CHILD_TEXT, "%.190s", program.err.what);
        return -1;
    }
    return 0;
}

static enum run_state bind_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    const uint64_t own = (uintptr_t)dlsym(RTLD_DEFAULT, "_ZZN3pto3cpu14AtomicAddMutexEvE5mutex");
    struct atomic_memory m = {0};

    (void)context;
    (void)child;
    if (run_two("atomic_kernel", run, &m, text)) {
        return RUN_FAILED;
    }
    snprintf(text, CHILD_TEXT, "%#llx and %#llx instead of %#llx", (unsigned long long)m.mutexes[0],
             (unsigned long long)m.mutexes[1], (unsigned long long)own);
    return own && m.mutexes[0] == own && m.mutexes[1] == own ? RUN_RIGHT : RUN_WRONG;
}

static enum run_state add_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct atomic_memory m = {0};

    (void)context;
    (void)child;
    if (run_two("atomic_isa_kernel", run, &m, text)) {
        return RUN_FAILED;
    }
    for (int i = 0; i < ATOMIC_CELLS; i++) {
        if (m.cells[i] != 2 * CALLS * ATOMIC_ADDS) {
            snprintf(text, CHILD_TEXT, "cell %d: %d instead of %d", i, (int)m.cells[i], 2 * CALLS * ATOMIC_ADDS);
            return RUN_WRONG;
        }
    }
    return RUN_RIGHT;
}

static void assert_all_right(int nrun, child_run run)
{
    struct child_runs runs;

    assert_true(child_runs(1, nrun, run, NULL, &runs));
    if (runs.right != nrun) {
        fail_msg("%d right, %d wrong, %d failed, %d not ended; %s", runs.right, runs.wrong, runs.failed, runs.not_ended,
                 runs.text);
    }
}

static void objects_bind_to_the_lock_of_the_executor(void **state)
{
    (void)state;
    assert_all_right(1, bind_once);
}

static void adds_of_two_objects_are_not_lost(void **state)
{
    (void)state;
    if (!with_isa) {
        print_message("PTO_ISA_ROOT is not set: no PTO-ISA headers to compile kernels against\n");
        skip();
    }
    assert_all_right(RUNS, add_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_bind_to_the_lock_of_the_executor),
        cmocka_unit_test(adds_of_two_objects_are_not_lost),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
