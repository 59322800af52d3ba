/* deps.json and scope_stats.jsonl: the graph is the one that the runtime's rules give, the scopes are those of the
 * source. */
#include "tests/support/profile_rig.h"

static cJSON *graph_of(enum program_name which)
{
    profile_run(which, (struct device_switches){.dep_gen = true});
    return profile_json("deps.json");
}

static void end_graph(cJSON *json)
{
    cJSON_Delete(json);
    profile_done();
}

/* Id of the task that was submitted as number `n` into ring `ring`. */
static const char *id(int ring, int n)
{
    static char text[4][32];
    static int at;
    at = (at + 1) % 4;
    snprintf(text[at], sizeof(text[at]), "%llu", ((unsigned long long)ring << 32) + (unsigned)n);
    return text[at];
}

static const cJSON *edge(const cJSON *json, const char *pred, const char *succ)
{
    const cJSON *e;
    const cJSON *const in_e = profile_item(json, "edges");
    for (e = in_e ? in_e->child : NULL; e; e = e->next) {
        if (strcmp(profile_text_of(e, "pred"), pred) == 0 && strcmp(profile_text_of(e, "succ"), succ) == 0) {
            return e;
        }
    }
    return NULL;
}

static void an_overlap_is_an_edge_with_both_slices(void **state)
{
    (void)state;
    cJSON *json = graph_of(READ_AFTER_WRITE); /* 1 writes 0..3, 2 reads 2..5, 3 reads 4..7 */
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "tasks")), 3);
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "edges")), 1);
    const cJSON *e = edge(json, id(1, 0), id(1, 1));
    assert_non_null(e);
    assert_string_equal(profile_text_of(e, "source"), "tensormap");
    assert_string_equal(profile_text_of(e, "overlap"), "other");
    assert_int_equal(profile_number(e, "arg"), 0);
    assert_string_equal(cJSON_GetArrayItem(profile_item(e, "flags"), 0)->valuestring, "wait");
    assert_string_equal(profile_text_of(e, "consumer_start_offset"), "2");
    assert_string_equal(profile_text_of(e, "producer_start_offset"), "0");
    assert_int_equal(profile_column(profile_item(e, "consumer_shape"), 0), 4);
    assert_int_equal(profile_column(profile_item(e, "producer_shape"), 0), 4);
    assert_string_equal(profile_text_of(e, "consumer_dtype"), "INT32");
    end_graph(json);
}

static void covered_is_distinguished_from_other_overlaps(void **state)
{
    (void)state;
    cJSON *json = graph_of(TWO_WRITERS); /* two write x, a third reads it */
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "edges")), 2);
    assert_string_equal(profile_text_of(edge(json, id(1, 0), id(1, 2)), "overlap"), "covered");
    assert_string_equal(profile_text_of(edge(json, id(1, 1), id(1, 2)), "overlap"), "covered");
    end_graph(json);
}

static void creators_and_explicit_dependencies_have_their_own_source(void **state)
{
    (void)state;
    cJSON *json = graph_of(CREATOR);
    const cJSON *e = edge(json, id(1, 0), id(1, 1));
    assert_string_equal(profile_text_of(e, "source"), "creator");
    assert_int_equal(cJSON_GetArraySize(profile_item(e, "flags")), 2);
    assert_false(cJSON_HasObjectItem(e, "overlap"));
    const cJSON *made = cJSON_GetArrayItem(profile_item(cJSON_GetArrayItem(profile_item(json, "tasks"), 0), "args"), 0);
    assert_string_equal(profile_text_of(made, "type"), "OUTPUT");
    assert_int_equal(cJSON_GetArraySize(made), 2); /* idx and type alone */
    end_graph(json);
    json = graph_of(MANUAL_SCOPE);
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "edges")), 2);
    e = edge(json, id(2, 0), id(2, 3));
    assert_string_equal(profile_text_of(e, "source"), "explicit");
    assert_int_equal(profile_number(e, "arg"), -1);
    assert_false(cJSON_HasObjectItem(e, "tensor_id"));
    assert_string_equal(profile_text_of(cJSON_GetArrayItem(profile_item(json, "tasks"), 0), "scope"), "manual");
    end_graph(json);
}

static void tasks_name_kernels_blocks_and_tensors(void **state)
{
    (void)state;
    cJSON *json = graph_of(MIXED_PIPES); /* three tasks of four blocks on three lanes */
    const cJSON *t = cJSON_GetArrayItem(profile_item(json, "tasks"), 2);
    assert_string_equal(profile_text_of(t, "task_id"), id(1, 2));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(profile_column(profile_item(t, "kernel_ids"), i), 10 + i);
    }
    assert_int_equal(profile_number(t, "block_num"), 4);
    assert_true(cJSON_IsFalse(profile_item(t, "early_dispatch")));
    assert_string_equal(profile_text_of(t, "scope"), "auto");
    end_graph(json);
    json = graph_of(COLUMN_BLOCKS);
    t = cJSON_GetArrayItem(profile_item(json, "tasks"), 0);
    const cJSON *a = cJSON_GetArrayItem(profile_item(t, "args"), 0);
    assert_string_equal(profile_text_of(a, "type"), "INOUT");
    assert_int_equal(profile_column(profile_item(a, "shape"), 0), 8);
    assert_int_equal(profile_column(profile_item(a, "shape"), 1), 4);
    assert_int_equal(profile_column(profile_item(a, "strides"), 0), 8);
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "tensors")), 1); /* all are parts of x */
    const cJSON *tensor = cJSON_GetArrayItem(profile_item(json, "tensors"), 0);
    assert_string_equal(profile_text_of(tensor, "tensor_id"), profile_text_of(a, "tensor_id"));
    assert_string_equal(profile_text_of(tensor, "buffer_numel"), "64");
    end_graph(json);
}

