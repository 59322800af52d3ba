/* What profiles lack is said, and what nobody captured is not missed; what cannot be read does not hide the rest. */
#include "tests/support/temp_dir.h"

#include "orchestrator/profiles/dfx_missing.h"
#include "orchestrator/report/report_make.h"
#include "orchestrator/report/report_print.h"
#include "orchestrator/trace/timeline.h"

static const struct run_captured everything = {true, true, true, 4, 2, 2};
static const struct run_captured unknown = {0};

static const char four_blocks[] =
    "{\"tasks\": [{\"task_id\": \"1\", \"kernel_ids\": [0, 1, -1], \"block_num\": 2}, {\"task_id\": \"2\", "
    "\"kernel_ids\": [-1, -1, -1], \"block_num\": 9}], \"edges\": []}";

#define FOUR_CALLS "[0, 1, 1, 10, 20, 1], [0, 1, 2, 30, 40, 1], [1, 1, 1, 10, 20, 1], [1, 1, 2, 30, 40, 1]"

static void put_records(const char *dir, const char *level, const char *tasks, const char *aicpu)
{
    char text[1024];

    assert_true((size_t)snprintf(text, sizeof text,
                                 "{\"chip_swimlane_level\": %s, \"metadata\": {\"clock_freq_hz\": 1000000000, "
                                 "\"core_types\": [\"aic\", \"aiv\"]}, \"aicore_tasks\": [%s], \"aicpu_tasks\": [%s]}",
                                 level, tasks, aicpu) < sizeof text);
    temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json", text);
}

/* The notes of rank0/d0, a line each. To be freed. */
static char *notes_of(const char *dir, const struct run_captured *captured)
{
    struct dfx_dispatch d;
    struct dfx_list list;
    struct error err;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(dfx_load(&list.entries[0], &d, &err), 0);
    assert_int_equal(dfx_missing_warn(&list.entries[0], &d, captured, &err), 0);
    for (size_t i = 0; i < d.notes.count; i++) {
        fprintf(f, "%s\n", d.notes.items[i]);
    }
    assert_int_equal(fclose(f), 0);
    dfx_free(&d);
    dfx_list_free(&list);
    return text;
}

static void expect_notes(const char *dir, const struct run_captured *captured, const char *wanted)
{
    char *text = notes_of(dir, captured);

    assert_string_equal(text, wanted);
    free(text);
}

static void what_was_captured_is_missed(void **state)
{
    const struct run_captured counters = {.known = true, .pmu = 2}, graph = {.known = true, .dep_gen = true};
    char *dir = temp_dir_make();

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/dispatch_program.json", "{\"program\": \"p\"}");
    expect_notes(dir, &everything,
                 "chip_swimlane_records.json was captured and is not there\n"
                 "deps.json was captured and is not there\n"
                 "pmu.csv was captured and is not there\n"
                 "scope_stats/scope_stats.jsonl was captured and is not there\n"
                 "args_dump/args_dump.json was captured and is not there\n"
                 "neither chip_swimlane_records.json nor deps.json could be used\n");
    expect_notes(dir, &unknown, "neither chip_swimlane_records.json nor deps.json could be used\n");
    expect_notes(dir, &counters, "pmu.csv was captured and is not there\n");
    temp_dir_put_text(dir, "rank0/d0/pmu.csv", "thread_id,core_id\n");
    expect_notes(dir, &counters, "");
    temp_dir_put_text(dir, "rank0/d0/name_map.json", "{\"callable_id_to_name\": {\"0\": \"k\"}}");
    temp_dir_put_text(dir, "rank0/d0/deps.json", four_blocks);
    expect_notes(dir, &graph, "");
    temp_dir_remove(dir);
}

