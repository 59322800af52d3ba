#include "orchestrator/profiles/swimlane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_finishes(const void *a, const void *b)
{
    const struct swim_finish *x = a, *y = b;

    if (x->core != y->core) {
        return x->core < y->core ? -1 : 1;
    }
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static int compare_tasks(const void *a, const void *b)
{
    const struct swim_task *x = a, *y = b;

    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    if (x->core != y->core) {
        return x->core < y->core ? -1 : 1;
    }
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static size_t match(struct swimlane *s, struct swim_finish *finishes, size_t n)
{
    size_t unmatched = 0;

    if (n) {
        qsort(finishes, n, sizeof *finishes, compare_finishes);
    }
    for (size_t i = 0; i < s->ntask && n; i++) {
        struct swim_finish key = {.core = s->tasks[i].core, .reg = s->tasks[i].reg};
        const struct swim_finish *row = bsearch(&key, finishes, n, sizeof key, compare_finishes);
        if (row && row->finish >= row->dispatch) {
            s->tasks[i].dispatch = row->dispatch;
            s->tasks[i].finish = row->finish;
        } else {
            unmatched++;
        }
    }
    return unmatched;
}

static void widen(struct swimlane *s, uint64_t start, uint64_t end)
{
    if (start && (!s->first || start < s->first)) {
        s->first = start;
    }
    if (end > s->last) {
        s->last = end;
    }
}

static void find_range(struct swimlane *s)
{
    for (size_t i = 0; i < s->ntask; i++) {
        const struct swim_task *t = &s->tasks[i];
        widen(s, t->start, t->end);
        widen(s, t->setup < t->start ? t->start - t->setup : t->start, t->end);
        widen(s, t->dispatch, t->finish);
    }
    for (size_t i = 0; i < s->nphase; i++) {
        widen(s, s->phases[i].start, s->phases[i].end);
    }
    for (size_t i = 0; i < s->nsubmit; i++) {
        widen(s, s->submits[i].start, s->submits[i].end);
    }
}

size_t swimlane_join(struct swimlane *s, struct swim_finish *finishes, size_t n)
{
    const size_t unmatched = match(s, finishes, n);

    if (s->ntask) {
        qsort(s->tasks, s->ntask, sizeof *s->tasks, compare_tasks);
    }
    find_range(s);
    return unmatched;
}

void swimlane_free(struct swimlane *s)
{
    free(s->core_types);
    free(s->core_threads);
    free(s->tasks);
    free(s->phases);
    free(s->submits);
    memset(s, 0, sizeof *s);
}

uint64_t swimlane_duration_ns(const struct swimlane *s, uint64_t cycles)
{
    /* Seconds and the rest apart, so that nothing is lost for counters that ran for years. */
    uint64_t seconds = s->clock_hz ? cycles / s->clock_hz : 0, rest = s->clock_hz ? cycles % s->clock_hz : 0;

    return seconds * 1000000000u + (s->clock_hz ? (uint64_t)((unsigned __int128)rest * 1000000000u / s->clock_hz) : 0);
}

uint64_t swimlane_ns(const struct swimlane *s, uint64_t cycles)
{
    return cycles > s->first ? swimlane_duration_ns(s, cycles - s->first) : 0;
}

int swimlane_core_type(const struct swimlane *s, uint32_t core)
{
    return core < s->ncore ? s->core_types[core] : SWIM_UNKNOWN;
}

const char *swimlane_task_label(uint64_t token, char *buf, size_t size)
{
    unsigned ring = (unsigned)(token >> 32 & 0xff);

    if (ring) {
        snprintf(buf, size, "r%ut%" PRIu32, ring, (uint32_t)token);
    } else {
        snprintf(buf, size, "t%" PRIu32, (uint32_t)token);
    }
    return buf;
}
