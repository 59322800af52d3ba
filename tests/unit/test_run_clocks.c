/* Clocks of a run: a timeline and a report from made-up clocks, with times worked out by hand; and the record's
 * "clocks", written, read and refused. */
#include "tests/support/trace_count.h"

#include "common/base/file.h"
#include "orchestrator/profiles/run_record.h"
#include "orchestrator/report/report_make.h"
#include "orchestrator/report/report_print.h"
#include "orchestrator/trace/timeline.h"

/* Two cards. Process 0's clock is at 150.2 s when the run starts. Card 1's clock says 50 s when process 0's says
 * 150 s, and loses 100 us each second: at 51 s it is 151.0001 s. Its dispatch ran from 50.3 s to 50.4 s of its own
 * clock, which is 150.30003 s to 150.40004 s. */
static const char record[] =
    "{\"l3_run\": 1, \"origin_ns\": \"150200000000\", \"world_size\": 2, \"device_ids\": [0, 1],%s"
    " \"nodes\": [{\"kind\": \"dispatch\", \"name\": \"first\", \"lane\": 0, \"k\": 0, \"start_ns\": 0,"
    " \"end_ns\": 50000000},"
    " {\"kind\": \"dispatch\", \"name\": \"second\", \"lane\": 1, \"k\": 0, \"start_ns\": %s, \"end_ns\": %s,"
    " \"waits_for\": [{\"node\": 0, \"why\": [\"RAW\"], \"storage\": \"x\"}]}]}";

#define CLOCK_0                                                                                                        \
    "{\"host\": \"nodea\", \"lanes\": [0, 2, 3], \"alignment\": \"shared\", \"error_ns\": 0, \"points\": []}"
#define POINT_0 "{\"at_ns\": \"50000000000\", \"offset_ns\": \"100000000000\", \"error_ns\": 900}"
#define POINT_1 "{\"at_ns\": \"51000000000\", \"offset_ns\": \"100000100000\", \"error_ns\": 1100}"
#define CLOCK_1(lanes, alignment, points)                                                                              \
    "{\"host\": \"nodeb\", \"lanes\": [" lanes "], \"alignment\": \"" alignment "\", \"points\": [" points             \
    "], \"error_ns\": 1300}"
#define ALIGNED                                                                                                        \
    " \"clock_error_ns\": 1300, \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "two points", POINT_0 ", " POINT_1) "],"
/* Nothing was measured: 99.9 s lets its first node, at 50.3 s, start with the run. */
#define UNALIGNED                                                                                                      \
    " \"clock_error_ns\": null, \"clocks\": [" CLOCK_0 ", {\"host\": \"nodeb\", \"lanes\": [1],"                       \
    " \"alignment\": \"none\", \"assumed_offset_ns\": \"99900000000\", \"points\": []}],"

/* One task on each card, in nanoseconds of the clock of its process: 10 ms into the dispatch, for 10 ms. */
static void write_profiles(const char *dir)
{
    static const char records[] = "{\"chip_swimlane_level\": 1, \"metadata\": {\"clock_freq_hz\": 1000000000,"
                                  " \"core_types\": [\"aiv\"]}, \"aicore_tasks\": [[0, 5, 1, %s, %s, 0]]}";
    char text[512];

    snprintf(text, sizeof text, records, "150210000000", "150220000000");
    temp_dir_put_text(dir, "rank0/d0/chip_swimlane_records.json", text);
    snprintf(text, sizeof text, records, "50310000000", "50320000000");
    temp_dir_put_text(dir, "rank1/d0/chip_swimlane_records.json", text);
}

static void write_record(const char *dir, const char *clocks, const char *start, const char *end)
{
    char text[2048];

    assert_true((size_t)snprintf(text, sizeof text, record, clocks, start, end) < sizeof text);
    temp_dir_put_text(dir, "l3_run.json", text);
}

