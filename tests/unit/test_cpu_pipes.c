/* Tiles between the lanes of mixed tasks over a pipe whose pop is two steps, with more lanes than cores: by a pipe
 * written by hand, and by PTO-ISA's (skipped without PTO_ISA_ROOT). Expected sums are computed here, without pipes. */
#include "tests/support/temp_dir.h"

#include "tests/support/mixed_runs.h"

enum { RUNS = 200 };

static uint64_t expected[MIXED_RUNS_BLOCKS][3];

/* The exchange of mixed.h for one element of the tiles. */
static void exchange_element(uint32_t block, uint32_t i)
{
    uint32_t a = pipe_seed(block, 0, i), v = pipe_seed(block, 1, i), w = pipe_seed(block, 2, i);
    uint32_t sent[PIPE_STEPS + 2] = {a, a};

    v = pipe_mix(v, sent[0]);
    for (int step = 0; step < PIPE_STEPS; step++) {
        a = pipe_mix(a, v);
        sent[step + 2] = a;
        v = pipe_mix(v, sent[step + 1]);
    }
    v = pipe_mix(v, sent[PIPE_STEPS + 1]);
    for (int k = 0; k < PIPE_IDLE_MIXES * PIPE_PUSHES; k++) {
        w = pipe_mix(w, w);
    }
    expected[block][0] += (uint64_t)a * (i + 1);
    expected[block][1] += (uint64_t)v * (i + 1);
    expected[block][2] += (uint64_t)w * (i + 1);
}

static int setup(void **state)
{
    (void)state;
    mixed_runs_begin();
    mixed_runs_compile("pipe_kernel", "");
    mixed_runs_compile_isa("pipe_isa_kernel");
    for (uint32_t block = 0; block < MIXED_RUNS_BLOCKS; block++) {
        for (uint32_t i = 0; i < PIPE_WORDS; i++) {
            exchange_element(block, i);
        }
    }
    return 0;
}

static void assert_right(const char *kernel, int at_a_time, int ncores)
{
    mixed_runs_assert_sums(kernel, RUNS, at_a_time, ncores, (const uint64_t(*)[3])expected);
}

static void a_pipe_by_hand_one_at_a_time(void **state)
{
    (void)state;
    assert_right("pipe_kernel", 1, 1);
}

static void a_pipe_by_hand_two_at_a_time(void **state)
{
    (void)state;
    assert_right("pipe_kernel", 2, 1);
}

static void a_pipe_by_hand_eight_at_a_time(void **state)
{
    (void)state;
    assert_right("pipe_kernel", 8, 1);
}

static void a_pipe_by_hand_with_clusters_side_by_side(void **state)
{
    (void)state;
    assert_right("pipe_kernel", 2, 4);
}

static void a_pipe_of_pto_isa_one_at_a_time(void **state)
{
    (void)state;
    mixed_runs_need_isa();
    assert_right("pipe_isa_kernel", 1, 1);
}

static void a_pipe_of_pto_isa_two_at_a_time(void **state)
{
    (void)state;
    mixed_runs_need_isa();
    assert_right("pipe_isa_kernel", 2, 1);
}

static void a_pipe_of_pto_isa_eight_at_a_time(void **state)
{
    (void)state;
    mixed_runs_need_isa();
    assert_right("pipe_isa_kernel", 8, 1);
}

static void a_pipe_of_pto_isa_with_clusters_side_by_side(void **state)
{
    (void)state;
    mixed_runs_need_isa();
    assert_right("pipe_isa_kernel", 2, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_by_hand_one_at_a_time),
        cmocka_unit_test(a_pipe_by_hand_two_at_a_time),
        cmocka_unit_test(a_pipe_by_hand_eight_at_a_time),
        cmocka_unit_test(a_pipe_by_hand_with_clusters_side_by_side),
        cmocka_unit_test(a_pipe_of_pto_isa_one_at_a_time),
        cmocka_unit_test(a_pipe_of_pto_isa_two_at_a_time),
        cmocka_unit_test(a_pipe_of_pto_isa_eight_at_a_time),
        cmocka_unit_test(a_pipe_of_pto_isa_with_clusters_side_by_side),
    };
    return cmocka_run_group_tests(tests, setup, mixed_runs_end);
}
