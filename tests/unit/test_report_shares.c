/* What the time of each rank goes into, and what counts at all: numbers worked out by hand from a record of a run. */
#include "tests/support/trace_count.h"

#include "orchestrator/report/report_make.h"
#include "orchestrator/report/report_print.h"
#include "orchestrator/trace/timeline.h"

#define RECORD(nodes)                                                                                                  \
    "{\"l3_run\": 1, \"origin_ns\": \"7200000000000\", \"world_size\": 2, \"device_ids\": [0, 1], \"nodes\": [" nodes  \
    "]}"
#define DISPATCH(program, lane, k, times)                                                                              \
    "{\"kind\": \"dispatch\", \"name\": \"" program "\", \"lane\": " #lane ", \"k\": " #k times "}"
#define RAN(start, end) ", \"start_ns\": " #start ", \"end_ns\": " #end
#define AFTER(node) ", \"waits_for\": [{\"node\": " #node ", \"why\": [\"RAW\"], \"storage\": \"x\"}]"

/* Card 0: a 0-100, profiles 100-130, c 150-200, and profiles for longer than the run. Card 1: b 0-110, d 210-300.
 * c waits for b, d for c. `b` is what b's record says about its profiles. */
#define PROFILED(b)                                                                                                    \
    RECORD(                                                                                                            \
        DISPATCH("a", 0, 0, RAN(0, 100) ", \"profile_ns\": 30") ", " DISPATCH("b", 1, 0, RAN(0, 110) b) ", " DISPATCH( \
            "c", 0, 1, RAN(150, 200) ", \"profile_ns\": 500" AFTER(1)) ", " DISPATCH("d", 1, 1,                        \
                                                                                     RAN(210, 300) AFTER(2)))

static void make(struct report *r, struct dfx_list *list, const char *dir)
{
    struct error err;

    assert_int_equal(dfx_list_read(dir, list, &err), 0);
    if (report_make(r, list, &err)) {
        fail_msg("%s", err.what);
    }
}

static char *printed(const struct report *r, int (*print)(FILE *f, const struct report *r, struct error *err))
{
    char *text = NULL;
    size_t size = 0;
    struct error err;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    assert_int_equal(print(f, r, &err), 0);
    assert_int_equal(fclose(f), 0);
    return text;
}

static void drop(struct report *r, struct dfx_list *list)
{
    report_free(r);
    dfx_list_free(list);
}

static uint64_t sum(const struct report_rank *k)
{
    return k->computing_ns + k->ranks_ns + k->host_ns + k->launch_ns + k->profiles_ns + k->after_ns;
}

static void writing_profiles_is_a_share_of_its_own(void **state)
{
    char *dir = temp_dir_make(), *text;
    const struct report_rank *k;
    struct dfx_list list;
    struct report r;

    (void)state;
    temp_dir_put_text(dir, "l3_run.json", PROFILED(""));
    temp_dir_put_text(dir, "rank0/d0/name_map.json", "{}");
    make(&r, &list, dir);
    assert_true(r.related && r.span_ns == 300);
    k = &r.ranks[0]; /* b ended while profiles were written: nothing is waited for. 130-150 is launch */
    assert_int_equal(k->computing_ns, 150);
    assert_int_equal(k->profiles_ns, 30 + 100);
    assert_int_equal(k->launch_ns, 20);
    assert_true(k->ranks_ns == 0 && k->host_ns == 0 && k->after_ns == 0);
    k = &r.ranks[1];
    assert_true(k->computing_ns == 200 && k->ranks_ns == 90 && k->launch_ns == 10 && k->profiles_ns == 0);
    assert_true(sum(&r.ranks[0]) == 300 && sum(&r.ranks[1]) == 300);
    /* c was held by its lane, which was taken until 130, not by b, which ended at 110. */
    assert_int_equal(r.nstep, 3);
    assert_true(r.steps[0].item == 0 && r.steps[1].item == 2 && r.steps[1].reason == PATH_LANE);
    assert_true(r.steps[2].item == 3 && r.steps[2].reason == PATH_EDGE);
    text = printed(&r, report_json);
    assert_non_null(strstr(text, "\"launch_ns\": 20, \"writing_profiles_ns\": 130, \"after_last_ns\": 0"));
    free(text);
    text = printed(&r, report_text);
    assert_non_null(strstr(text, "launch  profiles    after\n"));
    assert_non_null(strstr(text, "     0      50.0%      0.0%     0.0%     6.7%     43.3%     0.0%"));
    free(text);
    text = printed(&r, report_html);
    assert_non_null(strstr(text, "rank 0, profiles: 130 ns"));
    free(text);
    drop(&r, &list);
    temp_dir_remove(dir);
}

