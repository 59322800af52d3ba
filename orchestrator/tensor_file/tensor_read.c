#include "orchestrator/tensor_file/tensor_read.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "orchestrator/tensor_file/tensor_elements.h"

/* Large enough that a disk reads at its full rate, small enough that threads end together. */
enum { PIECE_BYTES = 8 << 20, MOST_THREADS = 16 };

/* What one thread does at a time. */
struct piece {
    const struct tensor_job *job;
    const struct tensor_job *from; /* a job that has read the same: copied; NULL: read */
    uint64_t first, count;         /* elements */
};

struct work {
    struct piece *pieces;
    size_t count, capacity;
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t lock; /* of `err` */
    struct error *err;
};

/* --- pieces ----------------------------------------------------------------- */

static bool same_bytes(const struct tensor_job *a, const struct tensor_job *b)
{
    const struct tensor *s = a->tensor, *t = b->tensor;

    return a->file == b->file && a->round == b->round && s->offset == t->offset && s->packed == t->packed &&
           s->big_endian == t->big_endian && tensor_same_kind(s, t) &&
           memcmp(s->strides, t->strides, s->ndim * sizeof *s->strides) == 0;
}

static const struct tensor_job *find_same(const struct tensor_job *jobs, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (same_bytes(&jobs[i], &jobs[index])) {
            return &jobs[i];
        }
    }
    return NULL;
}

static int add_pieces(struct work *w, const struct tensor_job *job, const struct tensor_job *from, struct error *err)
{
    const struct tensor *t = job->tensor;
    const bool whole = !from && !tensor_elements_in_pieces(t);
    const uint64_t most = whole || t->size > PIECE_BYTES ? t->count : PIECE_BYTES / t->size;

    for (uint64_t first = 0; first < t->count; first += most) {
        uint64_t left = t->count - first;

        if (array_reserve(&w->pieces, &w->capacity, w->count, 1, sizeof *w->pieces)) {
            return error_nomem(err, job->file->source.path, (w->count + 1) * sizeof *w->pieces);
        }
        w->pieces[w->count++] = (struct piece){job, from, first, left < most ? left : most};
    }
    return 0;
}

static int do_piece(const struct piece *p, struct error *err)
{
    const size_t size = p->job->round ? dtype_size(DTYPE_BFLOAT16) : p->job->tensor->size;
    char *dst = (char *)p->job->dst + p->first * size;

    if (p->from) {
        memcpy(dst, (const char *)p->from->dst + p->first * size, p->count * size);
        return 0;
    }
    return tensor_elements_read(&p->job->file->source, p->job->tensor, p->first, p->count, p->job->round, dst, err);
}

/* --- threads ---------------------------------------------------------------- */

static void *work_through(void *state)
{
    struct work *w = state;
    struct error err;
    size_t i;

    while (!atomic_load(&w->failed) && (i = atomic_fetch_add(&w->next, 1)) < w->count) {
        if (do_piece(&w->pieces[i], &err)) {
            pthread_mutex_lock(&w->lock);
            if (!atomic_exchange(&w->failed, true) && w->err) {
                *w->err = err;
            }
            pthread_mutex_unlock(&w->lock);
        }
    }
    return NULL;
}

static size_t thread_count(const struct work *w)
{
    cpu_set_t set;
    size_t count = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;

    count = count > MOST_THREADS ? MOST_THREADS : count;
    return count > w->count ? w->count : count;
}

/* This thread works too, and alone where no other can be had. Signals stay with it. */
static int run(struct work *w)
{
    pthread_t threads[MOST_THREADS];
    size_t wanted = thread_count(w), started = 0;
    sigset_t all, before;

    atomic_store(&w->next, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work_through, w) == 0) {
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    work_through(w);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    w->count = 0;
    return atomic_load(&w->failed) ? -1 : 0;
}

static int run_round(struct work *w, const struct tensor_job *jobs, size_t count, bool copies)
{
    for (size_t i = 0; i < count; i++) {
        const struct tensor_job *from = find_same(jobs, i);

        if ((from != NULL) == copies && add_pieces(w, &jobs[i], from, w->err)) {
            return -1;
        }
    }
    return run(w);
}

int tensor_read_all(const struct tensor_job *jobs, size_t count, struct error *err)
{
    struct work w = {.lock = PTHREAD_MUTEX_INITIALIZER, .err = err};
    int rc = run_round(&w, jobs, count, false);

    if (rc == 0) {
        rc = run_round(&w, jobs, count, true);
    }
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = tensor_source_unchanged(&jobs[i].file->source, err);
    }
    free(w.pieces);
    return rc;
}

int tensor_read(const struct tensor_file *f, const struct tensor *t, void *dst, struct error *err)
{
    const struct tensor_job job = {.file = f, .tensor = t, .dst = dst};

    return tensor_read_all(&job, 1, err);
}

/* --- comparing ---------------------------------------------------------------- */

static int equal_elements(const struct tensor_file *fa, const struct tensor *a, const struct tensor_file *fb,
                          const struct tensor *b, bool *equal, struct error *err)
{
    const uint64_t most =
        tensor_elements_in_pieces(a) && tensor_elements_in_pieces(b) ? PIECE_BYTES / a->size : a->count;
    const uint64_t room = (most < a->count ? most : a->count) * a->size;
    char *one = malloc(room + 1), *other = malloc(room + 1);
    int rc = one && other ? 0 : error_nomem(err, fa->source.path, 2 * room);

    for (uint64_t first = 0; rc == 0 && *equal && first < a->count; first += most) {
        const uint64_t left = a->count - first, n = left < most ? left : most;

        if (tensor_elements_read(&fa->source, a, first, n, false, one, err) ||
            tensor_elements_read(&fb->source, b, first, n, false, other, err)) {
            rc = -1;
        } else {
            *equal = memcmp(one, other, n * a->size) == 0;
        }
    }
    free(one);
    free(other);
    return rc;
}

int tensor_equal(const struct tensor_file *fa, const struct tensor *a, const struct tensor_file *fb,
                 const struct tensor *b, bool *equal, struct error *err)
{
    *equal = tensor_same_kind(a, b);
    return *equal && a->count ? equal_elements(fa, a, fb, b, equal, err) : 0;
}
