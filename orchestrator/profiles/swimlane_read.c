#include "orchestrator/profiles/swimlane_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/json_stream.h"

enum { ROW_MAX = 6 }; /* numbers that a row of any version has */

static const size_t max_nbytes = (size_t)8 << 30;

/* What a file is read into. */
struct reading {
    struct swimlane *s;
    struct json_pull pull;
    struct swim_finish *finishes;
    size_t nfinish, finish_capacity;
    uint64_t *cpu_ns; /* in the order of aicore_tasks */
    size_t ncpu, cpu_capacity;
    size_t odd_rows; /* of a width that no version has */
    bool nomem;
};

static bool room(struct reading *r, void *data, size_t *capacity, size_t count, size_t size)
{
    r->nomem = r->nomem || array_room(data, capacity, count, size) != 0;
    return !r->nomem;
}

/* One row of numbers; returns how many there were, of which the first `max` are stored; 0 at a fault. */
static size_t read_row(struct json_pull *p, uint64_t *row, size_t max)
{
    uint64_t value;
    size_t n = 0;

    if (!json_pull_open(p, '[')) {
        return 0;
    }
    while (json_pull_item(p) && json_pull_u64(p, &value)) {
        if (n < max) {
            row[n] = value;
        }
        n++;
    }
    return p->fault ? 0 : n;
}

/* [[number, ...], ...]: each row goes to `take`, which says whether it has a form that some version has. */
static void read_rows(struct reading *r, bool (*take)(struct reading *r, const uint64_t *row, size_t n))
{
    uint64_t row[ROW_MAX];

    if (!json_pull_open(&r->pull, '[')) {
        return;
    }
    while (json_pull_item(&r->pull) && !r->nomem) {
        size_t n = read_row(&r->pull, row, ROW_MAX);
        if (r->pull.fault) {
            return;
        }
        if (!take(r, row, n)) {
            r->odd_rows++;
        }
    }
}

static bool take_core_task(struct reading *r, const uint64_t *row, size_t n)
{
    struct swimlane *s = r->s;

    if (n < 5 || row[0] >= SWIM_MAX_CORES || row[4] < row[3]) {
        return false;
    }
    if (room(r, &s->tasks, &s->task_capacity, s->ntask, sizeof *s->tasks)) {
        s->has_setup = s->has_setup || n > 5;
        s->tasks[s->ntask++] = (struct swim_task){.core = (uint32_t)row[0],
                                                  .token = row[1],
                                                  .reg = row[2],
                                                  .start = row[3],
                                                  .end = row[4],
                                                  .setup = n > 5 ? row[5] : 0};
    }
    return true;
}

static bool take_finish(struct reading *r, const uint64_t *row, size_t n)
{
    if (n < 4) {
        return false;
    }
    if (room(r, &r->finishes, &r->finish_capacity, r->nfinish, sizeof *r->finishes)) {
        r->finishes[r->nfinish++] = (struct swim_finish){row[0], row[1], row[2], row[3]};
    }
    return true;
}

static void read_cpu_times(struct reading *r)
{
    uint64_t ns;

    if (!json_pull_open(&r->pull, '[')) {
        return;
    }
    while (json_pull_item(&r->pull) && json_pull_u64(&r->pull, &ns) &&
           room(r, &r->cpu_ns, &r->cpu_capacity, r->ncpu, sizeof *r->cpu_ns)) {
        r->cpu_ns[r->ncpu++] = ns;
    }
}

/* A member of an object that is a number, and where it goes: one of the two. */
struct number {
    const char *key;
    uint64_t *u64;
    int64_t *i64;
};

/* The value of member `key`: kept when it is one of these numbers, else skipped. */
static void read_member(struct json_pull *p, const char *key, const struct number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(key, numbers[i].key) != 0) {
            continue;
        }
        if (numbers[i].u64) {
            json_pull_u64(p, numbers[i].u64);
        } else {
            json_pull_i64(p, numbers[i].i64);
        }
        return;
    }
    json_pull_skip(p);
}

static void read_ready(struct json_pull *p, int64_t ready[3])
{
    uint64_t row[3] = {0};
    size_t n = read_row(p, row, 3);

    for (size_t i = 0; i < 3 && n >= 3; i++) {
        ready[i] = (int64_t)row[i];
    }
}

