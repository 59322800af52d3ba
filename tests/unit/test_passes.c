/* Passes: what is taken in which, and that each is a whole run over the same bytes. Real executors, with the device
 * that counts. */
#include "tests/support/temp_dir.h"

#include "orchestrator/data/inputs.h"
#include "orchestrator/job/passes.h"
#include "orchestrator/prepare/load.h"
#include "rank-worker/lanes/executors.h"
#include "tests/passes/count_rig.h"
#include <cjson/cJSON.h>

enum { LIMIT_S = 120 };

static struct rig {
    char *dir;
    struct plan plan;
    struct inputs *inputs;
    struct segment seg;
    int32_t a[COUNT_CARDS][COUNT_ROW], acc[COUNT_CARDS][COUNT_ROW]; /* as loaded the first time */
    int runs, loads;
    struct error err;
} rig;

static int load(void *context, struct error *err)
{
    struct rig *r = context;

    r->loads++;
    return load_storages(&r->seg, r->inputs, err);
}

/* Start the three lanes that have something to do, and wait for them. */
static int run(void *context, struct error *err)
{
    const struct executor_lane lanes[] = {{.lane = 0, .ncores = 1}, {.lane = 1, .ncores = 1}, {.lane = 2, .ncores = 1}};
    struct rig *r = context;
    struct executors *e;
    struct pollfd fds[3];
    bool failed = false;

    r->runs++;
    atomic_store(&r->seg.common->starting, 3);
    assert_int_equal(executors_start(&e, &r->seg, lanes, 3, err), 0);
    alarm(LIMIT_S);
    while (executors_reap(e, &failed, err) > 0 && !failed) {
        poll(fds, executors_poll(e, fds), 20);
        executors_service(e);
    }
    alarm(0);
    executors_free(e);
    return failed ? -1 : 0;
}

static void begin(uint64_t faults)
{
    char *sheet;

    memset(&rig, 0, sizeof rig);
    rig.dir = temp_dir_make();
    setenv("L3REPLAY_EXECUTOR", BINARY_DIR "/tests/count-executor", 1);
    assert_int_equal(count_plan(&rig.plan, faults, &rig.err), 0);
    assert_int_equal(inputs_open(&rig.inputs, NULL, NULL, 0, 7, &rig.err), 0);
    sheet = count_sheet(&rig.err);
    assert_non_null(sheet);
    assert_int_equal(segment_create(&rig.seg, &rig.plan, sheet, "a2a3", &rig.err), 0);
    free(sheet);
    assert_int_equal(load_storages(&rig.seg, rig.inputs, &rig.err), 0);
    memcpy(rig.a, segment_storage(&rig.seg, COUNT_A), sizeof rig.a);
    memcpy(rig.acc, segment_storage(&rig.seg, COUNT_ACC), sizeof rig.acc);
}

static void end(void)
{
    segment_unmap(&rig.seg);
    inputs_free(rig.inputs);
    plan_free(&rig.plan);
    temp_dir_remove(rig.dir);
}

/* The passes of a run that wants everything. */
static int run_all(bool simulator)
{
    const struct pass_steps steps = {.load = load, .run = run, .context = &rig};
    struct dfx wanted = {.swimlane = 4, .pmu = 2, .dump_args = 1, .scope_stats = true, .dep_gen = true};
    struct pass passes[PASSES_MAX];
    int count;

    snprintf(wanted.dir, sizeof wanted.dir, "%s", rig.dir);
    count = passes_split(&wanted, simulator, passes);
    return passes_run(&rig.seg, passes, count, &steps, &rig.err);
}