/* b says 120 ns, and d starts 100 ns after b. */
static void profiles_end_where_the_next_node_starts(void **state)
{
    char *dir = temp_dir_make();
    struct dfx_list list;
    struct report r;
    struct error err;
    cJSON *doc;

    (void)state;
    temp_dir_put_text(dir, "l3_run.json", PROFILED(", \"profile_ns\": 120"));
    temp_dir_put_text(dir, "rank0/d0/name_map.json", "{}");
    make(&r, &list, dir);
    assert_true(r.ranks[1].profiles_ns == 100 && r.ranks[1].ranks_ns == 0 && r.ranks[1].launch_ns == 0);
    assert_true(sum(&r.ranks[0]) == 300 && sum(&r.ranks[1]) == 300);
    drop(&r, &list);
    assert_int_equal(timeline_write_all(dir, &err), 0);
    doc = read_json(dir, "l3_timeline.json");
    assert_int_equal(count_events(doc, "X", "profiles", 1, 1, 0.1, 0.03), 1);
    assert_int_equal(count_events(doc, "X", "profiles", 1, 1, 0.2, 0.5), 1); /* nothing follows */
    assert_int_equal(count_events(doc, "X", "profiles", 2, 1, 0.11, 0.1), 1);
    assert_int_equal(count_phase(doc, "X"), 4 + 3);
    cJSON_Delete(doc);
    temp_dir_remove(dir);
}

/* A run that was stopped after 120 ns: card 0 ran one of two dispatches, card 1 one of one. Of those that did not run
 * there are records, too. */
static void what_did_not_run_counts_nowhere(void **state)
{
    static const char records[] = "{\"chip_swimlane_level\": 1, \"metadata\": {\"clock_freq_hz\": 1000000000, "
                                  "\"core_types\": [\"aiv\"]}, \"aicore_tasks\": [[0, 5, 1, 1000, 4000, 0]]}";
    char *dir = temp_dir_make();
    struct dfx_list list;
    struct report r;

    (void)state;
    temp_dir_put_text(dir, "l3_run.json",
                      RECORD(DISPATCH("a", 0, 0, RAN(0, 100)) ", " DISPATCH("a", 1, 0, RAN(0, 120)) ", " DISPATCH(
                          "b", 0, 1, "") ", " DISPATCH("b", 1, 1, "")));
    temp_dir_put_text(dir, "rank0/d0/dispatch_program.json", "{\"program\": \"a\"}");
    temp_dir_put_text(dir, "rank1/d0/dispatch_program.json", "{\"program\": \"a\"}");
    for (int rank = 0; rank < 2; rank++) {
        char name[64];
        snprintf(name, sizeof name, "rank%d/d1/dispatch_program.json", rank);
        temp_dir_put_text(dir, name, "{\"program\": \"b\"}");
        snprintf(name, sizeof name, "rank%d/d1/chip_swimlane_records.json", rank);
        temp_dir_put_text(dir, name, records);
    }
    make(&r, &list, dir);
    assert_int_equal(r.ndispatch, 4);
    assert_true(r.dispatches[1].idle && !r.dispatches[1].timed && r.dispatches[1].time_ns == 0);
    assert_int_equal(r.dispatches[1].tasks.count, 0);
    assert_true(r.ranks[0].dispatches.count == 1 && r.ranks[0].dispatches.min == 100);
    assert_true(r.ranks[0].computing_ns == 100 && r.ranks[0].after_ns == 20 && r.ranks[1].computing_ns == 120);
    assert_true(sum(&r.ranks[0]) == 120 && sum(&r.ranks[1]) == 120);
    assert_int_equal(r.nkernel, 0);
    assert_int_equal(r.nslot, 1);
    assert_true(r.slots[0].k == 0 && r.slots[0].min_ns == 100 && r.slots[0].max_ns == 120);
    assert_true(r.straggler == 1 && r.ranks[1].behind_ns == 20);
    drop(&r, &list);
    temp_dir_remove(dir);
}

