/*
 * How long it takes to read a plan's stream and to compile its edges, by number of dispatches and shape of program.
 *
 *     bench_plan [N...]       default: 10000 100000
 *
 * Each case runs in a child, so that its peak memory is its own. Seconds are of processor time: all is one thread.
 * A dispatch has three tensors in every shape.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/plan/plan_stream.h"
#include "orchestrator/plan/edges.h"

enum { CARDS = 64, TEXT = 384, LINE = 768 };

struct sink {
    struct plan_stream *stream;
    double seconds; /* spent in the reader */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void feed(struct sink *s, char *line)
{
    struct error err = {.what = ""};
    double begin = now();

    if (plan_stream_line(s->stream, line, strlen(line), &err)) {
        fprintf(stderr, "%s: %s\n", err.where, err.what);
        _exit(1);
    }
    s->seconds += now() - begin;
}

static void storage(struct sink *s, uint32_t id, const char *shape)
{
    char line[LINE];

    snprintf(line, sizeof line,
             "{\"storage\":%u,\"name\":\"t%u\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":%s,\"fill\":0}", id, id,
             shape);
    feed(s, line);
}

static void dispatch(struct sink *s, uint32_t id, uint32_t card, const char *args)
{
    char line[LINE];

    snprintf(line, sizeof line,
             "{\"dispatch\":%u,\"program\":\"chip_orch\",\"card\":%u,\"k\":%u,\"line\":37,\"args\":[%s],"
             "\"scalars\":[%u,4096]}",
             id, card, id / CARDS, args, id);
    feed(s, line);
}

/* The first half writes slices of their own, the second half reads them, each on another card. */
static void slices(struct sink *s, uint32_t n)
{
    char text[TEXT];
    uint32_t half = n / 2;

    snprintf(text, sizeof text, "[%u,64]", half);
    for (uint32_t i = 0; i < 3; i++) {
        storage(s, i, text);
    }
    for (uint32_t i = 0; i < 2 * half; i++) {
        uint32_t at = 64 * (i % half);
        const char *tag = i < half ? "out_existing" : "in";

        snprintf(text, sizeof text,
                 "[\"%s\",0,\"fp32\",%u,[64]],[\"%s\",1,\"fp32\",%u,[64]],[\"%s\",2,\"fp32\",%u,[64]]", tag, at, tag,
                 at, tag, at);
        dispatch(s, i, (i + (i >= half)) % CARDS, text);
    }
}

/* The same with column blocks of one matrix. */
static void columns(struct sink *s, uint32_t n)
{
    char text[TEXT];
    uint32_t half = n / 2, row = 64 * half;

    snprintf(text, sizeof text, "[16,%u]", row);
    for (uint32_t i = 0; i < 3; i++) {
        storage(s, i, text);
    }
    for (uint32_t i = 0; i < 2 * half; i++) {
        uint32_t at = 64 * (i % half);
        const char *tag = i < half ? "inout" : "in";

        snprintf(text, sizeof text,
                 "[\"%s\",0,\"fp32\",%u,[16,64],[%u,1]],[\"%s\",1,\"fp32\",%u,[16,64],[%u,1]],"
                 "[\"%s\",2,\"fp32\",%u,[16,64],[%u,1]]",
                 tag, at, row, tag, at, row, tag, at, row);
        dispatch(s, i, (i + (i >= half)) % CARDS, text);
    }
}

/* One tensor, written once, that every dispatch reads beside slices of its own. */
static void reader(struct sink *s, uint32_t n)
{
    char text[TEXT];

    storage(s, 0, "[1024,1024]");
    snprintf(text, sizeof text, "[%u,64]", n);
    storage(s, 1, text);
    storage(s, 2, text);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text, sizeof text,
                 "[\"%s\",0,\"fp32\",0,[1024,1024]],[\"inout\",1,\"fp32\",%u,[64]],"
                 "[\"out_existing\",2,\"fp32\",%u,[64]]",
                 i ? "in" : "inout", 64 * i, 64 * i);
        dispatch(s, i, i % CARDS, text);
    }
}

