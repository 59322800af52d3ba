/* Elements read and written by the orchestration, outputs that the runtime creates, predicates, sizes, and errors. */
#include "tests/support/cpu_rig.h"

static void clear_tensors(void)
{
    memset(rig.x, 0, sizeof(rig.x));
    memset(rig.y, 0, sizeof(rig.y));
    memset(rig.z, 0, sizeof(rig.z));
}

static void reading_an_element_waits_for_its_writer(void **state)
{
    (void)state;
    clear_tensors();
    assert_int_equal(rig_run(GET_WAITS), 0);
    assert_int_equal(rig.y[0], 8);
}

static void reading_an_element_does_not_keep_other_tasks_from_running(void **state)
{
    (void)state;
    for (int ncores = 1; ncores <= 2; ncores++) {
        assert_int_equal(rig_run_alone(GET_WAITS_FOR_A_WAITING_TASK, ncores), 0);
        assert_int_equal(rig_event(4)->count, 1);
        assert_true(rig_event(4)->start > rig_event(1)->end);
    }
}

/* There is no edge from the reader to the second writer; on one core the order of the program decides. */
static void one_core_runs_a_program_in_its_order(void **state)
{
    (void)state;
    clear_tensors();
    assert_int_equal(rig_run(WRITTEN_AGAIN), 0);
    assert_int_equal(rig.y[0], 1);
    assert_int_equal(rig.z[0], 5);
}

static void writing_an_element_waits_for_the_readers_of_the_old_one(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        clear_tensors();
        assert_int_equal(rig_run(SET_WAITS_FOR_READERS), 0);
        assert_int_equal(rig.y[0], 1);
        assert_int_equal(rig.z[0], 5);
        assert_int_equal(rig.z[1], 1);
    }
}

static void a_predicate_decides_whether_a_task_runs(void **state)
{
    (void)state;
    clear_tensors();
    assert_int_equal(rig_run(PREDICATES), 0);
    assert_int_equal(rig_event(2)->count, 1);
    assert_int_equal(rig_event(3)->count, 0);
    assert_int_equal(rig_event(4)->count, 1);
    assert_int_equal(rig_event(5)->count, 0);
    assert_int_equal(rig_event(6)->count, 1);
}

static void outputs_start_with_their_initial_value(void **state)
{
    (void)state;
    clear_tensors();
    assert_int_equal(rig_run(INITIAL_VALUE), 0);
    for (int i = 0; i < RIG_ELEMENTS; i++) {
        assert_int_equal(rig.y[i], 42);
    }
}

static void memory_of_ended_scopes_is_used_again(void **state)
{
    (void)state;
    for (int ncores = 1; ncores <= 2; ncores++) {
        clear_tensors();
        assert_int_equal(rig_run_alone(MORE_OUTPUTS_THAN_MEMORY, ncores), 0);
        assert_int_equal(rig.x[0], 600);
        assert_int_equal(rig_event(1)->count, 600);
    }
}

static void an_open_scope_may_need_more_memory_than_a_ring_has(void **state)
{
    (void)state;
    clear_tensors();
    assert_int_equal(rig_run(MORE_OUTPUTS_IN_ONE_SCOPE), 0);
    assert_int_equal(rig.y[63], 9);
}

/* 10000 = 156 * 64 + 16 additions of one, spread over 64 elements. */
static void ten_thousand_tasks_in_a_program(void **state)
{
    (void)state;
    clear_tensors();
    assert_int_equal(rig_run(MANY_TASKS), 0);
    assert_int_equal(rig.result.ntasks, 10001);
    for (int i = 0; i < RIG_ELEMENTS; i++) {
        assert_int_equal(rig.y[i], i < 16 ? 157 : 156);
    }
}

static void more_tasks_than_a_window_holds(void **state)
{
    (void)state;
    clear_tensors();
    assert_int_equal(rig_run(MANY_SCOPES), 0);
    assert_int_equal(rig.x[63], 50000);
    assert_int_equal(rig.result.ntasks, 50000);
}

static void assert_fails(enum program_name which, const char *text)
{
    clear_tensors();
    assert_int_equal(rig_run_alone(which, 1), -1);
    assert_int_equal(rig.err.kind, ERROR_FAIL);
    if (!strstr(rig.err.what, text)) {
        fail_msg("\"%s\" does not say \"%s\"", rig.err.what, text);
    }
}

static void a_fatal_report_fails_the_run_with_code_and_text(void **state)
{
    (void)state;
    assert_fails(FATAL, "code 9, data_program: no more than 3");
    assert_int_equal(rig.x[0], 0);
}

