/* args_dump/: which arguments a level takes, and that the bytes are those of before and after the task. */
#include "tests/support/profile_rig.h"

/* DUMPED: task 1 takes columns 4..7 of x as 8 x 8, adds 3 and puts them to y, which is marked with scalar 3; task 2
 * reads x and marks nothing. Arguments of task 1: columns, y, events, tag, op, plus, none. */
enum { COLUMNS_ARG, Y_ARG, PLUS_ARG = 5, TASK_ARGS = 7, Y_NBYTES = RIG_ELEMENTS * 4 };

static cJSON *json;
static int32_t *bytes;
static size_t nbytes;

static void dump(int level)
{
    for (int i = 0; i < RIG_ELEMENTS; i++) {
        rig.x[i] = i;
        rig.y[i] = -i;
    }
    profile_run(DUMPED, (struct device_switches){.dump_args = level});
    json = profile_json("args_dump/args_dump.json");
    bytes = (int32_t *)profile_text("args_dump/args.bin", &nbytes);
    assert_non_null(bytes);
    assert_int_equal(profile_number(json, "dump_args_level"), level);
    assert_int_equal(profile_number(json, "total_args"), cJSON_GetArraySize(profile_item(json, "args")));
}

static void end_dump(void)
{
    cJSON_Delete(json);
    free(bytes);
    profile_done();
}

static const cJSON *find(int task, int index, const char *stage)
{
    char id[32];
    const cJSON *a;
    snprintf(id, sizeof(id), "0x%016llx", (1ull << 32) + (unsigned)task);
    const cJSON *const in_a = profile_item(json, "args");
    for (a = in_a ? in_a->child : NULL; a; a = a->next) {
        if (strcmp(profile_text_of(a, "task_id"), id) == 0 && profile_number(a, "arg_index") == index &&
            strcmp(profile_text_of(a, "stage"), stage) == 0) {
            return a;
        }
    }
    fail_msg("no argument %d of task %d %s", index, task, stage);
    return NULL;
}

static const int32_t *payload(const cJSON *a, int count)
{
    assert_int_equal(profile_number(a, "bin_size"), count * 4);
    assert_true(profile_number(a, "bin_offset") + count * 4 <= (double)nbytes);
    return bytes + (size_t)profile_number(a, "bin_offset") / 4;
}

static void check_y(void)
{
    const int32_t *before = payload(find(0, Y_ARG, "before_dispatch"), RIG_ELEMENTS);
    const int32_t *after = payload(find(0, Y_ARG, "after_completion"), RIG_ELEMENTS);
    for (int i = 0; i < RIG_ELEMENTS; i++) {
        assert_int_equal(before[i], -i);
        assert_int_equal(after[i], i < 32 ? i / 4 * 8 + 4 + i % 4 + 3 : -i);
    }
    assert_string_equal(profile_text_of(find(0, Y_ARG, "after_completion"), "role"), "inout");
}

static void level_one_takes_marked_arguments(void **state)
{
    (void)state;
    dump(1);
    assert_int_equal(profile_number(json, "total_args"), 3);
    assert_int_equal(nbytes, 2 * Y_NBYTES);
    check_y();
    const cJSON *plus = find(0, PLUS_ARG, "before_dispatch");
    assert_string_equal(profile_text_of(plus, "kind"), "scalar");
    assert_string_equal(profile_text_of(plus, "dtype"), "INT64");
    assert_int_equal(profile_number(plus, "value"), 3);
    assert_int_equal(profile_number(plus, "bin_size"), 0);
    assert_int_equal(cJSON_GetArraySize(profile_item(plus, "shape")), 0);
    end_dump();
}

static void level_two_takes_all_and_gathers_strided_tensors(void **state)
{
    (void)state;
    dump(2);
    assert_int_equal(profile_number(json, "total_args"), TASK_ARGS + 1 + 6); /* y twice; task 2: x and five scalars */
    assert_int_equal(profile_number(json, "before_dispatch"), TASK_ARGS + 6);
    assert_int_equal(profile_number(json, "after_completion"), 1);
    assert_int_equal(profile_number(json, "inout_args"), 2);
    assert_int_equal(profile_number(json, "output_args"), 0);
    assert_int_equal(nbytes, 8 * 4 * 4 + 2 * Y_NBYTES + Y_NBYTES);
    check_y();
    const cJSON *columns = find(0, COLUMNS_ARG, "before_dispatch");
    const int32_t *values = payload(columns, 32);
    for (int i = 0; i < 32; i++) {
        assert_int_equal(values[i], i / 4 * 8 + 4 + i % 4);
    }
    assert_true(cJSON_IsFalse(profile_item(columns, "is_contiguous")));
    assert_int_equal(profile_column(profile_item(columns, "strides"), 0), 8);
    assert_int_equal(profile_number(columns, "start_offset"), 4);
    assert_int_equal(profile_column(profile_item(columns, "func_id"), 0), 2);
    end_dump();
}

