/* What executors write is input: whatever stands there, those that read it neither crash nor believe it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/log.h"
#include "common/plan/plan_build.h"
#include "common/segment/control_check.h"
#include "orchestrator/job/timings.h"
#include "orchestrator/supervise/lanes_table.h"
#include "rank-worker/lanes/postmortem.h"

enum { CARDS = 2, NODES = 4 };

static struct plan plan;
static struct segment seg;
static struct control_check check;
static struct error err;

/* Two dispatches a card, in turn; each waits for the one before it. */
static int begin(void **state)
{
    struct plan_builder *b = plan_builder_new(CARDS, &err);
    struct plan_node node = {.kind = PLAN_DISPATCH, .group = PLAN_NONE};

    (void)state;
    if (!b || plan_add_program(b, "p", &node.program, &err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        node.lane = i % CARDS;
        node.k = i / CARDS;
        if (plan_add_node(b, &node, NULL, NULL, NULL, &err) < 0) {
            return -1;
        }
    }
    plan_builder_finish(b, &plan);
    log_set_level(LOG_NULL);
    return segment_create(&seg, &plan, "[]", "a2a3sim", &err) < 0 ? -1 : control_check_open(&check, &seg, &err);
}

static int end(void **state)
{
    (void)state;
    control_check_close(&check);
    segment_unmap(&seg);
    plan_free(&plan);
    return 0;
}

/* As executors leave it: all nodes before `count` are complete. */
static void run_nodes(uint32_t count)
{
    atomic_store(&seg.common->starting, 0);
    atomic_store(&seg.common->go, WORD_DONE);
    for (uint32_t i = 0; i < count; i++) {
        struct segment_lane *status = lane_status(&seg, plan.nodes[i].lane);

        *segment_node_times(&seg, i) = (struct segment_times){.start_ns = 1000 + 10 * i, .end_ns = 1010 + 10 * i};
        atomic_store(&seg.words[i], WORD_DONE);
        atomic_store(&status->node, i);
        atomic_fetch_add(&status->ndone, 1);
        atomic_store(&status->state, atomic_load(&status->ndone) == NODES / CARDS ? LANE_DONE : LANE_RUNNING);
    }
}

static void what_executors_write_is_sound(void **state)
{
    (void)state;
    assert_int_equal(control_check_running(&check, &err), 0);
    run_nodes(3);
    assert_int_equal(control_check_running(&check, &err), 0);
    assert_int_equal(control_check_complete(&check, &err), -1); /* not all of it is there */
    run_nodes(0);
    segment_rewind(&seg, &err);
    control_check_close(&check);
    assert_int_equal(control_check_open(&check, &seg, &err), 0);
    run_nodes(NODES);
    assert_int_equal(control_check_running(&check, &err), 0);
    assert_int_equal(control_check_complete(&check, &err), 0);
}

/* A lane that waits, at any moment of the node that it waits for. */
static void a_waiting_lane_is_sound(void **state)
{
    (void)state;
    run_nodes(2);
    atomic_store(&lane_status(&seg, 1)->node, 3);
    atomic_store(&lane_status(&seg, 1)->awaits, 2);
    atomic_store(&lane_status(&seg, 1)->state, LANE_WAITING);
    atomic_store(&seg.words[2], WORD_AWAITED);
    assert_int_equal(control_check_stopped(&check, &err), 0);
    atomic_store(&seg.words[2], WORD_DONE); /* and the count follows */
    assert_int_equal(control_check_stopped(&check, &err), 0);
    atomic_store(&lane_status(&seg, 0)->ndone, 2);
    assert_int_equal(control_check_stopped(&check, &err), 0);
    atomic_store(&seg.words[2], WORD_PENDING); /* zeros over a word: the lane would wait for ever */
    assert_int_equal(control_check_stopped(&check, &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
}

/* All who read: the table, the progress, the times, the ends of executors. */
static void read_everything(void)
{
    struct timings timings;
    const int ids[CARDS] = {0, 1};

    lanes_table_print(&seg, NULL, 10);
    lanes_progress(&seg);
    lanes_longest_running(&seg, NULL);
    for (uint32_t lane = 0; lane < seg.header->nlane; lane++) {
        for (int status = 0; status < 256; status += 11) {
            struct error cause;

            if (postmortem(&seg, lane, status, &cause) < 0) {
                assert_true(strlen(cause.what) < sizeof cause.what && strlen(cause.where) < sizeof cause.where);
                assert_in_range(cause.kind, ERROR_INFRA, ERROR_USAGE);
            }
        }
    }
    assert_int_equal(timings_collect(&timings, &seg, ids, 1, &err), 0);
    timings_free(&timings);
}

/* Every word of the part in turn, with what kernels write and with values that are nearly right. What nobody decides by
 * may be anything; the rest must be found, and nothing may be read by it. */
static void each_word_that_is_overwritten_is_found_or_decides_nothing(void **state)
{
    static const uint32_t values[] = {0, 1, 3, 7, 1000, 0x7fffffff, 0xffffffff};
    uint32_t *words = (uint32_t *)(void *)seg.parts[SEGMENT_CONTROL].base;
    const size_t count = seg.parts[SEGMENT_CONTROL].nbytes / sizeof *words;

    (void)state;
    run_nodes(NODES);
    for (size_t i = 0; i < count; i++) {
        const uint32_t before = words[i];

        if (before == 0 && i > 0 && words[i - 1] == 0 && i + 1 < count && words[i + 1] == 0 && i % 64) {
            continue; /* of what is nobody's, every 64th */
        }
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            words[i] = values[v];
            read_everything();
            if (control_check_complete(&check, &err) < 0) {
                assert_int_equal(err.kind, ERROR_FAIL);
                check.broken = 0;
            } else { /* nothing that a verdict hangs on */
                for (uint32_t n = 0; n < NODES; n++) {
                    assert_int_equal(seg.words[n], WORD_DONE);
                    assert_true(segment_node_times(&seg, n)->end_ns >= segment_node_times(&seg, n)->start_ns);
                }
                for (uint32_t lane = 0; lane < CARDS; lane++) {
                    assert_int_equal(atomic_load(&lane_status(&seg, lane)->ndone), 2);
                    assert_true(atomic_load(&lane_status(&seg, lane)->state) <= LANE_FAILED);
                }
            }
        }
        words[i] = before;
        control_check_close(&check);
        assert_int_equal(control_check_open(&check, &seg, &err), 0);
    }
}

static void a_lane_whose_block_was_overwritten_is_named(void **state)
{
    (void)state;
    run_nodes(3);
    assert_int_equal(control_check_running(&check, &err), 0);
    for (int value = 0; value < 256; value += 51) {
        memset(lane_status(&seg, 1), value, seg.lanes[2] - seg.lanes[1]);
        assert_int_equal(control_check_running(&check, &err), -1);
        assert_int_equal(err.kind, ERROR_FAIL);
        assert_non_null(strstr(err.what, "card 1"));
        assert_non_null(strstr(err.where, "dispatch 1"));
        assert_int_equal(postmortem(&seg, 1, 0, &err), -1);
        assert_int_equal(err.kind, ERROR_FAIL);
        assert_non_null(strstr(err.what, "card 1"));
        read_everything();
    }
}

/* The executor puts back what is known, and its own report can be read. */
static void a_block_that_its_executor_restored_is_sound(void **state)
{
    (void)state;
    run_nodes(2);
    memset(lane_status(&seg, 1), 0xff, seg.lanes[2] - seg.lanes[1]);
    lane_restore(&seg, 1, 3, 1, LANE_RUNNING);
    assert_int_equal(control_check_running(&check, &err), 0);
    assert_int_equal(postmortem(&seg, 1, 11, &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_non_null(strstr(err.where, "dispatch 3"));
}

static void who_ran_when_the_common_pages_were_overwritten_is_named(void **state)
{
    (void)state;
    run_nodes(2);
    atomic_store(&lane_status(&seg, 0)->node, 2);
    atomic_store(&lane_status(&seg, 0)->state, LANE_RUNNING);
    atomic_store(&lane_status(&seg, 1)->state, LANE_READY);
    memset(seg.parts[SEGMENT_CONTROL].base, 0, seg.lanes[0]);
    assert_int_equal(control_check_running(&check, &err), 0); /* its executor may say so itself */
    assert_int_equal(control_check_stopped(&check, &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_non_null(strstr(err.where, "dispatch 2 (p on card 0)"));
    assert_null(strstr(err.where, "card 1"));
    /* Who noticed it after a node has since begun another, and may have ended. */
    atomic_store(&lane_status(&seg, 1)->node, 3);
    atomic_store(&lane_status(&seg, 1)->suspect, 1);
    assert_int_equal(control_check_stopped(&check, &err), -1);
    assert_string_equal(err.where, "dispatch 2 (p on card 0); or dispatch 1 (p on card 1)");
}

/* A lane's state may say that all is done, or that it failed for a reason of ours. */
static void a_state_alone_is_not_believed(void **state)
{
    (void)state;
    run_nodes(1);
    for (uint32_t lane = 0; lane < CARDS; lane++) {
        atomic_store(&lane_status(&seg, lane)->state, LANE_DONE);
    }
    assert_int_equal(control_check_complete(&check, &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
    atomic_store(&lane_status(&seg, 0)->state, LANE_FAILED);
    memset(&lane_status(&seg, 0)->error, 'x', sizeof(struct error)); /* no text ends */
    assert_int_equal(postmortem(&seg, 0, 0, &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_executors_write_is_sound, begin, end),
        cmocka_unit_test_setup_teardown(a_waiting_lane_is_sound, begin, end),
        cmocka_unit_test_setup_teardown(each_word_that_is_overwritten_is_found_or_decides_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_lane_whose_block_was_overwritten_is_named, begin, end),
        cmocka_unit_test_setup_teardown(a_block_that_its_executor_restored_is_sound, begin, end),
        cmocka_unit_test_setup_teardown(who_ran_when_the_common_pages_were_overwritten_is_named, begin, end),
        cmocka_unit_test_setup_teardown(a_state_alone_is_not_believed, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