static void bad_calls_fail_with_what_is_wrong(void **state)
{
    (void)state;
    assert_fails(BAD_VIEW, "assertion failed: static_cast<uint64_t>(view_offsets[i]) + view_shapes[i] <= shapes[i]");
    assert_fails(BAD_DEPENDENCY, "set_dependencies");
    assert_fails(TOO_MANY_SCALARS, "too many scalars");
    assert_fails(AUTO_IN_MANUAL, "automatic scope inside a manual one");
}

static void a_device_refuses_to_go_on_after_a_failure(void **state)
{
    (void)state;
    struct device *const dev = rig.dev;
    const uint32_t program = rig.program;
    rig_open(1);
    assert_int_equal(rig_run(FATAL), -1);
    assert_int_equal(rig_run(GET_WAITS), -1);
    device_cpu.close(rig.dev);
    rig.dev = dev;
    rig.program = program;
}

static void too_few_arguments_are_counted_in_the_error(void **state)
{
    (void)state;
    /* The last one is what an ordering token looks like: one more than the program knows. */
    const struct device_tensor tensors[] = {rig_tensor(rig.x), rig_tensor(rig.y), rig_tensor(rig.z), rig_tensor(rig.z)};
    const uint64_t scalars[] = {0, GET_WAITS, 0, 0};
    struct device_dispatch dispatch = {
        .program = rig.program, .ntensor = 3, .nscalar = 1, .tensors = tensors, .scalars = scalars};
    assert_int_equal(device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err), -1);
    assert_non_null(strstr(rig.err.what, "expects 5 arguments and gets 4"));
    dispatch.ntensor = 2;
    dispatch.nscalar = 4;
    assert_int_equal(device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err), -1);
    assert_non_null(strstr(rig.err.what, "needs 3 tensors and 2 scalars and gets 2 and 4"));
    dispatch.ntensor = 4;
    dispatch.nscalar = 1;
    assert_int_equal(device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err), -1);
    assert_non_null(strstr(rig.err.what, "needs 3 tensors and 2 scalars and gets 4 and 1"));
}

/* One run of a program that needs 3 tensors and 2 scalars, with more of them than it looks at. */
static int run_with(uint32_t ntensor, uint32_t nscalar)
{
    static struct device_tensor tensors[DEVICE_MAX_TENSORS + 1];
    static uint64_t scalars[DEVICE_MAX_SCALARS + 1];
    const struct device_dispatch dispatch = {
        .program = rig.program, .ntensor = ntensor, .nscalar = nscalar, .tensors = tensors, .scalars = scalars};
    for (uint32_t i = 0; i <= DEVICE_MAX_TENSORS; i++) {
        tensors[i] = rig_tensor(i == 0 ? rig.x : i == 1 ? rig.y : rig.z);
    }
    scalars[0] = (uint64_t)(uintptr_t)&rig.events;
    scalars[1] = GET_WAITS;
    return device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err);
}

static void a_dispatch_may_have_256_tensors_and_128_scalars(void **state)
{
    (void)state;
    assert_int_equal(DEVICE_MAX_TENSORS, 256);
    assert_int_equal(DEVICE_MAX_SCALARS, 128);
    clear_tensors();
    assert_int_equal(run_with(256, 128), 0);
    assert_int_equal(rig.y[0], 8); /* as with its own arguments alone */
    assert_int_equal(run_with(257, 2), -1);
    assert_non_null(strstr(rig.err.what, "has 257 tensors and 2 scalars"));
    assert_int_equal(run_with(3, 129), -1);
    assert_non_null(strstr(rig.err.what, "has 3 tensors and 129 scalars"));
}