/* The graph does not depend on what happened to be done already: tasks that were freed long ago are in it. */
static void finished_tasks_are_in_the_graph(void **state)
{
    (void)state;
    cJSON *json = graph_of(WRITTEN_AGAIN); /* fill x; x to y; fill x; x to z */
    assert_non_null(edge(json, id(1, 0), id(1, 1)));
    assert_non_null(edge(json, id(1, 0), id(1, 3)));
    assert_non_null(edge(json, id(1, 2), id(1, 3)));
    assert_null(edge(json, id(1, 1), id(1, 2)));
    end_graph(json);
}

/* Line `n` of the file, parsed; NULL after the last. */
static cJSON *scope_line(const char *text, int n)
{
    for (int i = 0; i < n && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text && *text ? cJSON_Parse(text) : NULL;
}

static void every_scope_has_its_two_boundaries(void **state)
{
    static const char *const phases[] = {"begin", "begin", "begin", "end", "end", "end"};
    static const int depths[] = {0, 1, 2, 2, 1, 0};
    (void)state;
    profile_run(MANUAL_SCOPE, (struct device_switches){.scope_stats = true});
    char *text = profile_text("scope_stats/scope_stats.jsonl", NULL);
    cJSON *head = scope_line(text, 0), *first = NULL;
    assert_int_equal(profile_number(head, "version"), 6);
    assert_true(cJSON_IsFalse(profile_item(head, "fatal")));
    assert_int_equal(profile_number(head, "dropped"), 0);
    assert_int_equal(profile_number(head, "total"), 6);
    assert_int_equal(cJSON_GetArraySize(profile_item(head, "task_window_max")), 4);
    for (int i = 0; i < 6; i++) {
        cJSON *line = scope_line(text, 1 + i);
        assert_string_equal(profile_text_of(line, "phase"), phases[i]);
        assert_int_equal(profile_number(line, "depth"), depths[i]);
        assert_int_equal(profile_number(line, "ring"), depths[i]);
        if (i == 2) {
            first = line;
            assert_int_equal(strncmp(profile_text_of(line, "site"), "graph.cpp:", 10), 0);
            continue;
        }
        if (i == 3) {
            assert_string_equal(profile_text_of(line, "site"), profile_text_of(first, "site"));
            assert_int_equal(profile_number(line, "task_window_end") - profile_number(first, "task_window_end"), 4);
            assert_int_equal(profile_number(line, "dep_pool_end") - profile_number(first, "dep_pool_end"), 2);
        }
        cJSON_Delete(line);
    }
    assert_null(scope_line(text, 7));
    cJSON_Delete(first);
    cJSON_Delete(head);
    free(text);
    profile_done();
}

static void heap_counts_go_up_and_stay_within_the_heap(void **state)
{
    (void)state;
    profile_run(MORE_OUTPUTS_THAN_MEMORY, (struct device_switches){.scope_stats = true});
    char *text = profile_text("scope_stats/scope_stats.jsonl", NULL);
    double start = 0, end = 0;
    for (char *at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        cJSON *line = cJSON_Parse(at);
        if (profile_number(line, "ring") == 2) {
            assert_true(profile_number(line, "heap_start") >= start);
            assert_true(profile_number(line, "heap_end") >= end);
            start = profile_number(line, "heap_start");
            end = profile_number(line, "heap_end");
            assert_true(end >= start && end - start <= 256 << 20);
        }
        cJSON_Delete(line);
    }
    assert_true(end >= 600.0 * (1 << 20)); /* one megabyte each time */
    free(text);
    profile_done();
}

static void a_failed_dispatch_leaves_its_scopes_and_says_so(void **state)
{
    (void)state;
    profile_dir = temp_dir_make();
    rig.switches = (struct device_switches){
        .swimlane = 4, .dep_gen = true, .scope_stats = true, .dump_args = 2, .dir = profile_dir};
    assert_int_equal(rig_run_alone(FATAL, 1), -1);
    rig.switches = (struct device_switches){0};
    char *text = profile_text("scope_stats/scope_stats.jsonl", NULL);
    cJSON *head = scope_line(text, 0);
    assert_true(cJSON_IsTrue(profile_item(head, "fatal")));
    assert_null(profile_text("chip_swimlane_records.json", NULL));
    assert_null(profile_text("args_dump/args.bin", NULL));
    cJSON_Delete(head);
    free(text);
    profile_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overlap_is_an_edge_with_both_slices),
        cmocka_unit_test(covered_is_distinguished_from_other_overlaps),
        cmocka_unit_test(creators_and_explicit_dependencies_have_their_own_source),
        cmocka_unit_test(tasks_name_kernels_blocks_and_tensors),
        cmocka_unit_test(finished_tasks_are_in_the_graph),
        cmocka_unit_test(every_scope_has_its_two_boundaries),
        cmocka_unit_test(heap_counts_go_up_and_stay_within_the_heap),
        cmocka_unit_test(a_failed_dispatch_leaves_its_scopes_and_says_so),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
