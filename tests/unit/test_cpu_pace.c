/* Lanes of mixed tasks that go on at different paces: one computes for long, one sleeps where the device does not hear of
 * it, one begins late. Each device is in a child process, which has a limit. */
#include <sys/mman.h>

#include "tests/support/temp_dir.h"

#include "tests/support/mixed_runs.h"
#include "tests/unit/cpu/pace.h"

enum { ORDER_RUNS = 50, FEW = 5 };

static struct pace_memory memory; /* of a child; zero before each run */

static int setup(void **state)
{
    (void)state;
    mixed_runs_begin();
    mixed_runs_compile("pace_kernel", "");
    return 0;
}

/* The device, of `ncores`, is opened with the first run. */
static enum run_state run_op(enum pace_op op, uint64_t a, uint64_t b, int ncores, int run, char text[CHILD_TEXT])
{
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)&memory,
                                          [MIXED_OP] = op,
                                          [MIXED_A] = a,
                                          [MIXED_B] = b,
                                          [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = 1,
                                          [MIXED_TASKS] = 1};
    memset(&memory, 0, sizeof(memory));
    return mixed_runs_dispatch("pace_kernel", ncores, run, scalars, text);
}

/* Child: the lane that computes. */
static enum run_state exchange_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    const enum run_state state = run_op(PACE_EXCHANGE, (uint64_t)child, 0, *(const int *)context, run, text);

    if (state == RUN_RIGHT && (memory.right[0] != PACE_TILES || memory.right[1] != PACE_TILES)) {
        snprintf(text, CHILD_TEXT, "aic got %lld tiles right, aiv0 %lld", (long long)memory.right[0],
                 (long long)memory.right[1]);
        return RUN_WRONG;
    }
    return state;
}

static void a_lane_may_compute_for_long_while_others_exchange_tiles(void **state)
{
    (void)state;
    for (int ncores = 1; ncores <= 2; ncores++) {
        mixed_runs_assert(3, FEW, exchange_once, &ncores);
    }
}

static enum run_state read_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    int fds[2];

    (void)context;
    if (pipe(fds)) {
        snprintf(text, CHILD_TEXT, "no pipe: %s", strerror(errno));
        return RUN_FAILED;
    }
    const enum run_state state = run_op(PACE_READ, (uint64_t)fds[0], (uint64_t)fds[1], child + 1, run, text);
    close(fds[0]);
    close(fds[1]);
    if (state == RUN_RIGHT && memory.byte != PACE_BYTE) {
        snprintf(text, CHILD_TEXT, "read %lld", (long long)memory.byte);
        return RUN_WRONG;
    }
    return state;
}

static void a_lane_may_sleep_where_nobody_is_informed(void **state)
{
    (void)state;
    mixed_runs_assert(2, FEW, read_once, NULL);
}

/* Logs of all runs, of child 0 on one core and child 1 on two. */
typedef uint8_t order_log[2][ORDER_RUNS][sizeof(memory.log)];

static enum run_state order_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    const enum run_state state = run_op(PACE_ORDER, (uint64_t)run, 0, child + 1, run, text);

    memcpy((*(order_log *)context)[child][run], memory.log, sizeof(memory.log));
    return state;
}

/* On two cores, lanes that begin beside the holder come to their first call in an order of their own. */
static void the_order_of_turns_does_not_depend_on_the_number_of_cores(void **state)
{
    order_log *logs = mmap(NULL, sizeof(*logs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(logs != MAP_FAILED);
    mixed_runs_assert(2, ORDER_RUNS, order_once, logs);
    for (int run = 0; run < ORDER_RUNS; run++) {
        assert_memory_equal((*logs)[0][run], (*logs)[0][0], sizeof(memory.log));
        assert_memory_equal((*logs)[1][run], (*logs)[0][0], sizeof(memory.log));
    }
    munmap(logs, sizeof(*logs));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_may_compute_for_long_while_others_exchange_tiles),
        cmocka_unit_test(a_lane_may_sleep_where_nobody_is_informed),
        cmocka_unit_test(the_order_of_turns_does_not_depend_on_the_number_of_cores),
    };
    return cmocka_run_group_tests(tests, setup, mixed_runs_end);
}
