/*
 * bench_fresh - the loop users live in: edit, replay, know.
 *
 * Prints what one edit costs in a build of 64 kernels in 8 programs, a full rebuild at 1, 2 and 4 processes beside `make -j`
 * on the same files, and, with PTO_ISA_ROOT set, the whole loop for two PTO-ISA kernels and one orchestration,
 * for which the Python replay takes 10.6 s (one edit) and 4.0 s (--no-recompile, nothing changed) on two cores.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "tests/bench/build_writer.h"

enum { PROGRAMS = 8, KERNELS = 8, PATH_ROOM = 512 };

static const char plain_kernel[] = "#include <cstdint>\n#include <vector>\n#include \"tensor.h\"\n"
                                   "extern \"C\" void kernel_entry(int64_t *args)\n{\n"
                                   "    auto *t = reinterpret_cast<ChipTensor *>(args[0]);\n"
                                   "    auto *x = reinterpret_cast<float *>(t->buffer.addr);\n"
                                   "    std::vector<float> v(x, x + 16);\n"
                                   "    v.push_back(%d);\n"
                                   "    x[0] = v[v.size() %% 16];\n}\n";

static const char isa_kernel[] =
    "#include <cstdint>\n#include <pto/pto-inst.hpp>\n#include \"tensor.h\"\nusing namespace pto;\n"
    "using G = GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;\n"
    "using V = Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 16>;\n"
    "extern \"C\" void kernel_entry(int64_t *args)\n{\n"
    "    auto *t = reinterpret_cast<ChipTensor *>(args[0]);\n"
    "    G g(reinterpret_cast<float *>(t->buffer.addr) + t->start_offset);\n"
    "    V a, b;\n    TASSIGN(a, 0x0);\n    TASSIGN(b, 0x1000);\n    TLOAD(a, g);\n"
    "    TADDS(b, a, %d.0f);\n    TSTORE(g, b);\n}\n";

static void kernel_file(const char *dir, int program, int kernel, char *buf)
{
    snprintf(buf, PATH_ROOM, "%s/next_levels/p%d/kernels/aiv/k%d.cpp", dir, program, kernel);
}

static void write_file(const char *path, const char *text)
{
    struct error err;

    if (file_write_unsynced(path, text, strlen(text), &err) < 0) {
        fprintf(stderr, "bench: %s\n", err.what);
        exit(1);
    }
}

static void write_kernel(const char *dir, const char *source, int program, int kernel, int salt)
{
    char path[PATH_ROOM], text[4096];

    kernel_file(dir, program, kernel, path);
    snprintf(text, sizeof text, source, 1000 * program + 10 * kernel + salt);
    write_file(path, text);
}

static void write_program(const char *dir, int program, int kernels, const char *source)
{
    char path[PATH_ROOM], text[8192];
    struct error err;
    size_t used;

    snprintf(path, sizeof path, "%s/next_levels/p%d/kernels/aiv", dir, program);
    file_make_dirs(path, &err);
    snprintf(path, sizeof path, "%s/next_levels/p%d/orchestration", dir, program);
    file_make_dirs(path, &err);
    used = (size_t)snprintf(text, sizeof text,
                            "from pathlib import Path\n_R = Path(__file__).parent\n"
                            "ORCHESTRATION = {\"source\": str(_R / \"orchestration\" / \"o.cpp\"), "
                            "\"function_name\": \"aicpu_orchestration_entry\"}\nKERNELS = [\n");
    for (int k = 0; k < kernels; k++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "    {\"func_id\": %d, \"name\": \"k%d\", \"source\": str(_R / \"kernels\" / \"aiv\" / "
                             "\"k%d.cpp\"), \"core_type\": \"aiv\"},\n",
                             k, k, k);
        write_kernel(dir, source, program, k, 0);
    }
    snprintf(text + used, sizeof text - used, "]\n");
    snprintf(path, sizeof path, "%s/next_levels/p%d/kernel_config.py", dir, program);
    write_file(path, text);
    snprintf(
        text, sizeof text,
        "#include \"pto_orchestration_api.h\"\n"
        "extern \"C\" PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &)\n"
        "{ return PTO2OrchestrationConfig{1}; }\n"
        "extern \"C\" void aicpu_orchestration_entry(const ChipTaskArgs &args)\n{\n    PTO2_SCOPE() {\n"
        "        for (int k = 0; k < %d; k++) {\n            CoreTaskArgs a;\n"
        "            a.add_inout(args.tensor(0).ref());\n            rt_submit_aiv_task(k, a);\n        }\n    }\n}\n"
        "int program_%d;\n",
        kernels, program);
    snprintf(path, sizeof path, "%s/next_levels/p%d/orchestration/o.cpp", dir, program);
    write_file(path, text);
}

static void write_build(const char *dir, int programs, int kernels, const char *source)
{
    char path[PATH_ROOM], text[2048];
    struct error err;

    snprintf(path, sizeof path, "%s/orchestration", dir);
    file_make_dirs(path, &err);
    for (int p = 0; p < programs; p++) {
        write_program(dir, p, kernels, source);
    }
    snprintf(text, sizeof text,
             "import torch\nfrom simpler.task_interface import TaskArgs, TensorArgType\n"
             "from pypto.runtime.tensor_arg import make_tensor_arg\n"
             "from pypto.runtime.distributed_runner import _submit_chip\n\n"
             "def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, "
             "_domain_provider=None):\n"
             "    for p in range(%d):\n        ta = TaskArgs()\n"
             "        ta.add_tensor(make_tensor_arg(orch._worker, tensors[\"x\"][p %% 2]), TensorArgType.INOUT)\n"
             "        _submit_chip(orch, callables[\"p%%d\" %% p], ta, config, p %% 2)\n"
             "host_orch._pypto_distributed_entry = True\n",
             programs);
    snprintf(path, sizeof path, "%s/orchestration/host_orch.py", dir);
    write_file(path, text);
    snprintf(path, sizeof path, "%s/distributed_meta.json", dir);
    write_file(path,
               "{\"schema\": 2, \"params\": [{\"name\": \"x\", \"direction\": \"InOut\", \"shape\": [2, 16], "
               "\"dtype\": \"fp32\"}], \"platform\": \"a2a3sim\", \"distributed_config\": {\"device_ids\": [0, 1]}}");
}

/* A replay; the phases of its result file say how long it prepared. */
static double replay(const char *dir, const char *processes, const char *flag, double *prepare)
{
    char program[4096], result[PATH_ROOM];
    char *argv[] = {program,    "run",  (char *)(uintptr_t)dir,  "-n", (char *)(uintptr_t)processes,
                    "--result", result, (char *)(uintptr_t)flag, NULL};
    struct usage usage;
    struct error err;
    cJSON *json, *item;
    char *text;

    snprintf(result, sizeof result, "%s.json", dir);
    tree_path("orchestrator/l3replay", program, sizeof program);
    if (command_run(argv, 0, &usage) != 0) {
        printf("  (the replay failed)\n");
    }
    *prepare = 0;
    text = file_read(result, (size_t)1 << 30, NULL, &err);
    json = text ? cJSON_Parse(text) : NULL;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "phases")) {
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(item, "name"));

        if (name && strcmp(name, "compile") == 0) {
            *prepare = cJSON_GetNumberValue(cJSON_GetObjectItem(item, "seconds"));
        }
    }
    cJSON_Delete(json);
    free(text);
    return usage.wall;
}