/* 1 to 5 dimensions; no fp8, fp4 or fp64. */
static void tensors_of_other_shapes_and_types_are_refused(void **state)
{
    (void)state;
    static const enum dtype refused[] = {DTYPE_FP8E4M3FN, DTYPE_FP8E8M0, DTYPE_FP4E2M1, DTYPE_FLOAT64};
    struct device_tensor tensors[] = {rig_tensor(rig.x), rig_tensor(rig.y), rig_tensor(rig.z)};
    const uint64_t scalars[] = {(uint64_t)(uintptr_t)&rig.events, GET_WAITS};
    const struct device_dispatch dispatch = {
        .program = rig.program, .ntensor = 3, .nscalar = 2, .tensors = tensors, .scalars = scalars};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        tensors[2].dtype = refused[i];
        assert_int_equal(device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err), -1);
        assert_non_null(strstr(rig.err.what, "tensor 2 has 1 dimensions of "));
    }
    tensors[2] = rig_tensor(rig.z);
    tensors[2].ndim = 0;
    assert_int_equal(device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err), -1);
    tensors[2].ndim = 6;
    assert_int_equal(device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err), -1);
    tensors[2].ndim = 5;
    for (int i = 0; i < 4; i++) {
        tensors[2].shape[i] = 1;
        tensors[2].stride[i] = RIG_ELEMENTS;
    }
    tensors[2].shape[4] = RIG_ELEMENTS;
    tensors[2].stride[4] = 1;
    tensors[2].dtype = DTYPE_BOOL;
    clear_tensors();
    assert_int_equal(device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err), 0);
    assert_int_equal(rig.y[0], 8);
}

static void a_missing_object_or_symbol_is_named(void **state)
{
    (void)state;
    uint32_t id;
    char object[512];
    snprintf(object, sizeof(object), "%s/k0.so", rig.dir);
    struct device_program program = {.name = "gone",
                                     .orchestration = "/nowhere/o.so",
                                     .function_name = "aicpu_orchestration_entry",
                                     .config_name = "aicpu_orchestration_config",
                                     .nsignature = -1};
    assert_int_equal(device_cpu.load_program(rig.dev, &program, &id, &rig.err), -1);
    assert_non_null(strstr(rig.err.what, "/nowhere/o.so"));
    program.orchestration = object;
    assert_int_equal(device_cpu.load_program(rig.dev, &program, &id, &rig.err), -1);
    assert_non_null(strstr(rig.err.what, "does not define aicpu_orchestration_entry"));
}

static void a_domain_context_has_the_layout_that_kernels_read(void **state)
{
    (void)state;
    uint64_t ctx;
    uint32_t ranks[2];
    uint64_t words[132];
    struct device_domain domain = {.rank = 1, .nranks = 3, .window_nbytes = 4096, .windows = {rig.x, rig.y, rig.z}};
    assert_int_equal(device_cpu.add_domain(rig.dev, &domain, &ctx, &rig.err), 0);
    memcpy(words, (const void *)(uintptr_t)ctx, 1056);
    memcpy(ranks, &words[2], sizeof(ranks));
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0);
    assert_int_equal(ranks[0], 1);
    assert_int_equal(ranks[1], 3);
    assert_int_equal(words[3], 4096);
    assert_int_equal(words[32 / 8 + 2], (uintptr_t)rig.z);
    assert_int_equal(words[32 / 8 + 3], 0);
    assert_int_equal(words[544 / 8 + 1], (uintptr_t)rig.y);
    domain.rank = 3;
    assert_int_equal(device_cpu.add_domain(rig.dev, &domain, &ctx, &rig.err), -1);
}

static void waiting_for_signals_never_gives_up(void **state)
{
    (void)state;
    assert_string_equal(getenv("PTO_CPU_SIM_TWAIT_MAX_SPINS"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_an_element_waits_for_its_writer),
        cmocka_unit_test(reading_an_element_does_not_keep_other_tasks_from_running),
        cmocka_unit_test(one_core_runs_a_program_in_its_order),
        cmocka_unit_test(writing_an_element_waits_for_the_readers_of_the_old_one),
        cmocka_unit_test(a_predicate_decides_whether_a_task_runs),
        cmocka_unit_test(outputs_start_with_their_initial_value),
        cmocka_unit_test(memory_of_ended_scopes_is_used_again),
        cmocka_unit_test(an_open_scope_may_need_more_memory_than_a_ring_has),
        cmocka_unit_test(ten_thousand_tasks_in_a_program),
        cmocka_unit_test(more_tasks_than_a_window_holds),
        cmocka_unit_test(a_fatal_report_fails_the_run_with_code_and_text),
        cmocka_unit_test(bad_calls_fail_with_what_is_wrong),
        cmocka_unit_test(a_device_refuses_to_go_on_after_a_failure),
        cmocka_unit_test(too_few_arguments_are_counted_in_the_error),
        cmocka_unit_test(a_dispatch_may_have_256_tensors_and_128_scalars),
        cmocka_unit_test(tensors_of_other_shapes_and_types_are_refused),
        cmocka_unit_test(a_missing_object_or_symbol_is_named),
        cmocka_unit_test(a_domain_context_has_the_layout_that_kernels_read),
        cmocka_unit_test(waiting_for_signals_never_gives_up),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}