/* What one run of the plan leaves; count_rig.h says why. */
static void expect_outputs_of_one_run(void)
{
    const int32_t(*acc)[COUNT_ROW] = segment_storage(&rig.seg, COUNT_ACC);
    const int32_t(*sum)[COUNT_ROW] = segment_storage(&rig.seg, COUNT_SUM);
    const int32_t(*tmp)[COUNT_ROW] = segment_storage(&rig.seg, COUNT_TMP);
    const int32_t *seen = segment_storage(&rig.seg, COUNT_SEEN);

    for (int c = 0; c < COUNT_CARDS; c++) {
        assert_int_equal(seen[c], COUNT_CARDS);
        for (int i = 0; i < COUNT_ROW; i++) {
            assert_int_equal(acc[c][i], rig.acc[c][i] + rig.a[c][i] + rig.a[1 - c][i] + COUNT_FILL);
            assert_int_equal(sum[c][i], acc[c][i]);
            assert_int_equal(tmp[c][i], COUNT_FILL + rig.a[c][i]);
        }
    }
    assert_memory_equal(segment_storage(&rig.seg, COUNT_A), rig.a, sizeof rig.a);
}

static cJSON *read_lines(int card, int k, const char *name)
{
    char path[512], line[2048];
    cJSON *lines = cJSON_CreateArray();
    FILE *f;

    snprintf(path, sizeof path, "%s/rank%d/d%d/%s", rig.dir, card, k, name);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        cJSON *json = cJSON_Parse(line);

        assert_non_null(json);
        cJSON_AddItemToArray(lines, json);
    }
    if (f) {
        fclose(f);
    }
    return lines;
}

static int number(const cJSON *json, const char *key)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(json, key);

    assert_true(cJSON_IsNumber(n));
    return n->valueint;
}

static void expect_switches(const cJSON *count, int dep_gen, int swimlane, int pmu, int scope_stats, int dump_args)
{
    assert_int_equal(number(count, "dep_gen"), dep_gen);
    assert_int_equal(number(count, "swimlane"), swimlane);
    assert_int_equal(number(count, "pmu"), pmu);
    assert_int_equal(number(count, "scope_stats"), scope_stats);
    assert_int_equal(number(count, "dump_args"), dump_args);
}

static void a_swimlane_on_hardware_is_two_passes_and_nothing_else_is(void **state)
{
    const struct dfx none = {0}, graph = {.dep_gen = true, .pmu = 2, .dir = "/d"};
    const struct dfx all = {.swimlane = 3, .pmu = 2, .dump_args = 1, .dep_gen = true, .scope_stats = true, .dir = "/d"};
    struct pass passes[PASSES_MAX];

    (void)state;
    assert_int_equal(passes_split(&none, false, passes), 1);
    assert_false(dfx_any(&passes[0].dfx));
    assert_int_equal(passes_split(&graph, false, passes), 1);
    assert_true(passes[0].dfx.dep_gen && passes[0].dfx.pmu == 2);
    assert_int_equal(passes_split(&all, true, passes), 1);
    assert_true(passes[0].dfx.dep_gen && passes[0].dfx.swimlane == 3);

    assert_int_equal(passes_split(&all, false, passes), 2);
    assert_string_equal(passes[0].name, "graph pass");
    assert_true(passes[0].dfx.dep_gen);
    assert_false(passes[0].dfx.swimlane || passes[0].dfx.pmu || passes[0].dfx.dump_args || passes[0].dfx.scope_stats);
    assert_string_equal(passes[1].name, "timing pass");
    assert_false(passes[1].dfx.dep_gen);
    assert_true(passes[1].dfx.swimlane == 3 && passes[1].dfx.pmu == 2 && passes[1].dfx.dump_args == 1 &&
                passes[1].dfx.scope_stats);
    assert_string_equal(passes[0].dfx.dir, "/d");
    assert_string_equal(passes[1].dfx.dir, "/d");
}

static void two_passes_leave_the_numbers_of_one(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(run_all(false), 0);
    assert_int_equal(rig.runs, 2);
    assert_int_equal(rig.loads, 1); /* before the second */
    expect_outputs_of_one_run();
    end();
}

