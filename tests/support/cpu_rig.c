#include "tests/support/cpu_rig.h"

enum { RIG_KERNELS = 7 };

struct rig rig;

/* func_id, tensors, added to the tag */
static const int rig_kernels[RIG_KERNELS][3] = {{0, 0, 0},  {1, 1, 0},   {2, 2, 0},  {3, 3, 0},
                                                {10, 0, 0}, {11, 0, 20}, {12, 0, 40}};

static void rig_compile(void)
{
    assert_true(rig_shell("${CXX:-c++} -shared -fPIC -O1 -std=c++17 -w -I %s -I %s/tests/unit/cpu "
                          "%s/tests/unit/cpu/graph.cpp -o %s/graph.so",
                          RIG_INCLUDE, SOURCE_DIR, SOURCE_DIR, rig.dir));
    for (int i = 0; i < RIG_KERNELS; i++) {
        assert_true(rig_shell("%s %s -D__DAV_VEC__ -DTENSORS=%d -DTAG=%d -I %s -I %s/tests/unit/cpu "
                              "%s/tests/unit/cpu/kernel.cpp -o %s/k%d.so",
                              rig_cxx23(), rig_cxx23_flags(), rig_kernels[i][1], rig_kernels[i][2], RIG_INCLUDE,
                              SOURCE_DIR, SOURCE_DIR, rig.dir, rig_kernels[i][0]));
    }
}

void rig_open(int ncores)
{
    const struct device_config config = {.ncores = ncores, .platform = "a2a3sim"};
    const uint8_t signature[] = {1, 3, 3};
    struct device_kernel kernels[RIG_KERNELS];
    char paths[RIG_KERNELS][512], orchestration[512];

    alarm(RIG_SECONDS);
    assert_int_equal(device_cpu.open(&rig.dev, &config, &rig.err), 0);
    for (int i = 0; i < RIG_KERNELS; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/k%d.so", rig.dir, rig_kernels[i][0]);
        kernels[i] = (struct device_kernel){rig_kernels[i][0], 1, "kernel", paths[i]};
    }
    snprintf(orchestration, sizeof(orchestration), "%s/graph.so", rig.dir);
    const struct device_program program = {.name = "graph",
                                           .orchestration = orchestration,
                                           .function_name = "aicpu_orchestration_entry",
                                           .config_name = "aicpu_orchestration_config",
                                           .nsignature = 3,
                                           .signature = signature,
                                           .nkernel = RIG_KERNELS,
                                           .kernels = kernels};
    assert_int_equal(device_cpu.load_program(rig.dev, &program, &rig.program, &rig.err), 0);
}

struct device_tensor rig_tensor(int32_t *elements)
{
    return (struct device_tensor){.addr = elements,
                                  .nbytes = RIG_ELEMENTS * sizeof(*elements),
                                  .dtype = DTYPE_INT32,
                                  .ndim = 1,
                                  .shape = {RIG_ELEMENTS},
                                  .stride = {1},
                                  .tag = TAG_INOUT};
}

int rig_run(enum program_name which)
{
    const struct device_tensor tensors[] = {rig_tensor(rig.x), rig_tensor(rig.y), rig_tensor(rig.z)};
    const uint64_t scalars[] = {(uint64_t)(uintptr_t)&rig.events, which};
    const struct device_dispatch dispatch = {.program = rig.program,
                                             .ntensor = 3,
                                             .nscalar = 2,
                                             .tensors = tensors,
                                             .scalars = scalars,
                                             .switches = rig.switches};

    memset(&rig.events, 0, sizeof(rig.events));
    alarm(RIG_SECONDS);
    if (device_cpu.run(rig.dev, &dispatch, &rig.result, &rig.err) < 0) {
        return -1;
    }
    rig.nlost = device_cpu.save_profile(rig.dev);
    return 0;
}

int rig_run_alone(enum program_name which, int ncores)
{
    struct device *const dev = rig.dev;
    const uint32_t program = rig.program;
    rig_open(ncores);
    const int rc = rig_run(which);
    device_cpu.close(rig.dev);
    rig.dev = dev;
    rig.program = program;
    return rc;
}

struct event *rig_event(int tag)
{
    return &rig.events.tags[tag];
}

void assert_after(int later, int earlier)
{
    assert_int_equal(rig_event(earlier)->count, 1);
    assert_int_equal(rig_event(later)->count, 1);
    assert_true(rig_event(later)->start > rig_event(earlier)->end);
}

int rig_setup(void **state)
{
    (void)state;
    rig.dir = temp_dir_make();
    rig_compile();
    rig_open(1);
    return 0;
}

int rig_teardown(void **state)
{
    (void)state;
    device_cpu.close(rig.dev);
    temp_dir_remove(rig.dir);
    return 0;
}