static void read_phase(struct reading *r, uint32_t thread)
{
    struct swim_phase phase = {
        .thread = thread, .loop_iter = -1, .ntask = -1, .pop_hit = -1, .pop_miss = -1, .ready = {-1, -1, -1}};
    const struct number numbers[] = {{"start_cycles", .u64 = &phase.start},  {"end_cycles", .u64 = &phase.end},
                                     {"loop_iter", .i64 = &phase.loop_iter}, {"tasks_processed", .i64 = &phase.ntask},
                                     {"pop_hit", .i64 = &phase.pop_hit},     {"pop_miss", .i64 = &phase.pop_miss}};
    struct json_pull *p = &r->pull;
    struct swimlane *s = r->s;
    char key[32];

    if (!json_pull_open(p, '{')) {
        return;
    }
    while (json_pull_key(p, key, sizeof key)) {
        if (strcmp(key, "kind") == 0) {
            json_pull_text(p, phase.kind, sizeof phase.kind);
        } else if (strcmp(key, "shared_at_end") == 0 && json_pull_peek(p) == '[') {
            read_ready(p, phase.ready);
        } else {
            read_member(p, key, numbers, sizeof numbers / sizeof *numbers);
        }
    }
    if (p->fault) {
        return;
    }
    if (phase.end < phase.start) {
        r->odd_rows++;
    } else if (room(r, &s->phases, &s->phase_capacity, s->nphase, sizeof *s->phases)) {
        s->phases[s->nphase++] = phase;
    }
}

static void read_submit(struct reading *r, uint32_t thread)
{
    struct swim_submit submit = {.thread = thread};
    const struct number numbers[] = {{"submit_idx", .i64 = &submit.index},
                                     {"task_id", .u64 = &submit.task},
                                     {"start_cycles", .u64 = &submit.start},
                                     {"end_cycles", .u64 = &submit.end}};
    struct json_pull *p = &r->pull;
    struct swimlane *s = r->s;
    char key[32];

    if (!json_pull_open(p, '{')) {
        return;
    }
    while (json_pull_key(p, key, sizeof key)) {
        read_member(p, key, numbers, sizeof numbers / sizeof *numbers);
    }
    if (p->fault) {
        return;
    }
    if (submit.end < submit.start) {
        r->odd_rows++;
    } else if (room(r, &s->submits, &s->submit_capacity, s->nsubmit, sizeof *s->submits)) {
        s->submits[s->nsubmit++] = submit;
    }
}

/* [[record, ...] of thread 0, [...] of thread 1, ...] */
static void read_threads(struct reading *r, void (*read_record)(struct reading *, uint32_t))
{
    if (!json_pull_open(&r->pull, '[')) {
        return;
    }
    for (uint32_t thread = 0; json_pull_item(&r->pull) && json_pull_open(&r->pull, '['); thread++) {
        while (json_pull_item(&r->pull) && !r->nomem) {
            read_record(r, thread);
        }
    }
}

static void read_core_types(struct reading *r)
{
    struct swimlane *s = r->s;
    char name[8];

    if (!json_pull_open(&r->pull, '[')) {
        return;
    }
    while (json_pull_item(&r->pull) && json_pull_text(&r->pull, name, sizeof name) &&
           room(r, &s->core_types, &s->core_capacity, s->ncore, sizeof *s->core_types)) {
        s->core_types[s->ncore++] = strcmp(name, "aic") == 0   ? SWIM_AIC
                                    : strcmp(name, "aiv") == 0 ? SWIM_AIV
                                                               : SWIM_UNKNOWN;
    }
}

static void read_core_threads(struct reading *r)
{
    struct swimlane *s = r->s;
    int64_t thread;

    if (!json_pull_open(&r->pull, '[')) {
        return;
    }
    while (json_pull_item(&r->pull) && json_pull_i64(&r->pull, &thread) &&
           room(r, &s->core_threads, &s->thread_capacity, s->nthread, sizeof *s->core_threads)) {
        s->core_threads[s->nthread++] = thread;
    }
}