/* Otherwise the test above would say nothing. */
static void without_restoring_the_numbers_are_others(void **state)
{
    const int32_t(*acc)[COUNT_ROW], *seen;

    (void)state;
    begin(0);
    assert_int_equal(run(&rig, &rig.err), 0);
    expect_outputs_of_one_run();
    for (uint32_t i = 0; i < COUNT_NODES; i++) {
        atomic_store(&rig.seg.words[i], WORD_PENDING);
    }
    atomic_store(&rig.seg.common->go, WORD_PENDING);
    assert_int_equal(run(&rig, &rig.err), 0);
    seen = segment_storage(&rig.seg, COUNT_SEEN);
    acc = segment_storage(&rig.seg, COUNT_ACC);
    for (int c = 0; c < COUNT_CARDS; c++) {
        assert_int_equal(seen[c], 2 * COUNT_CARDS);
        for (int i = 0; i < COUNT_ROW; i++) { /* and a[c], twice a[1 - c] and another fill */
            assert_true(acc[c][i] >= rig.acc[c][i] + rig.a[c][i] + rig.a[1 - c][i] + 2 * COUNT_FILL);
        }
    }
    end();
}

static void each_dispatch_runs_for_the_graph_and_then_for_the_rest(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(run_all(false), 0);
    for (int card = 0; card < COUNT_CARDS; card++) {
        for (int k = 0; k < 2; k++) {
            cJSON *lines = read_lines(card, k, "runs.jsonl");
            const cJSON *first = cJSON_GetArrayItem(lines, 0), *second = cJSON_GetArrayItem(lines, 1);

            assert_int_equal(cJSON_GetArraySize(lines), 2);
            expect_switches(first, 1, 0, 0, 0, 0);
            expect_switches(second, 0, 4, 2, 1, 1);
            /* A device of its own in each pass, so the card's k begins at 0 in both. */
            assert_int_equal(number(first, "run"), k);
            assert_int_equal(number(second, "run"), k);
            assert_int_equal(number(second, "opens"), 1);
            assert_int_not_equal(number(first, "pid"), number(second, "pid"));
            cJSON_Delete(lines);
        }
    }
    end();
}

static void both_halves_of_a_dispatch_lie_in_one_directory(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(run_all(false), 0);
    for (int card = 0; card < COUNT_CARDS; card++) {
        for (int k = 0; k < 2; k++) {
            cJSON *deps = read_lines(card, k, "deps.json");
            cJSON *records = read_lines(card, k, "chip_swimlane_records.json");
            const cJSON *of_deps = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(deps, 0), "count");
            const cJSON *of_records = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(records, 0), "count");

            expect_switches(of_deps, 1, 0, 0, 0, 0);
            expect_switches(of_records, 0, 4, 2, 1, 1);
            assert_int_equal(number(of_deps, "run"), k);
            assert_int_equal(number(of_records, "run"), k);
            cJSON_Delete(deps);
            cJSON_Delete(records);
        }
    }
    end();
}

static void a_simulator_does_it_in_one(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(run_all(true), 0);
    assert_int_equal(rig.runs, 1);
    assert_int_equal(rig.loads, 0);
    expect_outputs_of_one_run();
    for (int i = 0; i < 4; i++) {
        cJSON *lines = read_lines(i / 2, i % 2, "runs.jsonl");

        assert_int_equal(cJSON_GetArraySize(lines), 1);
        expect_switches(cJSON_GetArrayItem(lines, 0), 1, 4, 2, 1, 1);
        cJSON_Delete(lines);
    }
    end();
}

