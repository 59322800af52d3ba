/* The record of a run: written from a segment, read back; timelines drawn from it, with times worked out by hand. */
#include "tests/support/trace_count.h"

#include "common/base/file.h"
#include "common/plan/plan_stream.h"
#include "orchestrator/plan/edges.h"
#include "orchestrator/profiles/run_record.h"
#include "orchestrator/report/report_make.h"
#include "orchestrator/report/report_print.h"
#include "orchestrator/trace/merged.h"
#include "orchestrator/trace/timeline.h"

static const char *const plan_lines[] = {
    "{\"plan\":1,\"world_size\":2}",
    "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4],\"direction\":\"In\"}",
    "{\"storage\":1,\"name\":\"t\\\"mp\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4],\"fill\":0}",
    "{\"dispatch\":0,\"program\":\"first\",\"card\":0,\"k\":0,\"line\":7,\"args\":[[\"in\",0,\"fp32\",0,[4]],"
    "[\"out_existing\",1,\"fp32\",0,[4]]],\"scalars\":[]}",
    "{\"dispatch\":1,\"program\":\"second\",\"card\":1,\"k\":0,\"line\":9,\"args\":[[\"in\",1,\"fp32\",0,[4]]],"
    "\"scalars\":[]}",
    "{\"copy\":2,\"line\":11,\"dst\":[1,\"fp32\",0,[4]],\"src\":[0,\"fp32\",0,[4]]}",
    "{\"end\":3}",
};

enum { CORES = 1 }; /* for two cards */

static const uint64_t boot = UINT64_C(7200000000000); /* two hours after the host's start */

/* A run in which the host copy did not take place any more. */
static void write_run_with(const char *dir, const struct run_extra *extra)
{
    const int device_ids[] = {4, 6};
    struct segment seg;
    struct plan plan;
    struct error err;
    struct plan_stream *s = plan_stream_new("sample", &err);
    char *path = file_join(dir, "l3_run.json", &err);
    const struct run_clocks clocks = {0};
    const struct dfx captured = {.swimlane = extra->nstage ? 4 : 0, .dep_gen = true};
    const struct run_record_source from = {&seg, device_ids, CORES, &clocks, extra, &captured};

    for (size_t i = 0; i < sizeof plan_lines / sizeof *plan_lines; i++) {
        char *line = strdup(plan_lines[i]);
        assert_int_equal(plan_stream_line(s, line, strlen(line), &err), 0);
        free(line);
    }
    assert_int_equal(plan_stream_finish(s, &plan, &err), 0);
    plan_stream_free(s);
    assert_int_equal(edges_compile(&plan, DEPS_EXACT, &err), 0);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    seg.times[0] = (struct segment_times){
        .start_ns = boot + 500, .end_ns = boot + 10500, .device_ns = 9000, .orch_ns = 400, .ntasks = 2};
    seg.times[1] = (struct segment_times){
        .start_ns = boot + 12500, .end_ns = boot + 20500, .device_ns = 7000, .orch_ns = 300, .ntasks = 1};
    assert_int_equal(run_record_write(path, &from, &err), 0);
    segment_unmap(&seg);
    plan_free(&plan);
    free(path);
}

static void write_run(const char *dir)
{
    write_run_with(dir, &(struct run_extra){0});
}

static struct run_stage stages[] = {{"compile", -2500, -500}, {"run", -400, 30000}};
static struct run_loss losses[] = {{"rank1/d0/args_dump/args.bin", "No space left on device"}};
static const struct run_extra extra = {.stages = stages, .nstage = 2, .losses = losses, .nloss = 1, .nlost = 3};

static void stages_and_losses_are_kept(void **state)
{
    char *dir = temp_dir_make(), *path;
    struct notes notes = {0};
    struct run_record r;
    struct error err;

    (void)state;
    write_run_with(dir, &extra);
    path = file_join(dir, "l3_run.json", &err);
    assert_int_equal(run_record_read(path, &r, &err), 0);
    assert_int_equal(r.extra.nstage, 2);
    assert_string_equal(r.extra.stages[0].name, "compile");
    assert_true(r.extra.stages[0].start_ns == -2500 && r.extra.stages[0].end_ns == -500);
    assert_true(r.extra.stages[1].start_ns == -400 && r.extra.stages[1].end_ns == 30000);
    assert_true(run_extra_lead_ns(&r.extra) == 2500);
    assert_true(r.extra.nlost == 3 && r.extra.nloss == 1);
    assert_string_equal(r.extra.losses[0].file, losses[0].file);
    assert_string_equal(r.extra.losses[0].why, losses[0].why);
    run_extra_report(&r.extra, &notes);
    assert_int_equal(notes.count, 1);
    assert_non_null(strstr(notes.items[0], "3 profile files"));
    assert_non_null(strstr(notes.items[0], "rank1/d0/args_dump/args.bin"));
    notes_free(&notes);
    run_record_free(&r);
    free(path);
    temp_dir_remove(dir);
}