/* Each dispatch reads what the one before it, on another card, wrote. */
static void chain(struct sink *s, uint32_t n)
{
    char text[TEXT];

    for (uint32_t i = 0; i < 3; i++) {
        storage(s, i, "[2,4096]");
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text, sizeof text,
                 "[\"in\",0,\"fp32\",%u,[4096]],[\"out_existing\",0,\"fp32\",%u,[4096]],[\"in\",1,\"fp32\",0,[2,4096]]",
                 i % 2 ? 4096u : 0u, i % 2 ? 0u : 4096u);
        dispatch(s, i, i % CARDS, text);
    }
}

/* An ordering token of its own for each card, and a shared scratch tensor that all overwrite by rows. */
static void tokens(struct sink *s, uint32_t n)
{
    char text[TEXT];

    storage(s, 0, "[64,1]");
    storage(s, 1, "[64,4096]");
    storage(s, 2, "[64,4096]");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t card = i % CARDS;

        snprintf(text, sizeof text,
                 "[\"inout\",1,\"fp32\",%u,[1,4096]],[\"in\",2,\"fp32\",0,[64,4096]],[\"inout\",0,\"int32\",%u,[1]]",
                 card * 4096, card);
        dispatch(s, i, card, text);
    }
}

/* Rounds of an exchange: every card writes its row, then every card reads all rows. */
static void exchange(struct sink *s, uint32_t n)
{
    char text[TEXT];

    for (uint32_t i = 0; i < 3; i++) {
        storage(s, i, "[64,4096]");
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t card = i % CARDS, row = card * 4096;

        if (i / CARDS % 2 == 0) {
            snprintf(text, sizeof text,
                     "[\"out_existing\",0,\"fp32\",%u,[1,4096]],[\"in\",1,\"fp32\",%u,[1,4096]],"
                     "[\"inout\",2,\"fp32\",%u,[1,4096]]",
                     row, row, row);
        } else {
            snprintf(text, sizeof text,
                     "[\"in\",0,\"fp32\",0,[64,4096]],[\"inout\",1,\"fp32\",%u,[1,4096]],"
                     "[\"inout\",2,\"fp32\",%u,[1,4096]]",
                     row, row);
        }
        dispatch(s, i, card, text);
    }
}

/* A tensor that is filled by the host, then every dispatch writes a slice of it and the next one reads all of it. */
static void whole(struct sink *s, uint32_t n)
{
    char text[TEXT];

    for (uint32_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "[%u,64]", n);
        storage(s, i, text);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i % 2 == 0) {
            snprintf(text, sizeof text,
                     "[\"%s\",0,\"fp32\",%u,[%u,64]],[\"in\",1,\"fp32\",%u,[64]],[\"out_existing\",2,\"fp32\",%u,[64]]",
                     i ? "out_existing" : "inout", 64 * i, i ? 1 : n, 64 * i, 64 * i);
        } else {
            snprintf(text, sizeof text,
                     "[\"in\",0,\"fp32\",0,[%u,64]],[\"in\",1,\"fp32\",%u,[64]],"
                     "[\"out_existing\",2,\"fp32\",%u,[64]]",
                     n, 64 * i, 64 * i);
        }
        dispatch(s, i, i % CARDS, text);
    }
}

/* Every dispatch takes every n-th element of a flat tensor; views of it all interleave. */
static void cyclic(struct sink *s, uint32_t n)
{
    char text[TEXT];
    uint32_t half = n / 2;

    snprintf(text, sizeof text, "[%u]", 64 * half);
    for (uint32_t i = 0; i < 3; i++) {
        storage(s, i, text);
    }
    for (uint32_t i = 0; i < 2 * half; i++) {
        uint32_t at = i % half;
        const char *tag = i < half ? "out_existing" : "in";

        snprintf(text, sizeof text,
                 "[\"%s\",0,\"fp32\",%u,[64],[%u]],[\"%s\",1,\"fp32\",%u,[64],[%u]],[\"%s\",2,\"fp32\",%u,[64],[%u]]",
                 tag, at, half, tag, at, half, tag, at, half);
        dispatch(s, i, (i + (i >= half)) % CARDS, text);
    }
}