static void times_and_states_are_those_of_the_second_pass(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(run_all(false), 0);
    for (uint32_t i = 0; i < 4; i++) {
        const struct plan_node *n = &rig.plan.nodes[i];
        cJSON *records = read_lines((int)n->lane, (int)n->k, "chip_swimlane_records.json");
        const cJSON *tasks = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(records, 0), "aicore_tasks");
        const cJSON *task = cJSON_GetArrayItem(tasks, 0);

        /* Only the second pass wrote it, and its task ran within the dispatch. */
        assert_true(cJSON_GetArrayItem(task, 3)->valuedouble >= (double)segment_node_times(&rig.seg, i)->start_ns);
        assert_true(cJSON_GetArrayItem(task, 4)->valuedouble <= (double)segment_node_times(&rig.seg, i)->end_ns);
        cJSON_Delete(records);
    }
    assert_int_equal(atomic_load(&lane_status(&rig.seg, 0)->ndone), 2); /* not 4 */
    assert_int_equal(atomic_load(&lane_status(&rig.seg, COUNT_CARDS)->ndone), 1);
    end();
}

static void expect_failure(const char *pass)
{
    assert_int_equal(rig.err.kind, ERROR_FAIL);
    assert_string_equal(rig.err.what, "the device that counts was asked to fail");
    assert_int_equal(strncmp(rig.err.where, pass, strlen(pass)), 0);
    assert_non_null(strstr(rig.err.where, "card 1"));
}

static void a_failure_in_the_graph_pass_says_so_and_is_the_end(void **state)
{
    cJSON *lines;

    (void)state;
    begin(COUNT_FAIL_GRAPH);
    assert_int_equal(run_all(false), -1);
    expect_failure("graph pass: ");
    assert_int_equal(rig.runs, 1);
    lines = read_lines(1, 0, "runs.jsonl");
    assert_int_equal(cJSON_GetArraySize(lines), 1);
    expect_switches(cJSON_GetArrayItem(lines, 0), 1, 0, 0, 0, 0);
    cJSON_Delete(lines);
    end();
}

static void a_failure_in_the_timing_pass_says_so(void **state)
{
    (void)state;
    begin(COUNT_FAIL_OTHER);
    assert_int_equal(run_all(false), -1);
    expect_failure("timing pass: ");
    assert_int_equal(rig.runs, 2);
    end();
}

static void a_failure_of_the_only_pass_names_none(void **state)
{
    (void)state;
    begin(COUNT_FAIL_OTHER);
    assert_int_equal(run_all(true), -1);
    assert_null(strstr(rig.err.where, "pass"));
    end();
}

static int fail_far_away(void *context, struct error *err)
{
    struct rig *r = context;

    r->runs++;
    return error_set(err, NULL, NULL, "%s", "far");
}

static int fail_at_length(void *context, struct error *err)
{
    fail_far_away(context, err);
    memset(err->where, 'x', sizeof err->where - 1);
    err->where[sizeof err->where - 1] = '\0';
    return -1;
}

static void the_name_of_the_pass_fits_whatever_the_place(void **state)
{
    const struct pass passes[] = {{.name = "graph pass"}, {.name = "timing pass"}};
    struct pass_steps steps = {.load = load, .run = fail_far_away, .context = &rig};

    (void)state;
    begin(0);
    assert_int_equal(passes_run(&rig.seg, passes, 2, &steps, &rig.err), -1);
    assert_string_equal(rig.err.where, "graph pass");
    steps.run = fail_at_length;
    assert_int_equal(passes_run(&rig.seg, passes, 2, &steps, &rig.err), -1);
    assert_int_equal(strncmp(rig.err.where, "graph pass: xxx", 15), 0);
    assert_int_equal(strlen(rig.err.where), sizeof rig.err.where - 1);
    end();
}

/* Takes the hashes of every run. */
struct taken {
    uint64_t hashes[8][COUNT_NODES * 3];
    int count;
};
static struct taken taken;

static int run_and_take(void *context, struct error *err)
{
    struct rig *r = context;

    if (run(context, err) < 0) {
        return -1;
    }
    memcpy(taken.hashes[taken.count++], r->seg.hashes, r->plan.narg * sizeof(uint64_t));
    return 0;
}