static void level_three_describes_all_and_keeps_the_bytes_of_marked_ones(void **state)
{
    (void)state;
    dump(3);
    assert_int_equal(profile_number(json, "total_args"), TASK_ARGS + 1 + 6);
    assert_int_equal(nbytes, 2 * Y_NBYTES);
    check_y();
    assert_int_equal(profile_number(find(0, COLUMNS_ARG, "before_dispatch"), "bin_size"), 0);
    assert_string_equal(profile_text_of(json, "bin_file"), "args.bin");
    end_dump();
}

static void level_three_without_marks_has_no_bytes_at_all(void **state)
{
    (void)state;
    profile_run(READ_AFTER_WRITE, (struct device_switches){.dump_args = 3});
    cJSON *manifest = profile_json("args_dump/args_dump.json");
    assert_true(cJSON_IsNull(profile_item(manifest, "bin_file")));
    assert_null(profile_text("args_dump/args.bin", NULL));
    cJSON_Delete(manifest);
    profile_done();
}

static void level_one_without_marks_is_empty(void **state)
{
    (void)state;
    profile_run(READ_AFTER_WRITE, (struct device_switches){.dump_args = 1});
    cJSON *manifest = profile_json("args_dump/args_dump.json");
    assert_int_equal(profile_number(manifest, "total_args"), 0);
    cJSON_Delete(manifest);
    profile_done();
}

static void created_outputs_are_dumped_after_their_task_only(void **state)
{
    (void)state;
    profile_run(SET_WAITS_FOR_READERS, (struct device_switches){.dump_args = 2});
    cJSON *manifest = profile_json("args_dump/args_dump.json");
    const cJSON *a;
    const cJSON *const in_a = profile_item(manifest, "args");
    for (a = in_a ? in_a->child : NULL; a; a = a->next) {
        if (strcmp(profile_text_of(a, "role"), "output") == 0) {
            assert_string_equal(profile_text_of(a, "stage"), "after_completion");
        }
    }
    assert_int_equal(profile_number(manifest, "output_args"), 2);
    cJSON_Delete(manifest);
    profile_done();
}

/* A directory that cannot be made: the dispatch is none the worse, and each kind of file is counted. */
static void what_cannot_be_written_is_counted(void **state)
{
    char *const dir = temp_dir_make();
    char below[512];

    (void)state;
    temp_dir_put_text(dir, "file", "");
    snprintf(below, sizeof(below), "%s/file/d0", dir);
    rig.switches = (struct device_switches){
        .swimlane = 4, .pmu = 2, .dep_gen = true, .scope_stats = true, .dump_args = 2, .dir = below};
    assert_int_equal(rig_run(DUMPED), 0);
    assert_int_equal(rig.nlost, 5);
    rig.switches = (struct device_switches){0};
    assert_int_equal(rig_run(DUMPED), 0);
    assert_int_equal(rig.nlost, 0);
    temp_dir_remove(dir);
}

/* The list of arguments never names bytes that are not there. */
static void without_bytes_there_is_no_list(void **state)
{
    char *const dir = temp_dir_make();

    (void)state;
    temp_dir_put_text(dir, "args_dump/args.bin/in_the_way", "");
    rig.switches = (struct device_switches){.dump_args = 2, .dir = dir};
    assert_int_equal(rig_run(DUMPED), 0);
    assert_int_equal(rig.nlost, 1);
    rig.switches = (struct device_switches){0};
    assert_int_equal(temp_dir_count(dir), 1);
    profile_dir = dir;
    assert_null(profile_text("args_dump/args_dump.json", NULL));
    profile_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_one_takes_marked_arguments),
        cmocka_unit_test(level_two_takes_all_and_gathers_strided_tensors),
        cmocka_unit_test(level_three_describes_all_and_keeps_the_bytes_of_marked_ones),
        cmocka_unit_test(level_three_without_marks_has_no_bytes_at_all),
        cmocka_unit_test(level_one_without_marks_is_empty),
        cmocka_unit_test(what_cannot_be_written_is_counted),
        cmocka_unit_test(without_bytes_there_is_no_list),
        cmocka_unit_test(created_outputs_are_dumped_after_their_task_only),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
