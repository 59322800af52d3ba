/*
 * count_device - a device that runs no program and reports how often and how it was asked to.
 *
 * Linked in place of the cpu device into an executor for tests. A dispatch adds its INPUT to each INOUT and writes
 * word 0 of the card's window into each OUTPUT_EXISTING (all int32, contiguous); its scalars are a domain context and a
 * set of enum count_request. Each run appends a line of JSON to runs.jsonl in the dispatch's directory: the number of
 * the run on this device, how many devices this process opened, the process and the switches. The same object is
 * "count" in deps.json (with dep-gen) and chip_swimlane_records.json (with the swimlane), which hold one task besides.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "rank-worker/executor/executor_device.h"
#include "tests/passes/count_rig.h"

struct device {
    uint32_t nprogram, nrun;
    uint32_t ndomain;
    struct device_domain *domains[8];
};

static unsigned nopen;

static int count_open(struct device **out, const struct device_config *config, struct error *err)
{
    (void)config;
    *out = calloc(1, sizeof **out);
    nopen++;
    return *out ? 0 : error_nomem(err, "device", sizeof **out);
}

static int count_load(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err)
{
    (void)program;
    (void)err;
    *id = dev->nprogram++;
    return 0;
}

static int count_domain(struct device *dev, const struct device_domain *domain, uint64_t *ctx, struct error *err)
{
    struct device_domain *copy = malloc(sizeof *copy);

    if (!copy || dev->ndomain == sizeof dev->domains / sizeof *dev->domains) {
        free(copy);
        return error_nomem(err, "domain", sizeof *copy);
    }
    *copy = *domain;
    dev->domains[dev->ndomain++] = copy;
    *ctx = (uint64_t)(uintptr_t)copy;
    return 0;
}

static void compute(const struct device_dispatch *d)
{
    const struct device_domain *domain = (const struct device_domain *)(uintptr_t)d->scalars[0];
    const int32_t *in = d->tensors[0].addr;

    if (d->scalars[1] & COUNT_SIGNAL) {
        for (uint32_t r = 0; r < domain->nranks; r++) {
            atomic_fetch_add((_Atomic int32_t *)domain->windows[r], 1);
        }
    }
    for (uint32_t i = 1; i < d->ntensor; i++) {
        int32_t *out = d->tensors[i].addr;

        for (uint32_t e = 0; e < d->tensors[i].shape[0]; e++) {
            out[e] = d->tensors[i].tag == TAG_INOUT ? out[e] + in[e]
                                                    : atomic_load((_Atomic int32_t *)domain->windows[domain->rank]);
        }
    }
}

static int put(const char *dir, const char *name, int flags, const char *text, struct error *err)
{
    char *path = file_join(dir, name, err);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666) : -1;
    int rc = 0;

    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
        rc = path ? error_errno(err, path, NULL, "cannot write") : -1;
    }
    if (fd >= 0 && close(fd) < 0 && rc == 0) {
        rc = error_errno(err, path, NULL, "cannot write");
    }
    free(path);
    return rc;
}

/* Nothing but a hole and the last byte. */
static int put_large(const char *dir, const char *name, struct error *err)
{
    char *path = file_join(dir, name, err);
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    int rc = 0;

    if (fd < 0 || pwrite(fd, "x", 1, COUNT_LARGE_NBYTES - 1) != 1) {
        rc = path ? error_errno(err, path, NULL, "cannot write") : -1;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    return rc;
}

static int put_files(const struct device_switches *s, const char *count, uint64_t start_ns, uint64_t end_ns,
                     struct error *err)
{
    char text[1024];

    if (file_make_dirs(s->dir, err) < 0) {
        return -1;
    }
    snprintf(text, sizeof text, "%s\n", count);
    if (put(s->dir, "runs.jsonl", O_APPEND, text, err) < 0) {
        return -1;
    }
    snprintf(text, sizeof text,
             "{\"count\": %s, \"tasks\": [{\"task_id\": \"0\", \"scope\": \"auto\", \"early_dispatch\": false, "
             "\"kernel_ids\": [-1, 0, -1], \"block_num\": 1, \"args\": []}], \"tensors\": [], \"edges\": []}\n",
             count);
    if (s->dep_gen && put(s->dir, "deps.json", O_TRUNC, text, err) < 0) {
        return -1;
    }
    snprintf(text, sizeof text,
             "{\"count\": %s, \"chip_swimlane_level\": 1, "
             "\"metadata\": {\"clock_freq_hz\": 1000000000, \"num_cores\": 1, "
             "\"core_types\": [\"aiv\"], \"core_to_thread\": [0]}, \"aicore_tasks\": [[0, 0, 0, %" PRIu64 ", %" PRIu64
             ", 0]], \"aicpu_tasks\": []}\n",
             count, start_ns, end_ns);
    return s->swimlane ? put(s->dir, "chip_swimlane_records.json", O_TRUNC, text, err) : 0;
}

static int count_run(struct device *dev, const struct device_dispatch *d, struct device_result *result,
                     struct error *err)
{
    const struct device_switches *s = &d->switches;
    const bool graph = s->dep_gen && !s->swimlane && !s->pmu && !s->scope_stats && !s->dump_args;
    const uint64_t request = d->scalars[1];
    uint64_t start_ns = clock_now_ns(), end_ns;
    char count[256];

    compute(d);
    end_ns = clock_now_ns();
    *result = (struct device_result){.wall_ns = end_ns - start_ns, .device_ns = end_ns - start_ns, .ntasks = 1};
    snprintf(count, sizeof count,
             "{\"run\": %u, \"opens\": %u, \"pid\": %ld, \"dep_gen\": %d, \"swimlane\": %d, \"pmu\": %d, "
             "\"scope_stats\": %d, \"dump_args\": %d}",
             dev->nrun++, nopen, (long)getpid(), s->dep_gen, s->swimlane, s->pmu, s->scope_stats, s->dump_args);
    if (s->dir && put_files(s, count, start_ns, end_ns, err) < 0) {
        return -1;
    }
    if (s->dir && request & COUNT_LARGE && put_large(s->dir, graph ? "large.graph" : "large.timing", err) < 0) {
        return -1;
    }
    while (request & (graph ? COUNT_SLEEP_GRAPH : COUNT_SLEEP_OTHER)) {
        pause();
    }
    if (request & (graph ? COUNT_FAIL_GRAPH : COUNT_FAIL_OTHER)) {
        return error_set_kind(err, ERROR_FAIL, NULL, NULL, "the device that counts was asked to fail");
    }
    return 0;
}

static uint32_t count_save(struct device *dev)
{
    (void)dev;
    return 0;
}

static void count_close(struct device *dev)
{
    for (uint32_t i = 0; dev && i < dev->ndomain; i++) {
        free(dev->domains[i]);
    }
    free(dev);
}

static const struct device_ops device_count = {.name = "count",
                                               .open = count_open,
                                               .load_program = count_load,
                                               .add_domain = count_domain,
                                               .run = count_run,
                                               .save_profile = count_save,
                                               .close = count_close};

const struct device_ops *executor_device(void)
{
    return &device_count;
}