static cJSON *draw(const char *dir)
{
    struct error err;

    if (timeline_write_all(dir, &err)) {
        fail_msg("%s", err.what);
    }
    return read_json(dir, "l3_timeline.json");
}

static bool other_data_says(const cJSON *doc, const char *what)
{
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(doc, "otherData"));
    bool says = strstr(text, what) != NULL;

    cJSON_free(text);
    return says;
}

static void tasks_stand_where_their_own_clock_says(void **state)
{
    char *dir = temp_dir_make();
    cJSON *doc;

    (void)state;
    write_profiles(dir);
    write_record(dir, ALIGNED, "100030000", "200040000");
    doc = draw(dir);
    assert_int_equal(count_events(doc, "X", "first", 1, 1, 0, 50000), 1);
    assert_int_equal(count_events(doc, "X", "second", 2, 1, 100030, 100010), 1);
    assert_int_equal(count_events(doc, "X", "task(t5)", 1, 1000, 10000, 10000), 1);
    /* 50.31 s is 150.310031 s, and its ten milliseconds are 10.001 of process 0's. */
    assert_int_equal(count_events(doc, "X", "task(t5)", 2, 1000, 110031, 10001), 1);
    assert_int_equal(count_events(doc, "s", "RAW x", 1, 1, 49999.999, -1), 1);
    assert_int_equal(count_events(doc, "f", "RAW x", 2, 1, 100030, -1), 1);
    assert_true(other_data_says(doc, "\"clock_error_us\":1.3,") || other_data_says(doc, "\"clock_error_us\":1.3}"));
    assert_false(other_data_says(doc, "cannot be related"));
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

static void a_clock_that_is_not_aligned_has_no_arrows(void **state)
{
    char *dir = temp_dir_make();
    cJSON *doc;

    (void)state;
    write_profiles(dir);
    write_record(dir, UNALIGNED, "0", "100000000");
    doc = draw(dir);
    /* Within its dispatch, a task's place is known all the same. */
    assert_int_equal(count_events(doc, "X", "second", 2, 1, 0, 100000), 1);
    assert_int_equal(count_events(doc, "X", "task(t5)", 2, 1000, 10000, 10000), 1);
    assert_int_equal(count_phase(doc, "s"), 0);
    assert_int_equal(count_phase(doc, "f"), 0);
    assert_true(other_data_says(doc, "\"clock_error_us\":null"));
    assert_true(other_data_says(doc, "the clock of card 1 on nodeb could not be aligned"));
    assert_true(other_data_says(doc, "no arrows"));
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

/* A record of an older version: one clock, and nothing said about it. */
static void a_record_without_clocks_is_of_one_clock(void **state)
{
    char *dir = temp_dir_make();
    cJSON *doc;

    (void)state;
    write_profiles(dir);
    write_record(dir, "", "100000000", "200000000");
    doc = draw(dir);
    assert_int_equal(count_events(doc, "X", "task(t5)", 1, 1000, 10000, 10000), 1);
    /* Card 1's counter is then of nobody's clock. */
    assert_int_equal(count_events(doc, "X", "task(t5)", 2, 1000, 100000, 10000), 1);
    assert_int_equal(count_phase(doc, "s"), 1);
    assert_true(other_data_says(doc, "rank1/d0: its counter cannot be related"));
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

static char *report(const char *dir, int (*print)(FILE *, const struct report *, struct error *))
{
    struct dfx_list list;
    struct report r;
    struct error err;
    size_t size;
    char *text;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(report_make(&r, &list, &err), 0);
    assert_int_equal(print(f, &r, &err), 0);
    assert_int_equal(fclose(f), 0);
    report_free(&r);
    dfx_list_free(&list);
    return text;
}

static void expect_report(const char *dir, int (*print)(FILE *, const struct report *, struct error *),
                          const char *says, const char *says_not)
{
    char *text = report(dir, print);

    if (says && !strstr(text, says)) {
        fail_msg("should say \"%s\":\n%s", says, text);
    }
    if (says_not && strstr(text, says_not)) {
        fail_msg("should not say \"%s\":\n%s", says_not, text);
    }
    free(text);
}

static void the_report_says_how_well_clocks_are_aligned(void **state)
{
    char *dir = temp_dir_make();

    (void)state;
    write_profiles(dir);
    write_record(dir, ALIGNED, "100030000", "200040000");
    expect_report(dir, report_text, "clocks       2, aligned to within 1.30 us\n", "could not be aligned");
    expect_report(dir, report_json, "\"clock_error_ns\": 1300", NULL);
    expect_report(dir, report_html, "2 clocks aligned to within<b>1.30 us</b>", NULL);
    write_record(dir,
                 " \"clock_error_ns\": 0, \"clocks\": [{\"host\": \"a\", \"lanes\": [0, 1, 2, 3], \"alignment\": "
                 "\"shared\", \"error_ns\": 0, \"points\": []}],",
                 "100000000", "200000000");
    expect_report(dir, report_text, NULL, "clock");
    expect_report(dir, report_html, NULL, "clock");
    expect_report(dir, report_json, "\"clock_error_ns\": 0", NULL);
    temp_dir_remove(dir);
}

/* What compares times of different cards is left out then, and said to be. */
static void the_report_relates_nothing_without_alignment(void **state)
{
    char *dir = temp_dir_make();

    (void)state;
    write_profiles(dir);
    write_record(dir, UNALIGNED, "0", "100000000");
    expect_report(dir, report_text, "the clock of card 1 on nodeb could not be aligned",
                  "critical path through the "
                  "plan:");
    expect_report(dir, report_text, "ranks cannot be related in time", "shares of the run");
    expect_report(dir, report_json, "\"related\": false", "\"critical_path\"");
    expect_report(dir, report_html, "could not be aligned", NULL);
    temp_dir_remove(dir);
}

static void one_measurement_is_reported(void **state)
{
    char *dir = temp_dir_make();

    (void)state;
    write_profiles(dir);
    write_record(dir, " \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "one point", POINT_0) "],", "100000000", "200000000");
    expect_report(dir, report_text, "the clock of card 1 on nodeb was measured once only", "could not be aligned");
    temp_dir_remove(dir);
}

/* --- the record --------------------------------------------------------- */

static void the_worst_pair_counts(void **state)
{
    struct run_clock items[4] = {{.error_ns = 0}, {.error_ns = 300}, {.error_ns = 1000}, {.error_ns = 700}};
    uint32_t of_lane[5] = {1, 2, 3, 0, 0};
    struct run_clocks clocks = {items, 4, of_lane, 5};

    (void)state;
    assert_int_equal(run_clocks_error(&clocks), 1700);
    clocks.count = 2;
    assert_int_equal(run_clocks_error(&clocks), 300);
    clocks.count = 1;
    assert_int_equal(run_clocks_error(&clocks), 0);
    clocks.count = 4;
    items[3].map.kind = CLOCK_UNALIGNED;
    items[3].error_ns = CLOCK_NO_BOUND;
    assert_true(run_clocks_error(&clocks) == CLOCK_NO_BOUND);
    assert_false(run_clocks_related(&clocks, 0, 2));
    assert_true(run_clocks_related(&clocks, 2, 2));
    assert_true(run_clocks_related(&clocks, 0, 1));
}

static void what_is_written_is_read(void **state)
{
    struct run_clock items[4] = {{.host = "nodea"},
                                 {{CLOCK_TWO_POINTS,
                                   {{UINT64_C(900719925474099312), INT64_C(-900719925474099301), 15},
                                    {UINT64_C(900719926474099312), INT64_C(-900719925474099281), 17}}},
                                  "node\"b",
                                  33},
                                 {{CLOCK_ONE_POINT, {{5, 1, 0}}}, "", 7},
                                 {{CLOCK_UNALIGNED, {{0, -9, 0}}}, "noded", CLOCK_NO_BOUND}};
    uint32_t of_lane[5] = {3, 1, 2, 0, 0};
    struct run_clocks clocks = {items, 4, of_lane, 5}, read;
    struct error err;
    struct json_source src = {.file = "record", .err = &err};
    size_t size;
    char *text;
    FILE *f = open_memstream(&text, &size);
    cJSON *doc;

    (void)state;
    assert_non_null(f);
    fputs("{\"a\": 1", f);
    run_clocks_write(f, &clocks);
    putc('}', f);
    assert_int_equal(fclose(f), 0);
    doc = json_parse(&src, text, size);
    assert_non_null(doc);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(doc, "clock_error_ns")));
    assert_int_equal(run_clocks_read(&src, doc, 5, &read), 0);
    assert_int_equal(read.count, 4);
    assert_memory_equal(read.of_lane, of_lane, sizeof of_lane);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(read.items[i].map.kind, items[i].map.kind);
        assert_true(read.items[i].error_ns == items[i].error_ns);
        assert_string_equal(read.items[i].host, items[i].host);
        for (int p = 0; p < 2; p++) {
            assert_true(read.items[i].map.points[p].at_ns == items[i].map.points[p].at_ns);
            assert_true(read.items[i].map.points[p].offset_ns == items[i].map.points[p].offset_ns);
            assert_true(read.items[i].map.points[p].error_ns == items[i].map.points[p].error_ns);
        }
    }
    cJSON_Delete(doc);
    free(text);
    run_clocks_free(&read);
}

