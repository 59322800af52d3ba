/* Reading the profiles of one dispatch: whole, old, truncated and missing files. */
#include "tests/support/temp_dir.h"

#include "orchestrator/profiles/dfx_missing.h"

/* Tokens of 64 bits that a double cannot hold; a token that runs twice on one core; rows of the two streams in
 * different orders. */
static const char records[] = "{\"chip_swimlane_level\": 4, \"metadata\": {\"clock_freq_hz\": 50000000, \"num_cores\": "
                              "2, \"core_types\": [\"aic\", \"aiv\"],"
                              " \"core_to_thread\": [0, 1]},\n"
                              "\"aicore_tasks\": [[1, 9007199254740993, 5, 300, 400, 10], [0, 7, 4, 150, 250, 5], [1, "
                              "9007199254740993, 6, 500, 650, 20]],\n"
                              "\"aicpu_tasks\": [[1, 6, 450, 700], [0, 4, 120, 260], [1, 5, 280, 410]],\n"
                              "\"aicpu_scheduler_phases\": [[{\"kind\": \"complete\", \"start_cycles\": 260, "
                              "\"end_cycles\": 262, \"loop_iter\": 2,"
                              " \"tasks_processed\": 1}], [{\"kind\": \"dispatch\", \"start_cycles\": 115, "
                              "\"end_cycles\": 121, \"loop_iter\": 1,"
                              " \"tasks_processed\": 1, \"pop_hit\": 1, \"pop_miss\": 6, \"shared_at_start\": [0, 1, "
                              "0], \"shared_at_end\": [3, 2, 1]}]],\n"
                              "\"aicpu_orchestrator_phases\": [[{\"submit_idx\": 0, \"task_id\": 7, \"start_cycles\": "
                              "100, \"end_cycles\": 110}]]}\n";

static const char graph[] = "{\"tasks\": [{\"task_id\": \"9007199254740993\", \"kernel_ids\": [-1, -1, 3]}, "
                            "{\"task_id\": \"7\", \"kernel_ids\": [2, 1, -1]}],"
                            " \"tensors\": [], \"edges\": [{\"pred\": \"7\", \"succ\": \"9007199254740993\", \"arg\": "
                            "0, \"source\": \"tensormap\"},"
                            " {\"pred\": \"7\", \"succ\": \"9007199254740993\", \"arg\": 1, \"source\": "
                            "\"explicit\"}]}";

static struct dfx_dispatch load_captured(const char *dir, const struct run_captured *captured)
{
    struct dfx_dispatch d;
    struct dfx_list list;
    struct error err;

    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(dfx_load(&list.entries[0], &d, &err), 0);
    assert_int_equal(dfx_missing_warn(&list.entries[0], &d, captured, &err), 0);
    dfx_list_free(&list);
    return d;
}

/* What was captured is not known. */
static struct dfx_dispatch load(const char *dir)
{
    return load_captured(dir, &(struct run_captured){0});
}

static bool noted(const struct dfx_dispatch *d, const char *part)
{
    for (size_t i = 0; i < d->notes.count; i++) {
        if (strstr(d->notes.items[i], part)) {
            return true;
        }
    }
    return false;
}