/* Card 1 ran nothing. */
static void where_there_is_nothing_to_count_nothing_is_shown(void **state)
{
    char *dir = temp_dir_make(), *text;
    const cJSON *rank, *dispatch;
    struct dfx_list list;
    struct report r;
    cJSON *doc;

    (void)state;
    temp_dir_put_text(dir, "l3_run.json", RECORD(DISPATCH("a", 0, 0, RAN(0, 100)) ", " DISPATCH("a", 1, 0, "")));
    temp_dir_put_text(dir, "rank1/d0/dispatch_program.json", "{\"program\": \"a\"}");
    make(&r, &list, dir);
    assert_true(r.ranks[1].dispatches.count == 0 && r.ranks[1].after_ns == 100);
    text = printed(&r, report_json);
    doc = cJSON_Parse(text);
    free(text);
    assert_non_null(doc);
    rank = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "ranks"), 1);
    assert_null(cJSON_GetObjectItem(rank, "dispatches"));
    assert_non_null(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "ranks"), 0), "dispatches"));
    dispatch = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "dispatches"), 1);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(dispatch, "ran")));
    assert_null(cJSON_GetObjectItem(dispatch, "time_ns"));
    assert_null(cJSON_GetObjectItem(dispatch, "tasks"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(dispatch, "notes")), 0);
    cJSON_Delete(doc);
    text = printed(&r, report_text);
    assert_non_null(strstr(text, "\n     1      0          -         -         -         -         -\n"));
    assert_non_null(strstr(text, "  a (did not run to its end)\n"));
    free(text);
    text = printed(&r, report_html);
    assert_non_null(strstr(text, "<tr><td>1</td><td>0</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td>"));
    free(text);
    drop(&r, &list);
    temp_dir_remove(dir);
}

/* Rank 1 takes 30 ns more for p and 10 ns less for q. */
static void the_straggler_is_named_in_the_same_words_everywhere(void **state)
{
    static const char wanted[] = "straggler: rank 1: 30 ns more than the fastest in all, over 2 dispatches that ranks "
                                 "share (slowest in 1)";
    int (*const prints[])(FILE *f, const struct report *r, struct error *err) = {report_text, report_short,
                                                                                 report_html};
    char *dir = temp_dir_make(), *text;
    struct dfx_list list;
    struct report r;

    (void)state;
    temp_dir_put_text(dir, "l3_run.json",
                      RECORD(DISPATCH("p", 0, 0, RAN(0, 100)) ", " DISPATCH("p", 1, 0, RAN(0, 130)) ", " DISPATCH(
                          "q", 0, 1, RAN(200, 260)) ", " DISPATCH("q", 1, 1, RAN(200, 250))));
    temp_dir_put_text(dir, "rank0/d0/name_map.json", "{}");
    make(&r, &list, dir);
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i++) {
        text = printed(&r, prints[i]);
        if (!strstr(text, wanted)) {
            fail_msg("form %zu: %s", i, text);
        }
        free(text);
    }
    drop(&r, &list);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_profiles_is_a_share_of_its_own),
        cmocka_unit_test(profiles_end_where_the_next_node_starts),
        cmocka_unit_test(what_did_not_run_counts_nowhere),
        cmocka_unit_test(where_there_is_nothing_to_count_nothing_is_shown),
        cmocka_unit_test(the_straggler_is_named_in_the_same_words_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