static void shell(const char *format, const char *a, const char *b)
{
    char command[4096];

    snprintf(command, sizeof command, format, a, b);
    if (system(command) != 0) {
        printf("  (failed: %s)\n", command);
    }
}

static long objects(const char *store)
{
    char command[PATH_ROOM];
    long count = -1;
    FILE *f;

    snprintf(command, sizeof command, "find %s -path '*/objects/*' -name '*.so' | wc -l", store);
    f = popen(command, "r");
    if (f && fscanf(f, "%ld", &count) != 1) {
        count = -1;
    }
    if (f) {
        pclose(f);
    }
    return count;
}

static double make_all(const char *dir, const char *jobs)
{
    static const char rules[] = "K := $(patsubst %%.cpp,%%.mk.so,$(wildcard next_levels/*/kernels/aiv/*.cpp))\n"
                                "O := $(patsubst %%.cpp,%%.mk.so,$(wildcard next_levels/*/orchestration/*.cpp))\n"
                                "all: $(K) $(O)\n"
                                "next_levels/%%.mk.so: next_levels/%%.cpp\n"
                                "\t$(if $(findstring /kernels/,$<),clang++-19 -O2 -std=c++23 -D__DAV_VEC__,g++ -O3 "
                                "-std=c++17) -shared -fPIC -w "
                                "-D__CPU_SIM -DNDEBUG -I%s -o $@ $<\n";
    char path[PATH_ROOM + 16], text[4096];
    char *argv[] = {"make", "-s", "-C", (char *)(uintptr_t)dir, (char *)(uintptr_t)jobs, NULL};
    struct usage usage;

    snprintf(text, sizeof text, rules, SOURCE_DIR "/rank-worker/cpu/include");
    snprintf(path, sizeof path, "%s/Makefile", dir);
    write_file(path, text);
    if (command_run(argv, 0, &usage) != 0) {
        printf("  (make failed)\n");
    }
    return usage.wall;
}