static void whole_files_are_joined_by_core_and_register(void **state)
{
    char *dir = temp_dir_make(), name[64];
    struct dfx_dispatch d;
    const struct swim_task *t;

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json", records);
    temp_dir_put_text(dir, "rank0/d0/deps.json", graph);
    temp_dir_put_text(dir, "rank0/d0/name_map.json",
                      "{\"level\": 2, \"orchestrator_name\": null, \"callable_id_to_name\": {\"2\": \"matmul\"}}");
    temp_dir_put_text(dir, "rank0/d0/dispatch_program.json", "{\"program\": \"layer\"}");
    d = load(dir);
    assert_int_equal(d.notes.count, 0);
    assert_string_equal(d.program, "layer");
    assert_int_equal(d.records.ntask, 3);
    t = d.records.tasks; /* by start */
    assert_true(t[0].token == 7 && t[1].token == 9007199254740993u && t[2].token == 9007199254740993u);
    assert_int_equal(t[0].dispatch, 120);
    assert_int_equal(t[1].finish, 410);
    assert_int_equal(t[2].finish, 700);
    assert_int_equal(t[2].setup, 20);
    assert_int_equal(d.records.first, 100); /* the submit */
    assert_int_equal(d.records.last, 700);
    assert_int_equal(swimlane_ns(&d.records, 150), 1000); /* 50 cycles of 20 ns */
    assert_int_equal(d.records.nphase, 2);
    assert_int_equal(d.records.phases[1].thread, 1);
    assert_int_equal(d.records.phases[1].ready[0], 3);
    assert_int_equal(d.records.phases[0].pop_hit, -1);
    assert_int_equal(d.deps.nedge, 1); /* two tensors, one arrow */
    assert_string_equal(dfx_kernel_name(&d, &t[0], name, sizeof name), "matmul");
    assert_string_equal(dfx_kernel_name(&d, &t[1], name, sizeof name), "func_3"); /* not in the map: not guessed */
    dfx_free(&d);
    temp_dir_remove(dir);
}

static void records_without_deps_are_anonymous_and_say_so(void **state)
{
    char *dir = temp_dir_make(), name[64];
    struct dfx_dispatch d;

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json", records);
    temp_dir_put_text(dir, "rank0/d0/name_map.json", "{\"callable_id_to_name\": {\"2\": \"matmul\"}}");
    d = load(dir);
    assert_true(noted(&d, "records without deps.json"));
    assert_string_equal(dfx_kernel_name(&d, &d.records.tasks[0], name, sizeof name), "task");
    assert_null(d.program);
    dfx_free(&d);
    temp_dir_remove(dir);
}

/* As an L2 build has them, from the stack or from here. */
static void files_of_one_dispatch_without_directories(void **state)
{
    char *dir = temp_dir_make(), name[64];
    struct dfx_dispatch d;
    struct dfx_list list;
    struct error err;

    (void)state;
    temp_dir_put_text(dir, "dfx_outputs/chip_swimlane_records.json", records);
    temp_dir_put_text(dir, "dfx_outputs/deps.json", graph);
    temp_dir_put_text(dir, "dfx_outputs/name_map_my_build.json", "{\"callable_id_to_name\": {\"2\": \"matmul\"}}");
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.entries[0].rank, 0);
    assert_int_equal(list.entries[0].k, 0);
    dfx_list_free(&list);
    d = load(dir);
    assert_int_equal(d.records.ntask, 3);
    assert_string_equal(dfx_kernel_name(&d, &d.records.tasks[0], name, sizeof name), "matmul");
    dfx_free(&d);

    /* Those of a run on several cards count, whatever lies beside them. */
    temp_dir_put_text(dir, "dfx_outputs/rank1/d2/deps.json", graph);
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.entries[0].rank, 1);
    dfx_list_free(&list);
    temp_dir_remove(dir);
}

static void deps_without_records_say_so(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_dispatch d;

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/deps.json", graph);
    d = load(dir);
    assert_true(noted(&d, "deps.json without chip_swimlane_records.json"));
    assert_true(noted(&d, "no name_map.json"));
    dfx_free(&d);
    temp_dir_remove(dir);
}