static void what_is_written_is_read(void **state)
{
    char *dir = temp_dir_make(), *path, why[16], lane[32];
    struct run_record r;
    struct error err;

    (void)state;
    write_run(dir);
    path = file_join(dir, "l3_run.json", &err);
    assert_int_equal(run_record_read(path, &r, &err), 0);
    assert_int_equal(r.world_size, 2);
    assert_int_equal(r.nnode, 3);
    assert_true(r.origin_ns == boot + 500);
    assert_int_equal(r.device_ids[1], 6);
    assert_true(r.nodes[0].ran && r.nodes[0].start_ns == 0 && r.nodes[0].end_ns == 10000 &&
                r.nodes[0].device_ns == 9000);
    assert_true(r.nodes[1].ran && r.nodes[1].start_ns == 12000 && r.nodes[1].line == 9 && r.nodes[1].lane == 1);
    assert_string_equal(r.nodes[1].name, "second");
    assert_false(r.nodes[2].ran);
    assert_string_equal(run_record_lane(&r, r.nodes[2].lane, lane, sizeof lane), "host lane");
    assert_int_equal(r.nodes[1].nedge, 1);
    assert_int_equal(r.edges[r.nodes[1].first_edge].pred, 0);
    assert_string_equal(r.edges[r.nodes[1].first_edge].storage, "t\"mp");
    assert_string_equal(run_record_why(r.edges[r.nodes[1].first_edge].why, why, sizeof why), "RAW");
    assert_int_equal(run_record_find(&r, 1, 0), 1);
    assert_true(run_record_find(&r, 1, 1) == PLAN_NONE);
    run_record_free(&r);
    free(path);
    temp_dir_remove(dir);
}

