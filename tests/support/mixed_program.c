#include "tests/support/mixed_program.h"

#include <stdio.h>
#include <string.h>

bool mixed_compile(const char *dir, const char *kernel, const char *flags)
{
    bool fine = rig_shell("${CXX:-c++} -shared -fPIC -O1 -std=c++17 -w -I %s -I %s/tests/unit/cpu "
                          "%s/tests/unit/cpu/mixed_graph.cpp -o %s/mixed.so",
                          RIG_INCLUDE, SOURCE_DIR, SOURCE_DIR, dir);
    for (int lane = 0; lane < 3 && fine; lane++) {
        fine = rig_shell("%s %s -DLANE=%d -D%s %s -I %s -I %s/tests/unit/cpu %s/tests/unit/cpu/%s.cpp -o %s/%s%d.so",
                         rig_cxx23(), rig_cxx23_flags(), lane, lane == 0 ? "__DAV_CUBE__" : "__DAV_VEC__", flags,
                         RIG_INCLUDE, SOURCE_DIR, SOURCE_DIR, kernel, dir, kernel, lane);
    }
    return fine;
}

const char *mixed_bfloat_flags(const char *dir)
{
    const bool known = rig_shell("printf '#include <stdfloat>\nstd::bfloat16_t x;\n' >%s/probe.cpp && "
                                 "%s -std=c++23 -c %s/probe.cpp -o %s/probe.o 2>/dev/null",
                                 dir, rig_cxx23(), dir, dir);
    return known ? "" : " -D__STDCPP_BFLOAT16_T__=1 -I " RIG_INCLUDE "/stdfloat-shim";
}

int mixed_open_threads(struct mixed_program *p, const char *dir, const char *kernel, int ncores, bool free_threads)
{
    const struct device_config config = {.ncores = ncores, .platform = "a2a3sim", .free_threads = free_threads};
    struct device_kernel kernels[3];
    char paths[3][512], orchestration[512];

    memset(p, 0, sizeof(*p));
    for (int lane = 0; lane < 3; lane++) {
        snprintf(paths[lane], sizeof(paths[lane]), "%s/%s%d.so", dir, kernel, lane);
        kernels[lane] = (struct device_kernel){lane, lane > 0, kernel, paths[lane]};
    }
    snprintf(orchestration, sizeof(orchestration), "%s/mixed.so", dir);
    const struct device_program program = {.name = "mixed",
                                           .orchestration = orchestration,
                                           .function_name = "aicpu_orchestration_entry",
                                           .config_name = "aicpu_orchestration_config",
                                           .nsignature = -1,
                                           .nkernel = 3,
                                           .kernels = kernels};
    if (device_cpu.open(&p->dev, &config, &p->err)) {
        return -1;
    }
    return device_cpu.load_program(p->dev, &program, &p->id, &p->err);
}

int mixed_open(struct mixed_program *p, const char *dir, const char *kernel, int ncores)
{
    return mixed_open_threads(p, dir, kernel, ncores, false);
}

int mixed_run(struct mixed_program *p, const uint64_t scalars[MIXED_ARGS])
{
    const struct device_dispatch dispatch = {.program = p->id, .nscalar = MIXED_ARGS, .scalars = scalars};
    return device_cpu.run(p->dev, &dispatch, &p->result, &p->err);
}
