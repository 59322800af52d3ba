/* The order of tiles on a pipe for both directions, where lanes push twice in a row (tests/unit/cpu/tile_order.h). */
#include "tests/support/temp_dir.h"

#include "tests/support/child_runs.h"
#include "tests/support/mixed_program.h"
#include "tests/unit/cpu/tile_order.h"

enum { RUNS = 96, BLOCKS = 8 }; /* 96: as many for each of 8 children */

struct exchange {
    const char *dir, *kernel;
    int ncores;
    struct mixed_program program; /* of a child */
};

static char *dir;
static bool with_isa;

static uint64_t expected[3];

static void expect(void)
{
    for (int i = 0; i < ORDER_TOKENS; i++) {
        expected[0] = order_mix(expected[0], order_p(i));
        expected[1] = order_mix(order_mix(expected[1], order_q(i)), order_r(i));
    }
}

static int setup(void **state)
{
    const char *isa = getenv("PTO_ISA_ROOT");
    char flags[2048];

    (void)state;
    dir = temp_dir_make();
    assert_true(mixed_compile(dir, "order_kernel", ""));
    if (isa && *isa) {
        snprintf(flags, sizeof(flags), "-I %s/include -I %s/include/pto%s", isa, isa, mixed_bfloat_flags(dir));
        assert_true(mixed_compile(dir, "order_isa_kernel", flags));
        with_isa = true;
    }
    expect();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static enum run_state exchange_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct exchange *e = context;
    uint64_t sums[BLOCKS][3] = {{0}};
    const uint64_t scalars[MIXED_ARGS] = {
        [MIXED_MEMORY] = (uintptr_t)sums, [MIXED_LANES] = 7, [MIXED_BLOCKS] = BLOCKS, [MIXED_TASKS] = 1};

    (void)child;
    if ((run == 0 && mixed_open(&e->program, e->dir, e->kernel, e->ncores)) || mixed_run(&e->program, scalars)) {
        snprintf(text, CHILD_TEXT, "%.190s", e->program.err.what);
        return RUN_FAILED;
    }
    for (int block = 0; block < BLOCKS; block++) {
        for (int lane = 0; lane < 3; lane++) {
            if (sums[block][lane] != expected[lane]) {
                snprintf(text, CHILD_TEXT, "block %d, lane %d: %llu instead of %llu", block, lane,
                         (unsigned long long)sums[block][lane], (unsigned long long)expected[lane]);
                return RUN_WRONG;
            }
        }
    }
    return RUN_RIGHT;
}

static void assert_right(const char *kernel, int at_a_time, int ncores)
{
    struct exchange exchange = {.dir = dir, .kernel = kernel, .ncores = ncores};
    struct child_runs runs;

    assert_true(child_runs(at_a_time, RUNS / at_a_time, exchange_once, &exchange, &runs));
    if (runs.right != RUNS) {
        fail_msg("%s, %d at a time on %d core(s): %d right, %d wrong, %d failed, %d not ended; %s", kernel, at_a_time,
                 ncores, runs.right, runs.wrong, runs.failed, runs.not_ended, runs.text);
    }
}

static void need_isa(void)
{
    if (!with_isa) {
        print_message("PTO_ISA_ROOT is not set: no PTO-ISA headers to compile kernels against\n");
        skip();
    }
}

static void tiles_by_hand_keep_their_order(void **state)
{
    (void)state;
    assert_right("order_kernel", 1, 1);
    assert_right("order_kernel", 2, 2);
    assert_right("order_kernel", 8, 1);
}

static void tiles_of_pto_isa_keep_their_order(void **state)
{
    (void)state;
    need_isa();
    assert_right("order_isa_kernel", 1, 1);
    assert_right("order_isa_kernel", 2, 2);
    assert_right("order_isa_kernel", 8, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_by_hand_keep_their_order),
        cmocka_unit_test(tiles_of_pto_isa_keep_their_order),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