static void bench_many(const char *top, const char *store)
{
    static const char *const processes[] = {"1", "2", "4"};
    char dir[64];
    double prepare, wall;
    long before;

    snprintf(dir, sizeof dir, "%s/many", top);
    write_build(dir, PROGRAMS, KERNELS, plain_kernel);
    wall = make_all(dir, "-j2");
    printf("%d kernels in %d programs\n  make -j2, all sources                       %8.2f s\n", PROGRAMS * KERNELS,
           PROGRAMS, wall);
    for (size_t i = 0; i < 3; i++) {
        shell("rm -rf %s%s", store, "");
        replay(dir, processes[i], NULL, &prepare);
        printf("  full rebuild, %s process(es)                 %8.2f s   %.2f of make\n", processes[i], prepare,
               prepare / wall);
    }
    before = objects(store);
    write_kernel(dir, plain_kernel, 3, 3, 7);
    wall = replay(dir, "2", NULL, &prepare);
    printf("  one edit: %ld compile(s), whole command       %8.2f s\n", objects(store) - before, wall);
    wall = replay(dir, "2", NULL, &prepare);
    printf("  nothing changed, forced: whole command      %8.2f s\n", wall);
    wall = replay(dir, "2", "--no-recompile", &prepare);
    printf("  nothing changed, --no-recompile: prepare    %8.3f s (whole command %.2f s)\n", prepare, wall);
}

static void bench_isa(const char *top)
{
    char dir[64];
    double prepare, wall;

    if (!getenv("PTO_ISA_ROOT")) {
        printf("two PTO-ISA kernels: left out, PTO_ISA_ROOT is not set\n");
        return;
    }
    snprintf(dir, sizeof dir, "%s/isa", top);
    write_build(dir, 1, 2, isa_kernel);
    wall = replay(dir, "2", NULL, &prepare);
    printf("two PTO-ISA kernels, one orchestration\n  first replay                                %8.2f s\n", wall);
    write_kernel(dir, isa_kernel, 0, 1, 7);
    wall = replay(dir, "2", NULL, &prepare);
    printf("  one edit, to the verdict                    %8.2f s   %.1f times faster than 10.6 s\n", wall,
           10.6 / wall);
    wall = replay(dir, "2", "--no-recompile", &prepare);
    printf("  --no-recompile, nothing changed             %8.2f s   %.1f times faster than 4.0 s\n", wall, 4.0 / wall);
}

int main(void)
{
    char top[] = "/tmp/l3replay-bench-XXXXXX", store[64];

    if (!mkdtemp(top)) {
        return 1;
    }
    snprintf(store, sizeof store, "%s/store", top);
    setenv("L3REPLAY_CACHE_DIR", store, 1);
    bench_many(top, store);
    bench_isa(top);
    shell("rm -rf %s%s", top, "");
    return 0;
}