/* The report knows what was captured from l3_run.json; d1 did not run, and nothing of it is missed. */
static void only_what_ran_has_to_have_profiles(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_list list;
    struct report r;
    struct error err;

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/dispatch_program.json", "{\"program\": \"p\"}");
    temp_dir_put_text(dir, "rank0/d1/dispatch_program.json", "{\"program\": \"p\"}");
    temp_dir_put_text(dir, "l3_run.json",
                      "{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"1\", \"captured\": {\"swimlane\": 0, "
                      "\"dep_gen\": false, \"pmu\": 0, \"scope_stats\": true, \"dump_args\": 0}, \"nodes\": ["
                      "{\"kind\": \"dispatch\", \"name\": \"p\", \"lane\": 0, \"k\": 0, \"start_ns\": 0, "
                      "\"end_ns\": 9}, {\"kind\": \"dispatch\", \"name\": \"p\", \"lane\": 0, \"k\": 1}]}");
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(report_make(&r, &list, &err), 0);
    assert_int_equal(r.ndispatch, 2);
    assert_int_equal(r.dispatches[0].notes.count, 1);
    assert_string_equal(r.dispatches[0].notes.items[0], "scope_stats/scope_stats.jsonl was captured and is not there");
    assert_int_equal(r.dispatches[1].notes.count, 0);
    assert_int_equal(r.notes.count, 2); /* to take no swimlane is no fault */
    assert_true(report_is_without_tasks(&r));
    assert_string_equal(
        r.notes.items[0],
        "1 of 2 nodes of the plan did not run to their end: the run was stopped, and its picture ends there");
    assert_non_null(strstr(r.notes.items[1], "of 1 of the 2 dispatches something is missing"));
    report_free(&r);
    dfx_list_free(&list);
    temp_dir_remove(dir);
}

/* Two blocks of two kernels are four calls; a task without kernels makes none. */
static void records_that_are_cut_short_are_found_by_the_graph(void **state)
{
    static const char names[] = "{\"callable_id_to_name\": {\"0\": \"a\", \"1\": \"b\"}}";
    char *dir = temp_dir_make();

    (void)state;
    temp_dir_put_text(dir, "rank0/d0/name_map.json", names);
    temp_dir_put_text(dir, "rank0/d0/deps.json", four_blocks);
    put_records(dir, "1", FOUR_CALLS, "");
    expect_notes(dir, &unknown, "");
    put_records(dir, "1", "[0, 1, 1, 10, 20, 1], [0, 1, 2, 30, 40, 1], [1, 1, 1, 10, 20, 1]", "");
    expect_notes(dir, &unknown,
                 "chip_swimlane_records.json is cut short: 3 kernel calls, and the tasks of deps.json make 4\n");
    put_records(dir, "2", FOUR_CALLS, "");
    expect_notes(dir, &unknown,
                 "chip_swimlane_records.json: aicpu_tasks is empty: when tasks were dispatched and seen to finish is "
                 "unknown\n");
    temp_dir_remove(dir);
}

/* The second record reaches to byte 8 + 16 = 24. */
static void dumped_arguments_must_have_their_bytes(void **state)
{
    static const char manifest[] = "{\"run_dir\": \"args_dump\", \"bin_file\": %s, \"args\": [{\"bin_offset\": 0, "
                                   "\"bin_size\": 8}, {\"shape\": [4], \"bin_offset\": 8, \"bin_size\": 16}, "
                                   "{\"bin_offset\": 4, \"bin_size\": 4}]}";
    const struct run_captured dumps = {.known = true, .dump_args = 2};
    const char bytes[24] = {0};
    char *dir = temp_dir_make(), text[512];

    (void)state;
    snprintf(text, sizeof text, manifest, "\"args.bin\"");
    temp_dir_put_text(dir, "rank0/d0/args_dump/args_dump.json", text);
    expect_notes(dir, &dumps,
                 "args_dump/args_dump.json: its bin_file args.bin cannot be used: No such file or directory\n");
    temp_dir_put(dir, "rank0/d0/args_dump/args.bin", bytes, 23);
    expect_notes(dir, &dumps,
                 "args_dump/args_dump.json: its bin_file args.bin is cut short: 23 bytes, and the "
                 "arguments reach to 24\n");
    temp_dir_put(dir, "rank0/d0/args_dump/args.bin", bytes, 24);
    expect_notes(dir, &dumps, "");
    snprintf(text, sizeof text, manifest, "\"../args.bin\"");
    temp_dir_put_text(dir, "rank0/d0/args_dump/args_dump.json", text);
    expect_notes(dir, &dumps, "args_dump/args_dump.json: its bin_file \"../args.bin\" is not beside it\n");
    snprintf(text, sizeof text, manifest, "null");
    temp_dir_put_text(dir, "rank0/d0/args_dump/args_dump.json", text);
    expect_notes(dir, &dumps, "");
    for (size_t n = 0; n < strlen(text); n++) {
        char *notes;
        temp_dir_put(dir, "rank0/d0/args_dump/args_dump.json", text, n);
        notes = notes_of(dir, &dumps);
        assert_true(strncmp(notes, "args_dump/args_dump.json: ", 26) == 0);
        free(notes);
    }
    temp_dir_remove(dir);
}