/* Cut after every byte: never a crash, never silence, and never a task that the whole file has not. */
static void a_truncated_file_gives_what_came_before_the_cut(void **state)
{
    char *dir = temp_dir_make();

    (void)state;
    for (size_t n = 0; n < strlen(records) - 2; n++) {
        struct dfx_dispatch d;
        temp_dir_put(dir, "rank0/d0/chip_swimlane_records.json", records, n);
        d = load(dir);
        assert_true(noted(&d, "truncated"));
        assert_true(d.records.ntask <= 3);
        for (size_t i = 0; i < d.records.ntask; i++) {
            assert_true(d.records.tasks[i].end == 250 || d.records.tasks[i].end == 400 ||
                        d.records.tasks[i].end == 650);
        }
        dfx_free(&d);
    }
    for (size_t n = 0; n < strlen(graph) - 1; n++) {
        struct dfx_dispatch d;
        temp_dir_put(dir, "rank0/d0/deps.json", graph, n);
        d = load(dir);
        assert_true(noted(&d, "deps.json: it ends in the middle"));
        dfx_free(&d);
    }
    temp_dir_remove(dir);
}

static void older_files_have_five_columns(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_dispatch d;

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json",
                      "{\"chip_swimlane_level\": 1, \"metadata\": {\"clock_freq_hz\": 1000000000, \"core_types\": "
                      "[\"aiv\"]},"
                      "\"aicore_tasks\": [[0, 1, 1, 10, 30], [0, 2, 2, 40], [0, 3, 3, 60, 50], [0, 4, 4, 70, 90]]}");
    d = load(dir);
    assert_int_equal(d.records.ntask, 2);
    assert_false(d.records.has_setup);
    assert_true(noted(&d, "older version"));
    assert_true(noted(&d, "2 records of unknown form"));
    assert_int_equal(d.records.tasks[1].finish, 0); /* level 1 has no dispatcher's stream */
    dfx_free(&d);
    temp_dir_remove(dir);
}

static void times_without_a_clock_are_not_shown(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_dispatch d;

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json",
                      "{\"chip_swimlane_level\": 1, \"metadata\": {}, \"aicore_tasks\": [[0, 1, 1, 10, 30, 1]]}");
    d = load(dir);
    assert_int_equal(d.records.ntask, 0);
    assert_true(noted(&d, "clock_freq_hz is missing"));
    dfx_free(&d);
    temp_dir_remove(dir);
}

static void only_directories_of_dispatches_are_listed_in_order(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_list list;
    struct error err;

    (void)state;
    assert_int_equal(dfx_list_read(dir, &list, &err), -1);
    assert_non_null(strstr(err.what, "no profiles"));
    temp_dir_put_text(dir, "dfx_outputs/rank10/d0/deps.json", "{}");
    temp_dir_put_text(dir, "dfx_outputs/rank2/d11/deps.json", "{}");
    temp_dir_put_text(dir, "dfx_outputs/rank2/d2/deps.json", "{}");
    temp_dir_put_text(dir, "dfx_outputs/rank2/d02/deps.json", "{}"); /* no writer spells it so */
    temp_dir_put_text(dir, "dfx_outputs/rank2/d3", "a file");
    temp_dir_put_text(dir, "dfx_outputs/rank2/c3/deps.json", "{}");
    temp_dir_put_text(dir, "dfx_outputs/rankless/d0/deps.json", "{}");
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(list.count, 4);
    assert_true(list.entries[0].rank == 2 && list.entries[0].k == 2);
    assert_true(list.entries[1].rank == 2 && list.entries[1].k == 11);
    assert_true(list.entries[2].rank == 2 && list.entries[2].k == DFX_OTHER + 3); /* a collective */
    assert_true(list.entries[3].rank == 10 && list.entries[3].k == 0);
    dfx_list_free(&list);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files_are_joined_by_core_and_register),
        cmocka_unit_test(records_without_deps_are_anonymous_and_say_so),
        cmocka_unit_test(files_of_one_dispatch_without_directories),
        cmocka_unit_test(deps_without_records_say_so),
        cmocka_unit_test(a_truncated_file_gives_what_came_before_the_cut),
        cmocka_unit_test(older_files_have_five_columns),
        cmocka_unit_test(times_without_a_clock_are_not_shown),
        cmocka_unit_test(only_directories_of_dispatches_are_listed_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