/* A comm domain of its own for each round of all cards, and a scratch tensor that all rounds overwrite. */
static void domains(struct sink *s, uint32_t n)
{
    char text[TEXT], line[LINE];
    size_t used = 0;

    storage(s, 0, "[64,4096]");
    storage(s, 1, "[64,4096]");
    for (uint32_t i = 0; i < CARDS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", i ? "," : "", i);
    }
    snprintf(line, sizeof line, "\"workers\":[%s],\"window\":4096}", text);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t card = i % CARDS, round = i / CARDS;

        if (card == 0) {
            char record[2 * LINE];

            snprintf(record, sizeof record, "{\"domain\":%u,\"name\":\"comm\",%s", round, line);
            feed(s, record);
        }
        snprintf(text, sizeof text,
                 "[\"out_existing\",0,\"fp32\",0,[64,4096]],[\"in\",1,\"fp32\",%u,[1,4096]],"
                 "[\"inout\",%u,\"fp32\",0,[1024]]",
                 card * 4096, 2 + i);
        dispatch(s, i, card, text);
        if (card == CARDS - 1) {
            snprintf(text, sizeof text, "{\"end_domain\":%u}", round);
            feed(s, text);
        }
    }
}

struct shape {
    const char *name;
    void (*make)(struct sink *s, uint32_t n);
};

static const struct shape shapes[] = {{"slices", slices}, {"columns", columns}, {"reader", reader},
                                      {"chain", chain},   {"tokens", tokens},   {"exchange", exchange},
                                      {"whole", whole},   {"cyclic", cyclic},   {"domains", domains}};

static void measure(const struct shape *shape, uint32_t n)
{
    char line[64];
    struct error err = {.what = ""};
    struct sink s = {.stream = plan_stream_new("bench", &err)};
    struct plan p;
    double begin;

    snprintf(line, sizeof line, "{\"plan\":1,\"world_size\":%d}", CARDS);
    feed(&s, line);
    shape->make(&s, n);
    snprintf(line, sizeof line, "{\"end\":%u}", n);
    feed(&s, line);
    if (plan_stream_finish(s.stream, &p, &err)) {
        _exit(1);
    }
    plan_stream_free(s.stream);
    begin = now();
    if (edges_compile(&p, DEPS_EXACT, &err)) {
        fprintf(stderr, "%s\n", err.what);
        _exit(1);
    }
    printf("%8u  %-9s %8.3f %10.3f %10" PRIu64, n, shape->name, s.seconds, now() - begin, p.npred);
    fflush(stdout);
    plan_free(&p);
}

static int run(const struct shape *shape, uint32_t n)
{
    struct rusage usage;
    int status;
    pid_t pid = fork();

    if (pid < 0) {
        return -1;
    }
    if (pid == 0) {
        measure(shape, n);
        _exit(0);
    }
    if (wait4(pid, &status, 0, &usage) < 0 || status != 0) {
        return -1;
    }
    printf(" %9ld\n", usage.ru_maxrss / 1024);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    static char *defaults[] = {"10000", "100000"};
    char **counts = argc > 1 ? argv + 1 : defaults;
    int ncount = argc > 1 ? argc - 1 : 2;

    log_set_level(LOG_ERROR);
    printf("%8s  %-9s %8s %10s %10s %9s\n", "N", "program", "read s", "compile s", "edges", "peak MiB");
    fflush(stdout);
    for (int i = 0; i < ncount; i++) {
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            if (run(&shapes[k], (uint32_t)strtoul(counts[i], NULL, 10))) {
                fprintf(stderr, "bench_plan: %s with %s dispatches failed\n", shapes[k].name, counts[i]);
                return 1;
            }
        }
    }
    return 0;
}