static void link_to_itself(const char *dir, const char *name)
{
    char *path;

    assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
    assert_int_equal(symlink(path, path), 0);
    free(path);
}

static void what_cannot_be_read_does_not_hide_the_rest(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_list list;
    struct report r;
    struct error err;
    size_t found = 0;

    (void)state;
    link_to_itself(dir, "rank1");
    assert_int_equal(dfx_list_read(dir, &list, &err), -1);
    assert_non_null(strstr(err.what, "rank1: Too many levels of symbolic links"));
    temp_dir_put_text(dir, "rank0/d1/deps.json", "{}");
    link_to_itself(dir, "rank0/d0");
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(list.count, 1);
    assert_true(list.entries[0].rank == 0 && list.entries[0].k == 1);
    assert_int_equal(list.notes.count, 2);
    assert_int_equal(report_make(&r, &list, &err), 0);
    for (size_t i = 0; i < r.notes.count; i++) {
        found += strcmp(r.notes.items[i], "rank1: Too many levels of symbolic links") == 0 ||
                 strcmp(r.notes.items[i], "rank0/d0: Too many levels of symbolic links") == 0;
    }
    assert_int_equal(found, 2);
    report_free(&r);
    dfx_list_free(&list);
    temp_dir_remove(dir);
}

static void own_ranks_come_before_those_of_dfx_outputs(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_list list;
    struct error err;

    (void)state;
    temp_dir_put_text(dir, "dfx_outputs/rank5/d0/deps.json", "{}");
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(list.entries[0].rank, 5);
    dfx_list_free(&list);
    temp_dir_put_text(dir, "rank3/d0/deps.json", "{}");
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.entries[0].rank, 3);
    assert_string_equal(list.dir, dir);
    dfx_list_free(&list);
    temp_dir_remove(dir);
}

static void a_record_that_is_no_file_is_not_absent(void **state)
{
    char *dir = temp_dir_make();
    struct notes notes = {0};
    struct run_record run;
    struct error err;

    (void)state;
    assert_int_equal(run_record_read_dir(dir, &run, &notes, &err), 0);
    assert_non_null(strstr(notes.items[0], "there is no l3_run.json"));
    link_to_itself(dir, "l3_run.json");
    assert_int_equal(run_record_read_dir(dir, &run, &notes, &err), 0);
    assert_null(strstr(notes.items[1], "there is no l3_run.json"));
    assert_non_null(strstr(notes.items[1], "l3_run.json"));
    notes_free(&notes);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_captured_is_missed),
        cmocka_unit_test(only_what_ran_has_to_have_profiles),
        cmocka_unit_test(records_that_are_cut_short_are_found_by_the_graph),
        cmocka_unit_test(dumped_arguments_must_have_their_bytes),
        cmocka_unit_test(what_cannot_be_read_does_not_hide_the_rest),
        cmocka_unit_test(own_ranks_come_before_those_of_dfx_outputs),
        cmocka_unit_test(a_record_that_is_no_file_is_not_absent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