static void wrong_clocks_are_refused_by_name(void **state)
{
    static const char *const wrong[][2] = {
        {" \"clocks\": 5,", "clocks"},
        {" \"clocks\": [],", "lane 0 has none"},
        {" \"clocks\": [" CLOCK_0 "],", "lane 1 has none"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1, 2", "one point", POINT_0) "],", "lane 2 has two clocks"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("4", "one point", POINT_0) "],", "lanes"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "good", POINT_0) "],", "alignment"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "two points", POINT_0) "],", "fewer"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "shared", POINT_0) "],", "more"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "none", "") "],", "assumed_offset_ns"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "two points", POINT_1 ", " POINT_0) "],", "points"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "one point", "{\"at_ns\": \"12x\"}") "],", "at_ns"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "one point", "{\"at_ns\": \"-1\"}") "],", "at_ns"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "one point",
                                               "{\"at_ns\": \"1\", \"offset_ns\": "
                                               "\"9223372036854775807\", \"error_ns\": 1}") "],",
         "offset_ns"},
        {" \"clocks\": [" CLOCK_0 ", " CLOCK_1("1", "one point",
                                               "{\"at_ns\": \"1\", \"offset_ns\": \"1\", "
                                               "\"error_ns\": -1}") "],",
         "error_ns"},
        {" \"clocks\": [" CLOCK_0
         ", {\"host\": \"b\", \"lanes\": [1], \"alignment\": \"one point\", \"points\": [" POINT_0 "]}],",
         "error_ns"},
    };
    char *dir = temp_dir_make(), *path;
    struct run_record r;
    struct error err;

    (void)state;
    path = file_join(dir, "l3_run.json", &err);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_record(dir, wrong[i][0], "0", "1");
        assert_int_equal(run_record_read(path, &r, &err), -1);
        if (!strstr(err.what, wrong[i][1])) {
            fail_msg("case %zu: %s", i, err.what);
        }
    }
    free(path);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_stand_where_their_own_clock_says),
        cmocka_unit_test(a_clock_that_is_not_aligned_has_no_arrows),
        cmocka_unit_test(a_record_without_clocks_is_of_one_clock),
        cmocka_unit_test(the_report_says_how_well_clocks_are_aligned),
        cmocka_unit_test(the_report_relates_nothing_without_alignment),
        cmocka_unit_test(one_measurement_is_reported),
        cmocka_unit_test(the_worst_pair_counts),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(wrong_clocks_are_refused_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
