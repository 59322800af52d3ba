/*
 * bench_mixed - what a mixed task costs on the cpu device, by the number of lanes that it has, on one core and on two.
 *
 * A dispatch is a chain of tasks, each with all the lanes; its time from the first kernel to the end is divided by the
 * number of blocks in it. The third number is processor time, which a busy machine changes least. One lane is a single-core task. Each line is a process of its own, pinned to its cores.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/build_writer.h"
#include "tests/support/mixed_program.h"
#include "tests/unit/cpu/cost.h"

enum { DISPATCHES = 60, TASKS = 32, LIMIT_SECONDS = 120, COMPUTE_NS = 100000 };

static const struct kind {
    const char *name;
    enum cost_op op;
    bool two_lanes; /* one alone would wait for ever */
} kinds[] = {{"nothing", COST_NOTHING, false},
             {"16 tiles there and back", COST_PING_PONG, true},
             {"16 tiles there and back over a pipe for both directions", COST_PING_PONG_BOTH, true},
             {"compute 100 us a lane", COST_COMPUTE, false}};
static const int lane_counts[] = {1, 3, 6, 12, 24};

static uint64_t rounds; /* of COST_COMPUTE, for COMPUTE_NS */

/* Pin to the first `count` of the cores that this process may use. */
static int pin(int count)
{
    cpu_set_t all, some;

    CPU_ZERO(&some);
    if (sched_getaffinity(0, sizeof(all), &all)) {
        return -1;
    }
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < count; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &some);
        }
    }
    if (CPU_COUNT(&some) < count) {
        errno = EINVAL;
        return -1;
    }
    return sched_setaffinity(0, sizeof(some), &some);
}

/* ns a block in one dispatch; negative: it failed. */
static double run_once(struct mixed_program *p, enum cost_op op, int lanes, uint64_t a)
{
    const uint64_t blocks = lanes < 3 ? 1 : (uint64_t)lanes / 3;
    const uint64_t scalars[MIXED_ARGS] = {
        [MIXED_OP] = op,         [MIXED_A] = a,         [MIXED_LANES] = lanes == 1 ? 2 : 7,
        [MIXED_BLOCKS] = blocks, [MIXED_TASKS] = TASKS, [MIXED_CHAIN] = 1};
    if (mixed_run(p, scalars)) {
        fprintf(stderr, "bench_mixed: %s\n", p->err.what);
        return -1;
    }
    return (double)p->result.device_ns / (double)(TASKS * blocks);
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int measure(const char *dir, const struct kind *kind, int lanes, int ncores)
{
    static double ns[DISPATCHES];
    const double blocks = (double)DISPATCHES * TASKS * (lanes < 3 ? 1 : lanes / 3);
    struct mixed_program p;

    alarm(LIMIT_SECONDS);
    if (pin(ncores)) {
        fprintf(stderr, "bench_mixed: cannot have %d cores: %s\n", ncores, strerror(errno));
        return -1;
    }
    if (mixed_open(&p, dir, "cost_kernel", ncores)) {
        fprintf(stderr, "bench_mixed: %s\n", p.err.what);
        return -1;
    }
    run_once(&p, kind->op, lanes, rounds); /* makes the threads */
    const double cpu_before = cpu_ns();
    for (int i = 0; i < DISPATCHES; i++) {
        if ((ns[i] = run_once(&p, kind->op, lanes, rounds)) < 0) {
            return -1;
        }
    }
    const double cpu = (cpu_ns() - cpu_before) / blocks, median = quantile(ns, DISPATCHES, 0.5);
    printf("%-55s %6d %6d %12.0f %12.0f %12.0f\n", kind->name, ncores, lanes, median, ns[0], cpu);
    fflush(stdout);
    device_cpu.close(p.dev);
    return 0;
}

/* How many rounds take COMPUTE_NS: the quickest of some dispatches with a known number. */
static int calibrate(const char *dir)
{
    const uint64_t known = 50000;
    struct mixed_program p;
    double best = 0;

    if (mixed_open(&p, dir, "cost_kernel", 1)) {
        fprintf(stderr, "bench_mixed: %s\n", p.err.what);
        return -1;
    }
    for (int i = 0; i < 10; i++) {
        const double ns = run_once(&p, COST_COMPUTE, 1, known);
        if (ns > 0 && (best == 0 || ns < best)) {
            best = ns;
        }
    }
    device_cpu.close(p.dev);
    rounds = best > 0 ? (uint64_t)((double)known * COMPUTE_NS / best) : 0;
    return best > 0 ? 0 : -1;
}

static int measure_apart(const char *dir, const struct kind *kind, int lanes, int ncores)
{
    int status = 0;
    const pid_t pid = fork();

    if (pid == 0) {
        _exit(measure(dir, kind, lanes, ncores) ? 1 : 0);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        printf("%-55s %6d %6d   failed, status %d\n", kind->name, ncores, lanes, status);
        fflush(stdout);
        return 1;
    }
    return 0;
}

static int measure_all(const char *dir)
{
    int rc = 0;

    printf("%-55s %6s %6s %12s %12s %12s\n", "kernels", "cores", "lanes", "median", "minimum", "processor");
    printf("%-55s %6s %6s %12s %12s %12s\n", "", "", "", "ns a block", "ns a block", "ns a block");
    fflush(stdout);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (int ncores = 1; ncores <= 2; ncores++) {
            for (size_t i = 0; i < sizeof(lane_counts) / sizeof(lane_counts[0]); i++) {
                if (!kinds[k].two_lanes || lane_counts[i] > 1) {
                    rc |= measure_apart(dir, &kinds[k], lane_counts[i], ncores);
                }
            }
        }
    }
    return rc;
}

int main(void)
{
    char dir[] = "/tmp/l3replay-bench-XXXXXX";
    int rc = 1;

    if (!mkdtemp(dir)) {
        return 1;
    }
    if (!mixed_compile(dir, "cost_kernel", "")) {
        fprintf(stderr, "bench_mixed: the kernels do not compile\n");
    } else if (calibrate(dir) == 0) {
        rc = measure_all(dir);
    }
    return rig_shell("rm -rf %s", dir) ? rc : 1;
}
