/*
 * bench_dispatch - what a dispatch costs when its kernel is empty.
 *
 * Runs l3replay on builds with empty kernels and reads start times from its
 * result files; the bare futex hand-over between two processes, the limit for
 * a chain across cards, is measured in the same run.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/segment/futex.h"
#include "tests/bench/build_writer.h"

enum { HAND_OVERS = 4000, DISPATCHES = 4000, MANY_CARDS = 64, EACH = 100 };

static double bare_hand_over_us(void)
{
    futex_word *words =
        mmap(NULL, (2 * HAND_OVERS) * sizeof *words, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    static double us[HAND_OVERS];
    pid_t pid;

    if (words == MAP_FAILED || (pid = fork()) < 0) {
        return 0;
    }
    for (int i = 0; i < HAND_OVERS && pid == 0; i++) {
        word_wait(&words[2 * i]);
        word_complete(&words[2 * i + 1]);
    }
    if (pid == 0) {
        _exit(0);
    }
    for (int i = 0; i < HAND_OVERS; i++) {
        uint64_t begin = clock_now_ns();

        word_complete(&words[2 * i]);
        word_wait(&words[2 * i + 1]);
        us[i] = (double)(clock_now_ns() - begin) / 2e3; /* there and back */
    }
    waitpid(pid, NULL, 0);
    munmap(words, (2 * HAND_OVERS) * sizeof *words);
    return quantile(us, HAND_OVERS, 0.5);
}

/* Start-to-start times of successive dispatches in us, over all cards in plan order. */
static size_t read_gaps(const char *result_file, double *gaps, size_t room)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    struct error err;
    double before = -1;
    cJSON *json, *item;

    text = file_read(result_file, (size_t)1 << 30, &size, &err);
    if (!text) {
        return 0;
    }
    json = cJSON_Parse(text);
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(json, "dispatches")) {
        double start = cJSON_GetNumberValue(cJSON_GetObjectItem(item, "start_ns"));

        if (before >= 0 && n < room) {
            gaps[n++] = (start - before) / 1e3;
        }
        before = start;
    }
    cJSON_Delete(json);
    free(text);
    return n;
}

static int replay(const char *dir, const char *processes, const char *result_file, struct usage *usage)
{
    char program[4096];
    char *argv[] = {program,
                    "run",
                    (char *)(uintptr_t)dir,
                    "-n",
                    (char *)(uintptr_t)processes,
                    "--result",
                    (char *)(uintptr_t)result_file,
                    NULL};

    tree_path("orchestrator/l3replay", program, sizeof program);
    return command_run(argv, 0, usage);
}

static int measure(const char *name, enum bench_shape shape, int cards, int count, double limit_us, const char *limit)
{
    static double gaps[DISPATCHES];
    char dir[] = "/tmp/l3replay-bench-XXXXXX", result[64], command[160];
    struct usage usage;
    size_t n;
    int rc;

    if (!mkdtemp(dir)) {
        return 1;
    }
    snprintf(result, sizeof result, "%s.json", dir);
    build_write(dir, shape, cards, count);
    rc = replay(dir, "1", result, &usage); /* compiles */
    if (rc == 0) {
        rc = replay(dir, "1", result, &usage);
    }
    n = rc == 0 && shape != BENCH_CARDS ? read_gaps(result, gaps, DISPATCHES) : 0;
    if (n) {
        printf("%-34s %8d %8.2f %8.2f %8.2f   %.2f of %s\n", name, count, quantile(gaps, n, 0.5),
               quantile(gaps, n, 0.1), quantile(gaps, n, 0.9), quantile(gaps, n, 0.5) / limit_us, limit);
    } else if (rc == 0) {
        printf("%-34s %8d   wall %.3f s, cpu %.3f s: %.2f cores\n", name, count * cards, usage.wall,
               usage.user + usage.sys, (usage.user + usage.sys) / usage.wall);
    } else {
        printf("%-34s failed with exit status %d\n", name, rc);
    }
    snprintf(command, sizeof command, "rm -rf %s %s.json", dir, dir);
    return system(command) || rc;
}

int main(void)
{
    double bare = bare_hand_over_us();
    int rc;

    printf("%-34s %8s %8s %8s %8s   %s\n", "empty kernels, cpu device", "count", "median", "p10", "p90", "ratio");
    printf("%-34s %8d %8.2f us\n", "bare futex hand-over", HAND_OVERS, bare);
    rc = measure("one card, back to back (us)", BENCH_ONE_CARD, 1, DISPATCHES, 5, "5 us");
    rc |= measure("chain over two cards (us)", BENCH_ALTERNATE, 2, DISPATCHES, bare, "the bare hand-over");
    rc |= measure("64 cards, one process", BENCH_CARDS, MANY_CARDS, EACH, 0, "");
    return rc;
}