static void a_wrong_record_is_refused_by_name(void **state)
{
    static const char *const wrong[][2] = {
        {"{\"l3_run\": 2, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": []}", "a newer l3replay wrote it"},
        {"{\"l3_run\": 0, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": []}", "0 is out of range"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\"}", "nodes"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [", "JSON"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [{\"kind\": \"copy\", \"name\": \"c\", "
         "\"lane\": 3}]}",
         "lane"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [{\"kind\": \"copy\", \"name\": \"c\", "
         "\"lane\": 1,"
         " \"start_ns\": 5, \"end_ns\": 4}]}",
         "ends before"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [{\"kind\": \"copy\", \"name\": \"c\", "
         "\"lane\": 1,"
         " \"waits_for\": [{\"node\": 0}]}]}",
         "node 0 waits for node 0, which is not an earlier one"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [{\"kind\": \"copy\", \"name\": \"c\", "
         "\"lane\": 1,"
         " \"waits_for\": [{\"node\": 1}]}, {\"kind\": \"copy\", \"name\": \"c\", \"lane\": 1}]}",
         "node 0 waits for node 1, which is not an earlier one"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [], \"captured\": {\"swimlane\": 4, "
         "\"dep_gen\": 1, \"pmu\": 0, \"scope_stats\": false, \"dump_args\": 0}}",
         "captured.dep_gen"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [], \"stages\": [{\"name\": \"run\", "
         "\"start_ns\": 5, \"end_ns\": 4}]}",
         "stages[0].end_ns"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"nodes\": [], \"lost\": {\"count\": 0, \"files\": "
         "[{\"file\": \"a\", \"why\": \"b\"}]}}",
         "lost.files"},
        {"{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"0\", \"device_ids\": [0, 1], \"nodes\": []}", "device_"
                                                                                                            "ids"},
    };
    char *dir = temp_dir_make(), *path;
    struct run_record r;
    struct error err;

    (void)state;
    path = file_join(dir, "l3_run.json", &err);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        temp_dir_put_text(dir, "l3_run.json", wrong[i][0]);
        assert_int_equal(run_record_read(path, &r, &err), -1);
        if (!strstr(err.what, wrong[i][1])) {
            fail_msg("case %zu: %s", i, err.what);
        }
    }
    free(path);
    temp_dir_remove(dir);
}

/* --- timelines ---------------------------------------------------------- */

/* Card 0's counter is the host's clock in ns; card 1 counts 20 ns from its own start. */
static void write_profiles(const char *dir)
{
    char text[1024];
    uint64_t b = boot + 500; /* origin of the run */

    snprintf(text, sizeof text,
             "{\"chip_swimlane_level\": 2, \"metadata\": {\"clock_freq_hz\": 1000000000, \"core_types\": [\"aic\", "
             "\"aiv\"]},"
             "\"aicore_tasks\": [[0, 1, 1, %llu, %llu, 100], [1, 2, 1, %llu, %llu, 100]],"
             "\"aicpu_tasks\": [[0, 1, %llu, %llu], [1, 1, %llu, %llu]]}",
             (unsigned long long)b + 1000, (unsigned long long)b + 4000, (unsigned long long)b + 4500,
             (unsigned long long)b + 9500, (unsigned long long)b + 500, (unsigned long long)b + 4100,
             (unsigned long long)b + 4200, (unsigned long long)b + 9700);
    temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json", text);
    temp_dir_put_text(dir, "rank0/d0/deps.json",
                      "{\"tasks\": [{\"task_id\": \"1\", \"kernel_ids\": [0, -1, -1]}, {\"task_id\": \"2\", "
                      "\"kernel_ids\": [-1, 1, -1]}],"
                      "\"edges\": [{\"pred\": \"1\", \"succ\": \"2\", \"source\": \"creator\"}]}");
    temp_dir_put_text(dir, "rank0/d0/name_map.json", "{\"callable_id_to_name\": {\"0\": \"mul\", \"1\": \"add\"}}");
    temp_dir_put_text(dir, "rank1/d0/chip_swimlane_records.json",
                      "{\"chip_swimlane_level\": 1, \"metadata\": {\"clock_freq_hz\": 50000000, \"core_types\": "
                      "[\"aiv\"]},"
                      "\"aicore_tasks\": [[0, 5, 1, 1000, 1300, 0]]}");
}

static void all_ranks_stand_on_one_clock(void **state)
{
    char *dir = temp_dir_make();
    struct error err;
    cJSON *doc;

    (void)state;
    write_run(dir);
    write_profiles(dir);
    assert_int_equal(timeline_write_all(dir, &err), 0);
    doc = read_json(dir, "l3_timeline.json");
    /* Nodes, in microseconds after the first one's start; the copy did not run. */
    assert_int_equal(count_events(doc, "X", "first", 1, 1, 0, 10), 1);
    assert_int_equal(count_events(doc, "X", "second", 2, 1, 12, 8), 1);
    /* Card 0's tasks where the host's clock says; card 1's first at the start of its dispatch. */
    assert_int_equal(count_events(doc, "X", "mul(t1)", 1, 1000, 1, 3), 1);
    assert_int_equal(count_events(doc, "X", "add(t2)", 1, 1001, 4.5, 5), 1);
    assert_int_equal(count_events(doc, "X", "task(t5)", 2, 1000, 12, 6), 1);
    assert_int_equal(count_phase(doc, "X"), 5);
    /* Arrows leave a nanosecond before the end of their slice. */
    assert_int_equal(count_events(doc, "s", "RAW t\"mp", 1, 1, 9.999, -1), 1);
    assert_int_equal(count_events(doc, "f", "RAW t\"mp", 2, 1, 12, -1), 1);
    assert_int_equal(count_events(doc, "s", "dependency", 1, 1000, 3.999, -1), 1);
    assert_int_equal(count_events(doc, "f", "dependency", 1, 1001, 4.5, -1), 1);
    assert_int_equal(count_phase(doc, "s"), 2);
    assert_int_equal(count_phase(doc, "f"), 2);
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

/* The first stage is time 0, and everything of the plan 2.5 us later than without stages. */
static void the_trace_begins_with_the_first_stage(void **state)
{
    char *dir = temp_dir_make(), *text;
    struct error err;
    cJSON *doc, *other;

    (void)state;
    write_run_with(dir, &extra);
    write_profiles(dir);
    assert_int_equal(timeline_write_all(dir, &err), 0);
    doc = read_json(dir, "l3_timeline.json");
    assert_int_equal(count_events(doc, "X", "compile", 4, 1, 0, 2), 1);
    assert_int_equal(count_events(doc, "X", "run", 4, 1, 2.1, 30.4), 1);
    assert_int_equal(count_events(doc, "X", "first", 1, 1, 2.5, 10), 1);
    assert_int_equal(count_events(doc, "X", "second", 2, 1, 14.5, 8), 1);
    assert_int_equal(count_events(doc, "X", "mul(t1)", 1, 1000, 3.5, 3), 1);
    assert_int_equal(count_events(doc, "f", "RAW t\"mp", 2, 1, 14.5, -1), 1);
    assert_int_equal(count_phase(doc, "X"), 7);
    other = cJSON_GetObjectItem(doc, "otherData");
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(other, "run_start_us")) == 2.5);
    text = cJSON_Print(other);
    assert_non_null(strstr(text, "rank1/d0/args_dump/args.bin"));
    cJSON_free(text);
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

/* Card 0 computes 10 us of 20; card 1 waits for it as long, starts 2 us later and computes 8 us. */
static void the_short_report_says_what_stands_out(void **state)
{
    static const char *const wanted[] = {
        "computing 40.0 to 50.0 % of the run, waiting for ranks 0.0 to 50.0 %, for the host 0.0 to 0.0 %, ",
        ", writing profiles 0.0 to 0.0 %; longest: rank 1 for card 0, 10.0 us\n",
        "critical path: 2 nodes, 20.0 us, of which 2.00 us between nodes\n",
        "! 3 profile files were lost on the way, the first: rank1/d0/args_dump/args.bin (No space left on device)\n",
        "! the picture is not complete",
    };
    char *dir = temp_dir_make(), *text = NULL;
    size_t size = 0;
    struct dfx_list list;
    struct report r;
    struct error err;
    FILE *f;

    (void)state;
    write_run_with(dir, &extra);
    write_profiles(dir);
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    f = open_memstream(&text, &size);
    assert_non_null(f);
    assert_int_equal(report_make(&r, &list, &err), 0);
    assert_int_equal(report_short(f, &r, &err), 0);
    assert_int_equal(fclose(f), 0);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!strstr(text, wanted[i])) {
            fail_msg("not there: %s\nbut: %s", wanted[i], text);
        }
    }
    free(text);
    report_free(&r);
    dfx_list_free(&list);
    temp_dir_remove(dir);
}

static char *short_report(const char *dir)
{
    char *text = NULL;
    size_t size = 0;
    struct dfx_list list;
    struct report r;
    struct error err;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(report_make(&r, &list, &err), 0);
    assert_int_equal(report_short(f, &r, &err), 0);
    assert_int_equal(fclose(f), 0);
    report_free(&r);
    dfx_list_free(&list);
    return text;
}

/* Kernel "mul" takes 3 us, all of them on a core; "add" 5 us, but waited for a core most of them. */
static void a_kernel_that_waited_for_a_core_is_not_the_slowest(void **state)
{
    static const char records[] =
        "{\"chip_swimlane_level\": 1, \"metadata\": {\"clock_freq_hz\": 1000000000, \"core_types\": [\"aic\", "
        "\"aiv\"]}, \"aicore_tasks\": [[1, 2, 1, 14500, 19500, 100], [0, 1, 1, 11000, 14000, 100]]%s}";
    static const struct {
        const char *cpu, *first;
    } cases[] = {{", \"aicore_task_cpu_ns\": [400, 2900]",
                  "slowest kernels by processor time: mul of p0 2.90 us (3.00 us on the path), add"},
                 {"", "slowest kernels: add of p0 5.00 us (5.00 us on the path), mul"},
                 /* A time is missing: nobody knows whose. */
                 {", \"aicore_task_cpu_ns\": [400]", "slowest kernels: add of p0 5.00 us (5.00 us on the path), mul"}};
    char text[512], *report;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *dir = temp_dir_make();

        write_run(dir);
        write_profiles(dir);
        snprintf(text, sizeof text, records, cases[i].cpu);
        temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json", text);
        temp_dir_put_text(dir, "rank0/d0/dispatch_program.json", "{\"program\": \"p0\"}");
        temp_dir_put_text(dir, "rank1/d0/chip_swimlane_records.json",
                          "{\"chip_swimlane_level\": 1, \"metadata\": {\"clock_freq_hz\": 1000000000, \"core_types\": "
                          "[\"aiv\"]}, \"aicore_tasks\": []}");
        report = short_report(dir);
        if (!strstr(report, cases[i].first)) {
            fail_msg("not there: %s\nbut: %s", cases[i].first, report);
        }
        free(report);
        temp_dir_remove(dir);
    }
}

static void without_a_record_of_the_run_nothing_joins_ranks(void **state)
{
    char *dir = temp_dir_make(), *text;
    struct error err;
    cJSON *doc;

    (void)state;
    write_profiles(dir);
    assert_int_equal(timeline_write_all(dir, &err), 0);
    doc = read_json(dir, "l3_timeline.json");
    /* The first record of card 0 is the dispatch of its first task, half a microsecond before that. */
    assert_int_equal(count_events(doc, "X", "mul(t1)", 1, 1000, 0.5, 3), 1);
    assert_int_equal(count_events(doc, "X", "task(t5)", 2, 1000, 0, 6), 1);
    assert_int_equal(count_phase(doc, "s"), 1); /* the dependency inside the program */
    text = cJSON_Print(cJSON_GetObjectItem(doc, "otherData"));
    assert_non_null(strstr(text, "ranks cannot be related"));
    cJSON_free(text);
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

static void a_dispatch_alone_has_the_upstream_processes(void **state)
{
    char *dir = temp_dir_make();
    struct error err;
    cJSON *doc;

    (void)state;
    write_profiles(dir);
    assert_int_equal(timeline_write_all(dir, &err), 0);
    doc = read_json(dir, "rank0/d0/merged_swimlane_d0.json");
    assert_int_equal(count_events(doc, "X", "mul(t1)", 3, 1000, 0, 3.6), 1); /* dispatch to finish */
    assert_int_equal(count_events(doc, "X", "add(t2)", 3, 1004, 3.7, 5.5), 1);
    assert_int_equal(count_events(doc, "X", "mul(t1)", 4, 1000, 0.5, 3), 1); /* start to end */
    assert_int_equal(count_events(doc, "X", "add(t2)", 4, 1001, 4, 5), 1);
    assert_int_equal(count_events(doc, "s", "dependency", 4, 1000, 3.499, -1), 1);
    assert_int_equal(count_events(doc, "f", "dependency", 4, 1001, 4, -1), 1);
    assert_int_equal(count_phase(doc, "X"), 4);
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

/* docs/formats.md, "l3_run.json": the cards, then the two other lanes, whether there is something to do or not. */
static void the_record_lists_every_lane_and_card(void **state)
{
    static const char *const lanes[] = {"card 0", "card 1", "host lane", "sub-workers"};
    char *dir = temp_dir_make(), *path = file_join(dir, "l3_run.json", NULL), *text;
    const cJSON *list, *ids;
    size_t size;
    cJSON *record;

    (void)state;
    write_run(dir);
    text = file_read(path, 1 << 20, &size, NULL);
    assert_non_null(text);
    record = cJSON_ParseWithLength(text, size);
    list = cJSON_GetObjectItem(record, "lanes");
    assert_int_equal(cJSON_GetArraySize(list), 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(cJSON_GetArrayItem(list, i)->valuestring, lanes[i]);
    }
    ids = cJSON_GetObjectItem(record, "device_ids");
    assert_int_equal(cJSON_GetArraySize(ids), 2);
    assert_int_equal(cJSON_GetArrayItem(ids, 0)->valueint, 4);
    assert_int_equal(cJSON_GetArrayItem(ids, 1)->valueint, 6);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(record, "nodes")), 3);
    cJSON_Delete(record);
    free(text);
    free(path);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_record_lists_every_lane_and_card),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(stages_and_losses_are_kept),
        cmocka_unit_test(a_wrong_record_is_refused_by_name),
        cmocka_unit_test(all_ranks_stand_on_one_clock),
        cmocka_unit_test(the_trace_begins_with_the_first_stage),
        cmocka_unit_test(the_short_report_says_what_stands_out),
        cmocka_unit_test(a_kernel_that_waited_for_a_core_is_not_the_slowest),
        cmocka_unit_test(without_a_record_of_the_run_nothing_joins_ranks),
        cmocka_unit_test(a_dispatch_alone_has_the_upstream_processes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
