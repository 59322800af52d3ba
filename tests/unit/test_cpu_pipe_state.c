/* The memory of pipes begins anew with each block of a mixed task, whatever the block before it on its cluster left. */
#include "tests/support/temp_dir.h"

#include "tests/support/mixed_runs.h"
#include "tests/unit/cpu/state.h"

enum { RUNS = 10, TASKS = 4, BLOCKS = 20, ALL = TASKS * BLOCKS, CLUSTERS = 8 };

static struct state_lane seen[ALL][3];

static int setup(void **state)
{
    (void)state;
    mixed_runs_begin();
    mixed_runs_compile("state_kernel", "");
    return 0;
}

/* Of all blocks, the places where a lane's bytes were. */
static int count_places(int lane, int key)
{
    int count = 0;
    for (int i = 0; i < ALL; i++) {
        int same = 0;
        while (seen[same][lane].place[key] != seen[i][lane].place[key]) {
            same++;
        }
        count += same == i;
    }
    return count;
}

static enum run_state look_at_block(int block, char text[CHILD_TEXT])
{
    for (int lane = 0; lane < 3; lane++) {
        const struct state_lane *s = &seen[block][lane];
        if (s->set[0] != 0 || s->set[1] != (uint64_t)STATE_KEYS * STATE_BYTES) {
            snprintf(text, CHILD_TEXT, "block %d, lane %d: %llu bytes were set, then %llu", block, lane,
                     (unsigned long long)s->set[0], (unsigned long long)s->set[1]);
            return RUN_WRONG;
        }
    }
    if (seen[block][1].popped != (uint64_t)block) {
        snprintf(text, CHILD_TEXT, "block %d: a tile of block %llu", block, (unsigned long long)seen[block][1].popped);
        return RUN_WRONG;
    }
    return RUN_RIGHT;
}

/* Child 0 on one core, child 1 on four. */
static enum run_state leave_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    const uint64_t scalars[MIXED_ARGS] = {
        [MIXED_MEMORY] = (uintptr_t)seen, [MIXED_LANES] = 7, [MIXED_BLOCKS] = BLOCKS, [MIXED_TASKS] = TASKS};

    (void)context;
    memset(seen, 0, sizeof(seen));
    if (mixed_runs_dispatch("state_kernel", child == 0 ? 1 : 4, run, scalars, text) != RUN_RIGHT) {
        return RUN_FAILED;
    }
    for (int block = 0; block < ALL; block++) {
        if (look_at_block(block, text) != RUN_RIGHT) {
            return RUN_WRONG;
        }
    }
    /* Else nothing was left where another block looked. */
    for (int lane = 0; lane < 3; lane++) {
        for (int key = 0; key < STATE_KEYS; key++) {
            if (count_places(lane, key) > CLUSTERS) {
                snprintf(text, CHILD_TEXT, "lane %d, key %d: more places than clusters", lane, key);
                return RUN_WRONG;
            }
        }
    }
    return RUN_RIGHT;
}

static void what_a_block_leaves_does_not_reach_the_next(void **state)
{
    (void)state;
    mixed_runs_assert(2, RUNS, leave_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_block_leaves_does_not_reach_the_next),
    };
    return cmocka_run_group_tests(tests, setup, mixed_runs_end);
}
