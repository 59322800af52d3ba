#include "tests/bench/build_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"

static void die(const char *what)
{
    fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void make_dir(const char *dir, const char *sub)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", dir, sub);
    if (mkdir(path, 0755) < 0 && errno != EEXIST) {
        die(path);
    }
}

static void write_text(const char *dir, const char *name, const char *text)
{
    char path[4096];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
        die(path);
    }
}

static const char kernel_config[] =
    "from pathlib import Path\n"
    "_ROOT_DIR = Path(__file__).parent\n"
    "RUNTIME_CONFIG = {\"runtime\": \"tensormap_and_ringbuffer\", \"aicpu_thread_num\": 0}\n"
    "ORCHESTRATION = {\"source\": str(_ROOT_DIR / \"orchestration\" / \"empty.cpp\"),\n"
    "                 \"function_name\": \"aicpu_orchestration_entry\"}\n"
    "KERNELS = [{\"func_id\": 0, \"name\": \"empty\", \"source\": str(_ROOT_DIR / \"kernels\" / \"aiv\" / "
    "\"empty.cpp\"),\n"
    "            \"core_type\": \"aiv\"}]\n";

static const char orchestration[] =
    "#include \"pto_orchestration_api.h\"\n"
    "extern \"C\" PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &)\n"
    "{ return PTO2OrchestrationConfig{1}; }\n"
    "extern \"C\" void aicpu_orchestration_entry(const ChipTaskArgs &args)\n"
    "{\n    PTO2_SCOPE() {\n        CoreTaskArgs a;\n        a.add_inout(args.tensor(0).ref());\n"
    "        rt_submit_aiv_task(0, a);\n    }\n}\n";

static const char kernel[] = "#include <cstdint>\nextern \"C\" void kernel_entry(int64_t *) {}\n";

/* One task that computes for so many microseconds, whatever else the core does. */
static const char busy_kernel[] =
    "#include <cstdint>\n#include <time.h>\n"
    "static int64_t now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + "
    "t.tv_nsec; }\n"
    "extern \"C\" void kernel_entry(int64_t *) { for (int64_t end = now() + %d000; now() < end;) {} }\n";

static const char host_orch[] =
    "import torch\n"
    "from simpler.task_interface import TaskArgs, TensorArgType\n"
    "from pypto.runtime.tensor_arg import make_tensor_arg\n"
    "from pypto.runtime.distributed_runner import _submit_chip\n\n"
    "def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):\n"
    "    for i in range(%d):\n"
    "        card, row = %s\n"
    "        ta = TaskArgs()\n"
    "        ta.add_tensor(make_tensor_arg(orch._worker, tensors[\"x\"][row]), TensorArgType.INOUT)\n"
    "        _submit_chip(orch, callables[\"empty\"], ta, config, card)\n"
    "host_orch._pypto_distributed_entry = True\n";

static const char domain_orch[] =
    "import torch\n"
    "from simpler.task_interface import CommBufferSpec, DataType, TaskArgs, TensorArgType\n"
    "from pypto.runtime.distributed_runner import _submit_chip\n\n"
    "def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):\n"
    "    with (_domain_provider or orch.allocate_domain)(\n"
    "        name=\"bench\", workers=[*range(world_size)], window_size=64,\n"
    "        buffers=[CommBufferSpec(name=\"b\", dtype=\"opaque\", count=64, nbytes=64)],\n"
    "    ) as domain:\n"
    "        for i in range(%d):\n"
    "            card = i %% world_size\n"
    "            ta = TaskArgs()\n"
    "            ta.add_tensor(domain[card].buffers[\"b\"].tensor(shapes=(16,), dtype=DataType.FLOAT32), "
    "TensorArgType.INOUT)\n"
    "            _submit_chip(orch, callables[\"empty\"], ta, config, card)\n"
    "host_orch._pypto_distributed_entry = True\n";

void build_set_busy(const char *dir, int us)
{
    char text[sizeof busy_kernel + 16];

    snprintf(text, sizeof text, busy_kernel, us);
    write_text(dir, "next_levels/empty/kernels/aiv/empty.cpp", text);
}

void build_write(const char *dir, enum bench_shape shape, int cards, int count)
{
    static const char *const where[] = {
        [BENCH_ONE_CARD] = "0, 0", [BENCH_ALTERNATE] = "i % 2, 0", [BENCH_CARDS] = "i % world_size, i % world_size"};
    char text[8192];
    size_t used;

    make_dir(dir, "orchestration");
    make_dir(dir, "next_levels");
    make_dir(dir, "next_levels/empty");
    make_dir(dir, "next_levels/empty/orchestration");
    make_dir(dir, "next_levels/empty/kernels");
    make_dir(dir, "next_levels/empty/kernels/aiv");
    write_text(dir, "next_levels/empty/kernel_config.py", kernel_config);
    write_text(dir, "next_levels/empty/orchestration/empty.cpp", orchestration);
    write_text(dir, "next_levels/empty/kernels/aiv/empty.cpp", kernel);
    if (shape == BENCH_DOMAIN) {
        snprintf(text, sizeof text, domain_orch, count * cards);
    } else {
        snprintf(text, sizeof text, host_orch, shape == BENCH_CARDS ? count * cards : count, where[shape]);
    }
    write_text(dir, "orchestration/host_orch.py", text);
    used = (size_t)snprintf(
        text, sizeof text,
        "{\"schema\": 2, \"params\": [{\"name\": \"x\", \"direction\": \"InOut\", \"shape\": [%d, 16],"
        " \"dtype\": \"fp32\"}], \"platform\": \"a2a3sim\", \"distributed_config\": {\"device_ids\": [",
        cards);
    for (int i = 0; i < cards; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i ? "," : "", i);
    }
    snprintf(text + used, sizeof text - used, "]}}");
    write_text(dir, "distributed_meta.json", text);
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int command_run(char *const argv[], int show, struct usage *usage)
{
    uint64_t begin = clock_now_ns();
    struct rusage r;
    int status;
    pid_t pid = fork();

    if (pid < 0) {
        die("fork");
    }
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        if (null >= 0 && !show) {
            dup2(null, 1);
            dup2(null, 2);
        }
        execvp(argv[0], argv);
        _exit(127);
    }
    if (wait4(pid, &status, 0, &r) != pid) {
        die("wait4");
    }
    usage->wall = (double)(clock_now_ns() - begin) / 1e9;
    usage->user = seconds(r.ru_utime);
    usage->sys = seconds(r.ru_stime);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile(double *values, size_t count, double q)
{
    if (count == 0) {
        return 0;
    }
    qsort(values, count, sizeof *values, by_value);
    return values[(size_t)(q * (double)(count - 1) + 0.5)];
}

void tree_path(const char *relative, char *buf, size_t size)
{
    char self[3072];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    self[n > 0 ? n : 0] = '\0';
    slash = strrchr(self, '/');
    if (slash) {
        *slash = '\0';
    }
    snprintf(buf, size, "%s/../%s", self, relative);
}
