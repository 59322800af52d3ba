/* Tiles between the lanes of mixed tasks over a pipe whose pop is two steps, with more lanes than cores: by a pipe
 * written by hand, and by PTO-ISA's (skipped without PTO_ISA_ROOT). Expected sums are computed here, without pipes. */
#include "tests/support/temp_dir.h"

#include "tests/support/child_runs.h"
#include "tests/support/mixed_program.h"

enum { RUNS = 200, BLOCKS = 8 };

struct exchange {
    const char *dir, *kernel;
    int ncores;
    struct mixed_program program; /* of a child */
};

static char *dir;
static bool with_isa;
static uint64_t expected[BLOCKS][3];

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
    const char *isa = getenv("PTO_ISA_ROOT");
    char flags[2048];

    (void)state;
    dir = temp_dir_make();
    assert_true(mixed_compile(dir, "pipe_kernel", ""));
    if (isa && *isa) {
        snprintf(flags, sizeof(flags), "-I %s/include -I %s/include/pto%s", isa, isa, mixed_bfloat_flags(dir));
        assert_true(mixed_compile(dir, "pipe_isa_kernel", flags));
        with_isa = true;
    }
    for (uint32_t block = 0; block < BLOCKS; block++) {
        for (uint32_t i = 0; i < PIPE_WORDS; i++) {
            exchange_element(block, i);
        }
    }
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
            if (sums[block][lane] != expected[block][lane]) {
                snprintf(text, CHILD_TEXT, "block %d, lane %d: %llu instead of %llu", block, lane,
                         (unsigned long long)sums[block][lane], (unsigned long long)expected[block][lane]);
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
    need_isa();
    assert_right("pipe_isa_kernel", 1, 1);
}

static void a_pipe_of_pto_isa_two_at_a_time(void **state)
{
    (void)state;
    need_isa();
    assert_right("pipe_isa_kernel", 2, 1);
}

static void a_pipe_of_pto_isa_eight_at_a_time(void **state)
{
    (void)state;
    need_isa();
    assert_right("pipe_isa_kernel", 8, 1);
}

static void a_pipe_of_pto_isa_with_clusters_side_by_side(void **state)
{
    (void)state;
    need_isa();
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
    return cmocka_run_group_tests(tests, setup, teardown);
}