static void read_metadata(struct reading *r)
{
    char key[32];

    if (!json_pull_open(&r->pull, '{')) {
        return;
    }
    while (json_pull_key(&r->pull, key, sizeof key)) {
        if (strcmp(key, "clock_freq_hz") == 0) {
            json_pull_u64(&r->pull, &r->s->clock_hz);
        } else if (strcmp(key, "host_origin_ns") == 0) {
            json_pull_u64(&r->pull, &r->s->origin_ns);
        } else if (strcmp(key, "core_types") == 0) {
            read_core_types(r);
        } else if (strcmp(key, "core_to_thread") == 0) {
            read_core_threads(r);
        } else {
            json_pull_skip(&r->pull);
        }
    }
}

static void read_document(struct reading *r)
{
    char key[40];

    if (!json_pull_open(&r->pull, '{')) {
        return;
    }
    while (!r->nomem && json_pull_key(&r->pull, key, sizeof key)) {
        if (strcmp(key, "chip_swimlane_level") == 0) {
            json_pull_i64(&r->pull, &r->s->level);
        } else if (strcmp(key, "metadata") == 0) {
            read_metadata(r);
        } else if (strcmp(key, "aicore_tasks") == 0) {
            read_rows(r, take_core_task);
        } else if (strcmp(key, "aicore_task_cpu_ns") == 0) {
            read_cpu_times(r);
        } else if (strcmp(key, "aicpu_tasks") == 0) {
            read_rows(r, take_finish);
        } else if (strcmp(key, "aicpu_scheduler_phases") == 0) {
            read_threads(r, read_phase);
        } else if (strcmp(key, "aicpu_orchestrator_phases") == 0) {
            read_threads(r, read_submit);
        } else {
            json_pull_skip(&r->pull);
        }
    }
}

/* --- after reading ------------------------------------------------------ */

/* Before the tasks are sorted. Where some row of the two lists was left out, nobody knows which time is whose. */
static void join_cpu_times(struct reading *r)
{
    struct swimlane *s = r->s;

    s->has_cpu = s->ntask > 0 && r->ncpu == s->ntask && r->odd_rows == 0 && !r->pull.fault;
    for (size_t i = 0; s->has_cpu && i < s->ntask; i++) {
        s->tasks[i].cpu_ns = r->cpu_ns[i];
    }
}

static void add_notes(struct reading *r, size_t unmatched, struct notes *notes)
{
    struct swimlane *s = r->s;
    const char *file = "chip_swimlane_records.json";
    char buf[160];

    if (json_pull_fault(&r->pull, buf, sizeof buf)) {
        notes_add(notes, "%s: %s; the %zu tasks before it are shown", file, buf, s->ntask);
    }
    if (s->clock_hz == 0) {
        notes_add(notes, "%s: metadata.clock_freq_hz is missing: its times cannot be read and are left out", file);
        s->ntask = s->nphase = s->nsubmit = 0;
    }
    if (r->odd_rows) {
        notes_add(notes, "%s: %zu records of unknown form or with an end before their start are left out", file,
                  r->odd_rows);
    }
    if (s->ntask && !s->has_setup) {
        notes_add(notes, "%s: an older version, without the time from receipt to start", file);
    }
    if (r->nfinish && unmatched) {
        notes_add(notes, "%s: %zu of %zu tasks have no dispatch and finish", file, unmatched, s->ntask);
    }
    if (!r->pull.fault && s->level >= 2 && s->ntask && !r->nfinish) {
        notes_add(notes, "%s: aicpu_tasks is empty: when tasks were dispatched and seen to finish is unknown", file);
    }
    s->is_empty = !r->pull.fault && s->clock_hz && !s->ntask;
}

int swimlane_read(const char *path, struct swimlane *s, struct notes *notes, struct error *err)
{
    struct reading r = {.s = s};
    size_t size, unmatched;
    char *text;

    memset(s, 0, sizeof *s);
    text = file_read(path, max_nbytes, &size, err);
    if (!text) {
        return -1;
    }
    json_pull_start(&r.pull, text, size);
    read_document(&r);
    join_cpu_times(&r);
    unmatched = swimlane_join(s, r.finishes, r.nfinish);
    add_notes(&r, unmatched, notes);
    free(r.finishes);
    free(r.cpu_ns);
    free(text);
    return r.nomem ? error_nomem(err, path, size) : 0;
}
