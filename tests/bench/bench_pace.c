/*
 * bench_pace - what it costs to keep the cards of a comm domain in step (--pace domain) when they take equally long.
 *
 * Two cards, each of whose dispatches computes for a while on its window of one domain, replayed with --pace free and --pace
 * domain in turn; the time of a run is from the first start to the last end.
 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/file.h"
#include "tests/bench/build_writer.h"

enum { CARDS = 2, EACH = 1000, RUNS = 9 };

/* Seconds of the run; < 0: there is no result. */
static double read_span(const char *result_file)
{
    char *text = file_read(result_file, (size_t)1 << 30, NULL, NULL);
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    const cJSON *cards = cJSON_GetObjectItem(json, "cards");
    double end = -1e9;

    for (const cJSON *card = cards ? cards->child : NULL; card; card = card->next) {
        double ns = cJSON_GetNumberValue(cJSON_GetObjectItem(card, "end_ns"));

        end = ns > end ? ns : end;
    }
    cJSON_Delete(json);
    free(text);
    return end / 1e9;
}

static double replay(const char *dir, const char *pace)
{
    char program[4096], result[4096],
        *argv[] = {program, "run", (char *)(uintptr_t)dir, "--pace", (char *)(uintptr_t)pace, "--result", result, NULL};
    struct usage usage;

    tree_path("orchestrator/l3replay", program, sizeof program);
    snprintf(result, sizeof result, "%s/result.json", dir);
    return command_run(argv, 0, &usage) == 0 ? read_span(result) : -1;
}

int main(void)
{
    static const int kernels_us[] = {0, 20, 100, 1000};
    char dir[] = "/tmp/l3replay-bench-XXXXXX", command[160];
    double spans[2][RUNS];
    int rc = 0;

    if (!mkdtemp(dir)) {
        return 1;
    }
    build_write(dir, BENCH_DOMAIN, CARDS, EACH);
    printf("%-16s %12s %12s %16s\n", "kernel (us)", "free (ms)", "domain (ms)", "us a dispatch more");
    for (size_t k = 0; k < sizeof kernels_us / sizeof *kernels_us; k++) {
        build_set_busy(dir, kernels_us[k]);
        rc |= replay(dir, "free") < 0; /* compiles */
        for (int i = 0; i < RUNS; i++) {
            spans[0][i] = replay(dir, "free");
            spans[1][i] = replay(dir, "domain");
        }
        printf("%-16d %12.2f %12.2f %16.2f\n", kernels_us[k], quantile(spans[0], RUNS, 0.5) * 1e3,
               quantile(spans[1], RUNS, 0.5) * 1e3,
               (quantile(spans[1], RUNS, 0.5) - quantile(spans[0], RUNS, 0.5)) * 1e6 / EACH);
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command) || rc;
}
