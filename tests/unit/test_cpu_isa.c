/* Kernels over PTO-ISA: loads and stores, vectors, matrices, pipes between the lanes of a mixed task, signals, 16-bit
 * types, and the order in which numbers are added up. Skipped without PTO_ISA_ROOT. */
#include "tests/support/cpu_rig.h"

enum { ISA_KERNELS = 9, CELLS = 16 * 16 };

static float a[CELLS], b[CELLS], c[CELLS];

static bool with_shim(void)
{
    temp_dir_put(rig.dir, "probe.cpp", "#include <stdfloat>\nstd::bfloat16_t x;\n", 39);
    return !rig_shell("%s -std=c++23 -c %s/probe.cpp -o %s/probe.o 2>/dev/null", rig_cxx23(), rig.dir, rig.dir);
}

static void compile_all(const char *isa)
{
    const bool shim = with_shim();
    assert_true(rig_shell("${CXX:-c++} -shared -fPIC -O1 -std=c++17 -w -I %s %s/tests/unit/cpu/isa_graph.cpp "
                          "-o %s/isa.so",
                          RIG_INCLUDE, SOURCE_DIR, rig.dir));
    for (int i = 0; i < ISA_KERNELS; i++) {
        assert_true(rig_shell("%s %s -DKERNEL=%d -D%s %s -I %s/include -I %s/include/pto -I %s/stdfloat-shim -I %s "
                              "%s/tests/unit/cpu/isa_kernels.cpp -o %s/isa%d.so",
                              rig_cxx23(), rig_cxx23_flags(), i, i == 1 || i == 2 ? "__DAV_CUBE__" : "__DAV_VEC__",
                              shim ? "-D__STDCPP_BFLOAT16_T__=1" : "", isa, isa, shim ? RIG_INCLUDE : "/nonexistent",
                              RIG_INCLUDE, SOURCE_DIR, rig.dir, i));
    }
}

static int setup(void **state)
{
    const struct device_config config = {.ncores = 1, .platform = "a2a3sim"};
    struct device_kernel kernels[ISA_KERNELS];
    char paths[ISA_KERNELS][512], orchestration[512];
    const char *isa = getenv("PTO_ISA_ROOT");

    (void)state;
    if (!isa || !*isa) {
        return 0;
    }
    rig.dir = temp_dir_make();
    compile_all(isa);
    for (int i = 0; i < ISA_KERNELS; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/isa%d.so", rig.dir, i);
        kernels[i] = (struct device_kernel){i, i == 1 || i == 2 ? 0 : 1, "kernel", paths[i]};
    }
    snprintf(orchestration, sizeof(orchestration), "%s/isa.so", rig.dir);
    const struct device_program program = {.name = "isa",
                                           .orchestration = orchestration,
                                           .function_name = "aicpu_orchestration_entry",
                                           .config_name = "aicpu_orchestration_config",
                                           .nsignature = -1,
                                           .nkernel = ISA_KERNELS,
                                           .kernels = kernels};
    assert_int_equal(device_cpu.open(&rig.dev, &config, &rig.err), 0);
    assert_int_equal(device_cpu.load_program(rig.dev, &program, &rig.program, &rig.err), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    device_cpu.close(rig.dev);
    if (rig.dir) {
        temp_dir_remove(rig.dir);
    }
    return 0;
}

static struct device_tensor tensor(void *cells, enum dtype type)
{
    return (struct device_tensor){.addr = cells,
                                  .nbytes = CELLS * dtype_size(type),
                                  .dtype = type,
                                  .ndim = 2,
                                  .shape = {16, 16},
                                  .stride = {16, 1}};
}

static void run_or_skip(uint64_t which, void *second, enum dtype type)
{
    if (!rig.dev) {
        print_message("PTO_ISA_ROOT is not set: no PTO-ISA headers to compile kernels against\n");
        skip();
    }
    const struct device_tensor tensors[] = {tensor(a, which == 4 ? DTYPE_INT32 : DTYPE_FLOAT32), tensor(second, type),
                                            tensor(c, DTYPE_FLOAT32)};
    const struct device_dispatch dispatch = {
        .program = rig.program, .ntensor = 3, .nscalar = 1, .tensors = tensors, .scalars = &which};
    alarm(RIG_SECONDS);
    if (device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err)) {
        fail_msg("%s", rig.err.what);
    }
}

