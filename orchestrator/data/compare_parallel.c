#include "orchestrator/data/compare_parallel.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

/* Elements that are worth a thread, and threads at most. A multiple of what compare_span() looks at in one piece. */
enum { PART_MIN = 1 << 19, THREADS_MAX = 16 };

struct part {
    enum dtype type, expected_type;
    const void *actual, *expected;
    uint64_t first, count;
    struct tolerance tol;
    bool nan_is_any;
    struct comparison found;
    pthread_t thread;
    bool started;
};

static void *compare_part(void *argument)
{
    struct part *p = argument;

    compare_span(p->type, p->actual, p->expected_type, p->expected, p->first, p->count, p->tol, p->nan_is_any, NULL,
                 NULL, &p->found);
    return NULL;
}

/* `part` comes behind what is in `out`. */
static void add(struct comparison *out, const struct comparison *part)
{
    if (part->max_abs_error > out->max_abs_error) {
        out->max_abs_error = part->max_abs_error;
        out->max_index = part->max_index;
    }
    out->max_reldiff = part->max_reldiff > out->max_reldiff ? part->max_reldiff : out->max_reldiff;
    out->count += part->count;
    out->mismatched += part->mismatched;
    out->ignored += part->ignored;
    for (uint32_t i = 0; i < part->nshown && out->nshown < VERIFY_MAX_SHOWN; i++) {
        out->shown[out->nshown++] = part->shown[i];
    }
}

static unsigned threads_for(uint64_t count)
{
    cpu_set_t set;
    uint64_t n = count / PART_MIN;
    unsigned cores = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;

    n = n < cores ? n : cores;
    return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

void compare_more(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t first,
                  uint64_t count, struct tolerance tol, bool nan_is_any, struct comparison *out)
{
    const unsigned n = threads_for(count);
    const uint64_t each = count / n / PART_MIN * PART_MIN;
    struct part parts[THREADS_MAX];

    if (n == 1) {
        compare_span(type, actual, expected_type, expected, first, count, tol, nan_is_any, NULL, NULL, out);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        parts[i] = (struct part){.type = type,
                                 .expected_type = expected_type,
                                 .actual = actual,
                                 .expected = expected,
                                 .first = first + i * each,
                                 .count = i + 1 < n ? each : count - i * each,
                                 .tol = tol,
                                 .nan_is_any = nan_is_any};
        /* The last one is this thread's, and those that cannot be started. */
        parts[i].started = i + 1 < n && pthread_create(&parts[i].thread, NULL, compare_part, &parts[i]) == 0;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!parts[i].started) {
            compare_part(&parts[i]);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        if (parts[i].started) {
            pthread_join(parts[i].thread, NULL);
        }
        add(out, &parts[i].found);
    }
}

void compare_elements(enum dtype type, const void *actual, const void *expected, uint64_t count, struct tolerance tol,
                      bool nan_is_any, struct comparison *out)
{
    compare_arrays(type, actual, type, expected, count, tol, nan_is_any, out);
}

void compare_arrays(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t count,
                    struct tolerance tol, bool nan_is_any, struct comparison *out)
{
    memset(out, 0, sizeof *out);
    compare_more(type, actual, expected_type, expected, 0, count, tol, nan_is_any, out);
}
