#include "tests/support/mixed_runs.h"

#include "tests/support/temp_dir.h"

char *mixed_runs_dir;
struct mixed_program mixed_runs_program;

static bool with_isa;

void mixed_runs_begin(void)
{
    mixed_runs_dir = temp_dir_make();
}

int mixed_runs_end(void **state)
{
    (void)state;
    temp_dir_remove(mixed_runs_dir);
    return 0;
}

void mixed_runs_compile(const char *kernel, const char *flags)
{
    assert_true(mixed_compile(mixed_runs_dir, kernel, flags));
}

void mixed_runs_compile_isa(const char *kernel)
{
    const char *isa = getenv("PTO_ISA_ROOT");
    char flags[2048];

    if (!isa || !*isa) {
        return;
    }
    snprintf(flags, sizeof flags, "-I %s/include -I %s/include/pto%s", isa, isa, mixed_bfloat_flags(mixed_runs_dir));
    mixed_runs_compile(kernel, flags);
    with_isa = true;
}

void mixed_runs_need_isa(void)
{
    if (!with_isa) {
        print_message("PTO_ISA_ROOT is not set: no PTO-ISA headers to compile kernels against\n");
        skip();
    }
}

enum run_state mixed_runs_failed(char text[CHILD_TEXT])
{
    snprintf(text, CHILD_TEXT, "%.190s", mixed_runs_program.err.what);
    return RUN_FAILED;
}

enum run_state mixed_runs_dispatch(const char *kernel, int ncores, int run, const uint64_t scalars[MIXED_ARGS],
                                   char text[CHILD_TEXT])
{
    if ((run == 0 && mixed_open(&mixed_runs_program, mixed_runs_dir, kernel, ncores)) ||
        mixed_run(&mixed_runs_program, scalars)) {
        return mixed_runs_failed(text);
    }
    return RUN_RIGHT;
}

static void assert_right(const char *name, int nchild, int nrun, child_run run, void *context)
{
    struct child_runs runs;

    assert_true(child_runs(nchild, nrun, run, context, &runs));
    if (runs.right != nchild * nrun) {
        fail_msg("%s%d right, %d wrong, %d failed, %d not ended; %s", name, runs.right, runs.wrong, runs.failed,
                 runs.not_ended, runs.text);
    }
}

void mixed_runs_assert(int nchild, int nrun, child_run run, void *context)
{
    assert_right("", nchild, nrun, run, context);
}

struct exchange {
    const char *kernel;
    int ncores;
    const uint64_t (*expected)[3];
};

static enum run_state exchange_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    const struct exchange *e = context;
    uint64_t sums[MIXED_RUNS_BLOCKS][3] = {{0}};
    const uint64_t scalars[MIXED_ARGS] = {
        [MIXED_MEMORY] = (uintptr_t)sums, [MIXED_LANES] = 7, [MIXED_BLOCKS] = MIXED_RUNS_BLOCKS, [MIXED_TASKS] = 1};
    const enum run_state state = mixed_runs_dispatch(e->kernel, e->ncores, run, scalars, text);

    (void)child;
    for (int i = 0; state == RUN_RIGHT && i < MIXED_RUNS_BLOCKS * 3; i++) {
        if (sums[i / 3][i % 3] != e->expected[i / 3][i % 3]) {
            snprintf(text, CHILD_TEXT, "block %d, lane %d: %llu instead of %llu", i / 3, i % 3,
                     (unsigned long long)sums[i / 3][i % 3], (unsigned long long)e->expected[i / 3][i % 3]);
            return RUN_WRONG;
        }
    }
    return state;
}

void mixed_runs_assert_sums(const char *kernel, int runs, int at_a_time, int ncores,
                            const uint64_t expected[MIXED_RUNS_BLOCKS][3])
{
    struct exchange e = {.kernel = kernel, .ncores = ncores, .expected = expected};
    char name[128];

    snprintf(name, sizeof name, "%s, %d at a time on %d core(s): ", kernel, at_a_time, ncores);
    assert_right(name, at_a_time, runs / at_a_time, exchange_once, &e);
}
