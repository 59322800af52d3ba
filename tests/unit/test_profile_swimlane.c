/* chip_swimlane_records.json and pmu.csv: what is in them, what a level leaves out, and that nothing is there when
 * nothing was asked for. */
#include "tests/support/profile_rig.h"

enum { CORES = 24, AIC_CORES = 8 };

static void nothing_is_captured_when_nothing_is_asked_for(void **state)
{
    (void)state;
    profile_run(READ_AFTER_WRITE, (struct device_switches){0});
    assert_int_equal(temp_dir_count(profile_dir), 0);
    profile_done();
}

static void nothing_is_captured_without_a_directory(void **state)
{
    (void)state;
    rig.switches =
        (struct device_switches){.swimlane = 4, .pmu = 2, .dep_gen = true, .scope_stats = true, .dump_args = 2};
    assert_int_equal(rig_run(READ_AFTER_WRITE), 0);
    rig.switches = (struct device_switches){0};
}

static void each_switch_writes_its_own_file_and_no_other(void **state)
{
    static const struct {
        struct device_switches switches;
        const char *file;
    } cases[] = {
        {{.swimlane = 1}, "chip_swimlane_records.json"},
        {{.pmu = 2}, "pmu.csv"},
        {{.dep_gen = true}, "deps.json"},
        {{.scope_stats = true}, "scope_stats"},
        {{.dump_args = 2}, "args_dump"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char path[512];
        profile_run(READ_AFTER_WRITE, cases[i].switches);
        snprintf(path, sizeof(path), "%s/%s", profile_dir, cases[i].file);
        assert_int_equal(access(path, F_OK), 0);
        assert_int_equal(temp_dir_count(profile_dir), 1);
        profile_done();
    }
}

/* One for each call, and no more than its wall time. */
static void check_processor_times(const cJSON *json)
{
    const cJSON *call = profile_item(json, "aicore_tasks")->child, *ns;

    assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicore_task_cpu_ns")), 3);
    for (ns = profile_item(json, "aicore_task_cpu_ns")->child; ns; ns = ns->next, call = call->next) {
        assert_true(ns->valuedouble >= 0 && ns->valuedouble <= profile_column(call, 4) - profile_column(call, 3));
    }
}

static void a_level_leaves_out_what_is_above_it(void **state)
{
    (void)state;
    for (int level = 1; level <= 4; level++) {
        profile_run(READ_AFTER_WRITE, (struct device_switches){.swimlane = level});
        cJSON *json = profile_json("chip_swimlane_records.json");
        assert_int_equal(profile_number(json, "chip_swimlane_level"), level);
        assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicore_tasks")), 3);
        check_processor_times(json);
        assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicpu_tasks")), level >= 2 ? 3 : 0);
        assert_int_equal(cJSON_HasObjectItem(json, "aicpu_scheduler_phases"), level >= 3);
        assert_int_equal(cJSON_HasObjectItem(json, "aicpu_orchestrator_phases"), level >= 4);
        cJSON_Delete(json);
        profile_done();
    }
}

static void cores_are_eight_aic_and_sixteen_aiv_in_nanoseconds(void **state)
{
    (void)state;
    profile_run(READ_AFTER_WRITE, (struct device_switches){.swimlane = 1});
    cJSON *json = profile_json("chip_swimlane_records.json");
    const cJSON *meta = profile_item(json, "metadata");
    assert_int_equal(profile_number(meta, "clock_freq_hz"), 1000000000);
    assert_int_equal(profile_number(meta, "num_cores"), CORES);
    assert_int_equal(cJSON_GetArraySize(profile_item(meta, "core_types")), CORES);
    assert_int_equal(cJSON_GetArraySize(profile_item(meta, "core_to_thread")), CORES);
    for (int i = 0; i < CORES; i++) {
        const cJSON *type = cJSON_GetArrayItem(profile_item(meta, "core_types"), i);
        assert_string_equal(type->valuestring, i < AIC_CORES ? "aic" : "aiv");
    }
    cJSON_Delete(json);
    profile_done();
}

/* Of one call: dispatch, receipt, start, end, finish, in this order; joined by core and number. */
static void check_times(const cJSON *json)
{
    const cJSON *core, *aicpu;
    const cJSON *const in_core = profile_item(json, "aicore_tasks");
    for (core = in_core ? in_core->child : NULL; core; core = core->next) {
        int matches = 0;
        assert_int_equal(cJSON_GetArraySize(core), 6);
        assert_true(profile_column(core, 3) <= profile_column(core, 4));
        const cJSON *const in_aicpu = profile_item(json, "aicpu_tasks");
        for (aicpu = in_aicpu ? in_aicpu->child : NULL; aicpu; aicpu = aicpu->next) {
            assert_int_equal(cJSON_GetArraySize(aicpu), 4);
            if (profile_column(aicpu, 0) == profile_column(core, 0) &&
                profile_column(aicpu, 1) == profile_column(core, 2)) {
                matches++;
                assert_true(profile_column(aicpu, 2) <= profile_column(core, 3) - profile_column(core, 5));
                assert_true(profile_column(core, 4) <= profile_column(aicpu, 3));
            }
        }
        assert_int_equal(matches, 1);
    }
}

static void each_call_has_one_row_in_both_streams_and_times_in_order(void **state)
{
    (void)state;
    profile_run(BLOCKS, (struct device_switches){.swimlane = 2}); /* one task of 18 blocks */
    cJSON *json = profile_json("chip_swimlane_records.json");
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicore_tasks")), 18);
    check_times(json);
    cJSON_Delete(json);
    profile_done();
    profile_run(MIXED_MEET, (struct device_switches){.swimlane = 2}); /* three lanes of one cluster */
    json = profile_json("chip_swimlane_records.json");
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicore_tasks")), 3);
    int types[2] = {0};
    const cJSON *row;
    const cJSON *const in_row = profile_item(json, "aicore_tasks");
    for (row = in_row ? in_row->child : NULL; row; row = row->next) {
        types[profile_column(row, 0) >= AIC_CORES]++;
    }
    assert_int_equal(types[0], 1);
    assert_int_equal(types[1], 2);
    check_times(json);
    cJSON_Delete(json);
    profile_done();
}

/* Kernel calls take place when the records say: the kernels' own order is the one of the times. */
static void times_agree_with_the_order_in_which_kernels_ran(void **state)
{
    (void)state;
    profile_run(GET_WAITS_FOR_A_WAITING_TASK, (struct device_switches){.swimlane = 1});
    cJSON *json = profile_json("chip_swimlane_records.json");
    double start[5] = {0}, end[5] = {0};
    const cJSON *row;
    const cJSON *const in_row = profile_item(json, "aicore_tasks");
    for (row = in_row ? in_row->child : NULL; row; row = row->next) {
        const int tag =
            (int)((uint64_t)profile_column(row, 1) & 0xffffffff) + 1; /* submitted in the order of their tags */
        start[tag] = profile_column(row, 3);
        end[tag] = profile_column(row, 4);
    }
    for (int i = 1; i <= 4; i++) {
        for (int k = 1; k <= 4; k++) {
            if (rig_event(i)->end < rig_event(k)->start) {
                assert_true(end[i] > start[i]);
                assert_true(start[i] < end[k]);
            }
        }
    }
    assert_true(start[4] >= end[1]);
    cJSON_Delete(json);
    profile_done();
}

static int count_kind(const cJSON *json, const char *kind)
{
    const cJSON *thread, *phase;
    int n = 0;
    const cJSON *const in_thread = profile_item(json, "aicpu_scheduler_phases");
    for (thread = in_thread ? in_thread->child : NULL; thread; thread = thread->next) {
        for (phase = thread ? thread->child : NULL; phase; phase = phase->next) {
            if (strcmp(profile_text_of(phase, "kind"), kind) == 0) {
                n++;
                assert_true(profile_number(phase, "start_cycles") <= profile_number(phase, "end_cycles"));
                assert_int_equal(cJSON_GetArraySize(profile_item(phase, "shared_at_start")), 3);
                assert_int_equal(cJSON_GetArraySize(profile_item(phase, "shared_at_end")), 3);
                assert_int_equal(cJSON_HasObjectItem(phase, "pop_hit"), strcmp(kind, "dispatch") == 0);
                assert_int_equal(cJSON_HasObjectItem(phase, "pop_miss"), strcmp(kind, "dispatch") == 0);
            }
        }
    }
    return n;
}

static void scheduler_phases_are_those_of_the_tasks(void **state)
{
    (void)state;
    profile_run(PREDICATES, (struct device_switches){.swimlane = 3}); /* six tasks, two whose predicates fail */
    cJSON *json = profile_json("chip_swimlane_records.json");
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicore_tasks")), 4);
    assert_int_equal(count_kind(json, "dispatch"), 4);
    assert_int_equal(count_kind(json, "complete"), 4);
    assert_int_equal(count_kind(json, "predicated_skip"), 2);
    assert_int_equal(count_kind(json, "dummy_task"), 0);
    cJSON_Delete(json);
    profile_done();
    profile_run(DUMMY, (struct device_switches){.swimlane = 3});
    json = profile_json("chip_swimlane_records.json");
    assert_int_equal(count_kind(json, "dummy_task"), 1);
    cJSON_Delete(json);
    profile_done();
}

static void ready_counts_end_at_zero(void **state)
{
    (void)state;
    profile_run(BLOCKS, (struct device_switches){.swimlane = 3});
    cJSON *json = profile_json("chip_swimlane_records.json");
    const cJSON *phase, *thread = cJSON_GetArrayItem(profile_item(json, "aicpu_scheduler_phases"), 0);
    int seen = 0;
    for (phase = thread ? thread->child : NULL; phase; phase = phase->next) {
        if (profile_number(phase, "loop_iter") == 1 && strcmp(profile_text_of(phase, "kind"), "dispatch") == 0) {
            seen++;
            assert_int_equal(profile_column(profile_item(phase, "shared_at_start"), 1), 18);
            assert_int_equal(profile_column(profile_item(phase, "shared_at_end"), 1), 17);
        }
        if (!phase->next) {
            assert_int_equal(profile_column(profile_item(phase, "shared_at_end"), 1), 0);
        }
    }
    assert_int_equal(seen, 1);
    cJSON_Delete(json);
    profile_done();
}

static void orchestrator_phases_are_the_submits_in_order(void **state)
{
    (void)state;
    profile_run(DUMMY, (struct device_switches){.swimlane = 4}); /* a task, a dummy, two tasks */
    cJSON *json = profile_json("chip_swimlane_records.json");
    const cJSON *phases = cJSON_GetArrayItem(profile_item(json, "aicpu_orchestrator_phases"), 0), *phase;
    int i = 0;
    double before = 0;
    assert_int_equal(cJSON_GetArraySize(phases), 4);
    for (phase = phases ? phases->child : NULL; phase; phase = phase->next) {
        assert_int_equal(profile_number(phase, "submit_idx"), i);
        assert_true(profile_number(phase, "task_id") == 4294967296.0 + i); /* ring 1: the program's own scope */
        assert_true(profile_number(phase, "start_cycles") >= before);
        before = profile_number(phase, "end_cycles");
        i++;
    }
    cJSON_Delete(json);
    profile_done();
}

static void pmu_has_a_row_for_each_call(void **state)
{
    (void)state;
    size_t size;
    profile_run(TWO_VECTOR_LANES, (struct device_switches){.pmu = 2});
    char *text = profile_text("pmu.csv", &size), *line = strchr(text, '\n');
    *line++ = '\0';
    assert_string_equal(text, "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,vec_busy_cycles,"
                              "cube_busy_cycles,scalar_busy_cycles,mte1_busy_cycles,mte2_busy_cycles,mte3_busy_cycles,"
                              "icache_miss,icache_req,event_type");
    int seen = 0;
    for (int row = 0; row < 2; row++) {
        int thread, core, func_id, type, event, end = 0;
        unsigned long long task, total, v[8];
        assert_int_equal(sscanf(line, "%d,%d,0x%16llx,%d,%d,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%d\n%n",
                                &thread, &core, &task, &func_id, &type, &total, &v[0], &v[1], &v[2], &v[3], &v[4],
                                &v[5], &v[6], &v[7], &event, &end),
                         15);
        assert_int_equal(task, 1ull << 32);
        assert_int_equal(core, AIC_CORES + func_id - 11); /* kernel 11 is on the first vector lane, 12 on the second */
        seen |= 1 << (func_id - 11);
        assert_int_equal(type, 1);
        assert_int_equal(event, 2);
        assert_true(total > 0);
        line += end;
    }
    assert_int_equal(seen, 3);
    assert_string_equal(line, "");
    free(text);
    profile_done();
}

static void pmu_columns_are_those_of_the_event_type(void **state)
{
    static const struct {
        int event;
        const char *first;
    } cases[] = {{1, "cube_fp16_exec,"},         {4, "ub_read_req,"},    {5, "l0a_read_req,"},
                 {6, "bankgroup_stall_cycles,"}, {7, "ub_read_bw_mte,"}, {8, "write_cache_hit,"}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        profile_run(READ_AFTER_WRITE, (struct device_switches){.pmu = cases[i].event});
        char *text = profile_text("pmu.csv", NULL), *at = strstr(text, "pmu_total_cycles,");
        assert_int_equal(strncmp(at + strlen("pmu_total_cycles,"), cases[i].first, strlen(cases[i].first)), 0);
        free(text);
        profile_done();
    }
}

/* On several threads, each with a list of its own: 24 kernels meet, so the main thread cannot run them alone. */
static void phases_of_all_threads_are_kept_apart(void **state)
{
    struct device *const dev = rig.dev;
    const uint32_t program = rig.program;
    (void)state;
    rig_open(4);
    profile_run(
        CLUSTERS_START_TOGETHER,
        (struct device_switches){.swimlane = 4, .pmu = 2, .dep_gen = true, .scope_stats = true, .dump_args = 2});
    device_cpu.close(rig.dev);
    rig.dev = dev;
    rig.program = program;
    cJSON *json = profile_json("chip_swimlane_records.json");
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicore_tasks")), CORES);
    assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicpu_scheduler_phases")), CORES);
    assert_int_equal(count_kind(json, "complete"), CORES);
    assert_int_equal(count_kind(json, "dispatch"), 1); /* of all that start together */
    int used[CORES] = {0};
    for (int i = 0; i < CORES; i++) {
        const int thread = (int)profile_column(profile_item(profile_item(json, "metadata"), "core_to_thread"), i);
        assert_true(thread >= 0 && thread < CORES);
        used[thread]++;
    }
    for (int i = 0; i < CORES; i++) {
        assert_int_equal(used[i], 1);
    }
    check_times(json);
    cJSON_Delete(json);
    profile_done();
}

static void a_capture_leaves_nothing_for_the_next_dispatch(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        profile_run(MANY_TASKS, (struct device_switches){.swimlane = 4, .dep_gen = true});
        profile_done();
        profile_run(READ_AFTER_WRITE, (struct device_switches){.swimlane = 4, .dep_gen = true});
        cJSON *json = profile_json("chip_swimlane_records.json");
        assert_int_equal(cJSON_GetArraySize(profile_item(json, "aicore_tasks")), 3);
        cJSON_Delete(json);
        json = profile_json("deps.json");
        assert_int_equal(cJSON_GetArraySize(profile_item(json, "tasks")), 3);
        cJSON_Delete(json);
        profile_done();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_captured_when_nothing_is_asked_for),
        cmocka_unit_test(nothing_is_captured_without_a_directory),
        cmocka_unit_test(each_switch_writes_its_own_file_and_no_other),
        cmocka_unit_test(a_level_leaves_out_what_is_above_it),
        cmocka_unit_test(cores_are_eight_aic_and_sixteen_aiv_in_nanoseconds),
        cmocka_unit_test(each_call_has_one_row_in_both_streams_and_times_in_order),
        cmocka_unit_test(times_agree_with_the_order_in_which_kernels_ran),
        cmocka_unit_test(scheduler_phases_are_those_of_the_tasks),
        cmocka_unit_test(ready_counts_end_at_zero),
        cmocka_unit_test(orchestrator_phases_are_the_submits_in_order),
        cmocka_unit_test(pmu_has_a_row_for_each_call),
        cmocka_unit_test(pmu_columns_are_those_of_the_event_type),
        cmocka_unit_test(phases_of_all_threads_are_kept_apart),
        cmocka_unit_test(a_capture_leaves_nothing_for_the_next_dispatch),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