static void repeated_runs_begin_alike_and_hash_what_they_write(void **state)
{
    const struct pass_steps steps = {.load = load, .run = run_and_take, .context = &rig};

    (void)state;
    memset(&taken, 0, sizeof taken);
    begin(0);
    assert_int_equal(passes_repeat(&rig.seg, 3, &steps, &rig.err), 0);
    assert_int_equal(rig.runs, 3);
    assert_int_equal(rig.loads, 2);
    expect_outputs_of_one_run();
    assert_int_equal(taken.count, 3);
    assert_memory_equal(taken.hashes[1], taken.hashes[0], sizeof taken.hashes[0]);
    assert_memory_equal(taken.hashes[2], taken.hashes[0], sizeof taken.hashes[0]);
    for (uint64_t i = 0; i < rig.plan.narg; i++) {
        assert_int_equal(taken.hashes[0][i] != 0, plan_tag_writes(rig.plan.args[i].tag));
    }
    end();
}

static void a_failure_names_the_run(void **state)
{
    const struct pass_steps steps = {.load = load, .run = run_and_take, .context = &rig};

    (void)state;
    memset(&taken, 0, sizeof taken);
    begin(COUNT_FAIL_OTHER);
    assert_int_equal(passes_repeat(&rig.seg, 3, &steps, &rig.err), -1);
    expect_failure("run 1 of 3: ");
    end();
}

static void a_run_that_is_not_repeated_hashes_nothing(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(run_all(true), 0);
    for (uint64_t i = 0; i < rig.plan.narg; i++) {
        assert_int_equal(rig.seg.hashes[i], 0);
    }
    end();
}

static bool ran[8]; /* by run: did a dispatch write? */

static int run_and_see(void *context, struct error *err)
{
    struct rig *r = context;

    if (run(context, err) < 0) {
        return -1;
    }
    ran[r->runs - 1] = memcmp(rig.acc, segment_storage(&r->seg, COUNT_ACC), sizeof rig.acc) != 0;
    return 0;
}

static bool three_are_enough(const void *context)
{
    const struct rig *r = context;

    return r->runs >= 3;
}

/* An even number, and nodes that are to be skipped are in every second one alone. */
static void passes_until_there_are_enough(void **state)
{
    const struct pass_steps steps = {.load = load, .run = run_and_see, .context = &rig};

    (void)state;
    begin(0);
    rig.seg.header->skip_end = rig.plan.nnode;
    assert_int_equal(passes_until(&rig.seg, three_are_enough, &steps, &rig.err), 0);
    assert_int_equal(rig.runs, 4);
    assert_int_equal(rig.loads, 3);
    assert_true(ran[0] && !ran[1] && ran[2] && !ran[3]);
    assert_true(word_is_done(&rig.seg.words[0]));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_swimlane_on_hardware_is_two_passes_and_nothing_else_is),
        cmocka_unit_test(two_passes_leave_the_numbers_of_one),
        cmocka_unit_test(without_restoring_the_numbers_are_others),
        cmocka_unit_test(each_dispatch_runs_for_the_graph_and_then_for_the_rest),
        cmocka_unit_test(both_halves_of_a_dispatch_lie_in_one_directory),
        cmocka_unit_test(a_simulator_does_it_in_one),
        cmocka_unit_test(times_and_states_are_those_of_the_second_pass),
        cmocka_unit_test(a_failure_in_the_graph_pass_says_so_and_is_the_end),
        cmocka_unit_test(a_failure_in_the_timing_pass_says_so),
        cmocka_unit_test(a_failure_of_the_only_pass_names_none),
        cmocka_unit_test(the_name_of_the_pass_fits_whatever_the_place),
        cmocka_unit_test(passes_until_there_are_enough),
        cmocka_unit_test(repeated_runs_begin_alike_and_hash_what_they_write),
        cmocka_unit_test(a_failure_names_the_run),
        cmocka_unit_test(a_run_that_is_not_repeated_hashes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
