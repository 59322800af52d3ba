/* What an executor opens for its lane, and when it begins: Python is for the lane of sub-workers alone. Real executors, with the device
 * that counts. */
#include "tests/support/temp_dir.h"

#include <poll.h>

#include "common/base/file.h"
#include "common/plan/plan_build.h"
#include "common/plan/sheet.h"
#include "rank-worker/lanes/executors.h"

enum { LIMIT_S = 120, CARDS = 2, SUB_LANE = CARDS + 1, LANES = CARDS + 2 };

/* Notes who started it, by the command line, then is Python. */
static const char interpreter[] = "#!/bin/sh\n"
                                  "tr '\\0' ' ' <\"/proc/$PPID/cmdline\" >>\"${0%/*}/started\"\n"
                                  "echo >>\"${0%/*}/started\"\n"
                                  "exec python3 \"$@\"\n";

static struct rig {
    char *dir;
    struct plan plan; /* one call of a sub-worker, f() */
    struct segment seg;
    struct error err;
} rig;

static char *sheet_of(const char *file)
{
    struct sheet_writer *w = sheet_writer_new(&rig.err);

    assert_non_null(w);
    assert_int_equal(sheet_write_sub_worker(w, "f", file, "f", &rig.err), 0);
    return sheet_writer_text(w, &rig.err);
}

static void make_plan(void)
{
    struct plan_builder *b = plan_builder_new(CARDS, &rig.err);
    struct plan_node node = {.kind = PLAN_SUB, .lane = SUB_LANE, .group = PLAN_NONE, .k = PLAN_NONE};

    assert_non_null(b);
    assert_int_equal(plan_add_sub(b, "f", &node.program, &rig.err), 0);
    assert_int_equal(plan_add_node(b, &node, NULL, NULL, NULL, &rig.err), 0);
    plan_builder_finish(b, &rig.plan);
    assert_int_equal(plan_sub_lane(&rig.plan), SUB_LANE);
    assert_int_equal(plan_lane_count(&rig.plan), LANES);
}

static int setup(void **state)
{
    char *python, *file, *sheet;

    (void)state;
    memset(&rig, 0, sizeof rig);
    rig.dir = temp_dir_make();
    temp_dir_put_text(rig.dir, "f.py",
                      "import os\ndef f(args):\n    open(os.environ['CALLED'], 'a').write('called')\n");
    temp_dir_put_text(rig.dir, "python", interpreter);
    python = file_join(rig.dir, "python", NULL);
    assert_int_equal(chmod(python, 0755), 0);
    setenv("L3REPLAY_SUBWORKER_PYTHON", python, 1);
    free(python);
    file = file_join(rig.dir, "called", NULL);
    setenv("CALLED", file, 1);
    free(file);
    setenv("L3REPLAY_EXECUTOR", BINARY_DIR "/tests/count-executor", 1);
    make_plan();
    file = file_join(rig.dir, "f.py", NULL);
    sheet = sheet_of(file);
    free(file);
    assert_non_null(sheet);
    assert_int_equal(segment_create(&rig.seg, &rig.plan, sheet, "a2a3sim", &rig.err), 0);
    free(sheet);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    segment_unmap(&rig.seg);
    plan_free(&rig.plan);
    temp_dir_remove(rig.dir);
    return 0;
}

/* An executor for every lane of the plan, those too that have nothing to do; cards have a directory of their own for
 * profiles. */
static struct executors *start_all_lanes(void)
{
    struct executor_lane lanes[LANES];
    struct executors *e;

    for (uint32_t i = 0; i < LANES; i++) {
        lanes[i] = (struct executor_lane){.lane = i, .ncores = 1, .dfx_dir = i < CARDS ? rig.dir : NULL};
    }
    assert_int_equal(executors_start(&e, &rig.seg, lanes, LANES, &rig.err), 0);
    return e;
}

/* Until `is_over`, or all have ended. */
static void watch(struct executors *e, bool (*is_over)(void))
{
    struct pollfd fds[LANES];
    bool failed = false;

    alarm(LIMIT_S);
    while (executors_reap(e, &failed, &rig.err) > 0 && !failed && !is_over()) {
        poll(fds, executors_poll(e, fds), 20);
        executors_service(e);
    }
    alarm(0);
    if (failed) {
        fail_msg("%s (%s)", rig.err.what, rig.err.where);
    }
}

static bool never(void)
{
    return false;
}

static char *text_of(const char *name)
{
    char *path = file_join(rig.dir, name, NULL), *text = file_read(path, 4096, NULL, &rig.err);

    free(path);
    assert_non_null(text);
    return text;
}

static void python_is_started_for_its_lane_alone(void **state)
{
    char *text, lane[16];
    struct executors *e;

    (void)state;
    atomic_store(&rig.seg.common->starting, LANES);
    e = start_all_lanes();
    watch(e, never);
    executors_free(e);
    text = text_of("called");
    assert_string_equal(text, "called");
    free(text);
    text = text_of("started"); /* ".../count-executor LANE ..." */
    snprintf(lane, sizeof lane, "executor %d ", SUB_LANE);
    assert_non_null(strstr(text, lane));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* once */
    free(text);
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(atomic_load(&lane_status(&rig.seg, i)->state), LANE_DONE);
        assert_int_equal(atomic_load(&lane_status(&rig.seg, i)->ndone), i == SUB_LANE);
    }
}

static bool one_is_missing(void)
{
    return atomic_load(&rig.seg.common->starting) == 1;
}

/* One more executor is waited for: the others are ready, and nothing runs. */
static void nothing_runs_until_all_are_ready(void **state)
{
    struct executors *e;
    char *called = file_join(rig.dir, "called", NULL);

    (void)state;
    atomic_store(&rig.seg.common->starting, LANES + 1);
    e = start_all_lanes();
    watch(e, one_is_missing);
    assert_true(one_is_missing());
    assert_false(word_is_done(&rig.seg.common->go));
    assert_false(file_is_regular(called));
    word_complete(&rig.seg.common->go); /* as the one that is missing does */
    watch(e, never);
    executors_free(e);
    assert_true(file_is_regular(called));
    free(called);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_runs_until_all_are_ready, setup, teardown),
        cmocka_unit_test_setup_teardown(python_is_started_for_its_lane_alone, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