static void ramps(void)
{
    for (int i = 0; i < CELLS; i++) {
        a[i] = (float)(i % 13);
        b[i] = (float)(i % 7) - 3;
        c[i] = 0;
    }
}

static void vectors_add(void **state)
{
    (void)state;
    ramps();
    run_or_skip(0, b, DTYPE_FLOAT32);
    for (int i = 0; i < CELLS; i++) {
        assert_true(c[i] == (float)(i % 13 + i % 7 - 3));
    }
}

static void matrices_multiply(void **state)
{
    (void)state;
    ramps();
    run_or_skip(1, b, DTYPE_FLOAT32);
    for (int row = 0; row < 16; row++) {
        for (int col = 0; col < 16; col++) {
            int sum = 0;
            for (int k = 0; k < 16; k++) {
                sum += (row * 16 + k) % 13 * ((k * 16 + col) % 7 - 3);
            }
            assert_true(c[row * 16 + col] == (float)sum);
        }
    }
}

static void lanes_of_a_mixed_task_hand_tiles_over(void **state)
{
    static float slots[2 * CELLS];
    (void)state;
    for (int round = 0; round < 5; round++) {
        ramps();
        run_or_skip(2, slots, DTYPE_FLOAT32);
        for (int i = 0; i < CELLS; i++) {
            assert_true(c[i] == (float)(8 * (i % 13)));
        }
    }
}

static void a_signal_reaches_a_task_that_was_submitted_before(void **state)
{
    (void)state;
    memset(a, 0, sizeof(a));
    run_or_skip(4, b, DTYPE_FLOAT32);
    int32_t words[2];
    memcpy(words, a, sizeof(words));
    assert_int_equal(words[0], 3);
    assert_int_equal(words[1], 1);
}

/* 1.00390625 = 1 + 2^-8 is a tie and goes to the even neighbour, 1; 1 + 2^-7 is exact; 1e38 is far beyond half. */
static void bfloat16_is_not_half(void **state)
{
    static uint16_t narrow[CELLS];
    (void)state;
    ramps();
    a[0] = 1.00390625f;
    a[1] = 1.0078125f;
    a[2] = -1e38f;
    run_or_skip(6, narrow, DTYPE_BFLOAT16);
    assert_int_equal(narrow[0], 0x3f80);
    assert_int_equal(narrow[1], 0x3f81);
    assert_int_equal(narrow[2], 0xfe96);
    assert_int_equal(narrow[5], 0x40a0);
    assert_true(c[0] == 2.0f);
    assert_true(c[1] == 2.015625f);
    assert_true(c[5] == 10.0f);
}

/* The last column of a tile of halves is padded with the least value there is. */
static void halves_are_padded_with_infinity(void **state)
{
    static uint16_t halves[CELLS];
    (void)state;
    ramps();
    run_or_skip(8, halves, DTYPE_FLOAT16);
    for (int i = 0; i < CELLS; i++) {
        assert_int_equal(halves[i], i % 16 == 15 ? 0xfc00 : 0);
    }
}

/* Added up from left to right, in single precision; another order gives another sum for these numbers. */
static void rows_are_summed_in_order(void **state)
{
    (void)state;
    ramps();
    for (int i = 0; i < CELLS; i++) {
        a[i] = (i % 3 == 0 ? 1e8f : 3.7f) * (i % 2 ? -1.0f : 1.0f) + (float)i;
    }
    run_or_skip(7, b, DTYPE_FLOAT32);
    for (int row = 0; row < 8; row++) {
        volatile float sum = 0;
        for (int col = 0; col < 32; col++) {
            sum = sum + a[row * 32 + col];
        }
        assert_true(c[row] == sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_add),
        cmocka_unit_test(matrices_multiply),
        cmocka_unit_test(lanes_of_a_mixed_task_hand_tiles_over),
        cmocka_unit_test(a_signal_reaches_a_task_that_was_submitted_before),
        cmocka_unit_test(bfloat16_is_not_half),
        cmocka_unit_test(rows_are_summed_in_order),
        cmocka_unit_test(halves_are_padded_with_infinity),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
