/* Begin and end of a captured dispatch, and the memory of its records. */
#include "rank-worker/cpu/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"

enum { CHUNK_NBYTES = 1 << 20 };

struct profile_chunk {
    struct profile_chunk *next;
    size_t used, size;
};

static _Thread_local uint32_t thread_index;

uint32_t profile_thread_index(void)
{
    return thread_index;
}

void cpu_profile_thread(uint32_t index)
{
    thread_index = index;
}

static struct profile_chunk *add_chunk(struct profile_arena *arena, size_t nbytes)
{
    const size_t size = nbytes > CHUNK_NBYTES ? nbytes : CHUNK_NBYTES;
    struct profile_chunk *c = malloc(sizeof(*c) + size);
    if (!c) {
        return NULL;
    }
    c->used = 0;
    c->size = size;
    c->next = arena->current ? arena->current->next : NULL;
    if (arena->current) {
        arena->current->next = c;
    } else {
        arena->first = c;
    }
    return c;
}

void *profile_alloc(struct profile *p, struct profile_arena *arena, size_t nbytes)
{
    nbytes = (nbytes + 15) / 16 * 16;
    struct profile_chunk *c = arena->current;
    if (!c || c->size - c->used < nbytes) {
        struct profile_chunk *next = c ? c->next : arena->first;
        if (!next || next->size < nbytes) {
            next = add_chunk(arena, nbytes);
        }
        if (!next) {
            p->ndropped++;
            return NULL;
        }
        next->used = 0;
        arena->current = c = next;
    }
    void *const at = (char *)(c + 1) + c->used;
    c->used += nbytes;
    return memset(at, 0, nbytes);
}

static void arena_reset(struct profile_arena *arena)
{
    arena->current = arena->first;
    if (arena->first) {
        arena->first->used = 0;
    }
}

static void arena_free(struct profile_arena *arena)
{
    while (arena->first) {
        struct profile_chunk *c = arena->first;
        arena->first = c->next;
        free(c);
    }
}

int profile_create(struct profile *p, struct file_writer *w, const char *name, struct error *err)
{
    char *path = file_join(p->dir, name, err);
    if (!path) {
        return -1;
    }
    char *const slash = strrchr(path, '/');
    *slash = '\0';
    int rc = file_make_dirs(path, err);
    *slash = '/';
    if (rc == 0) {
        rc = file_write_begin(w, path, err);
    }
    if (rc == 0) {
        w->unsynced = true;
    }
    free(path);
    return rc;
}

/* What a dispatch leaves behind is forgotten; chunks and descriptors of counters are kept. */
static void forget(struct profile *p)
{
    struct profile kept = {.shared = p->shared, .own = p->own};
    for (int i = 0; i < PROFILE_THREADS; i++) {
        kept.threads[i].perf = p->threads[i].perf;
    }
    free(p->dir);
    *p = kept;
    arena_reset(&p->shared);
    arena_reset(&p->own);
    memset(p->core_thread, -1, sizeof(p->core_thread));
    p->arg = -1;
}

static bool wanted(const struct device_switches *s)
{
    return s->dir && (s->swimlane || s->pmu || s->dep_gen || s->scope_stats || s->dump_args);
}

/* Threads without work look at it at any time, under the lock. */
static void set_current(struct device *dev, struct profile *p)
{
    pthread_mutex_lock(&dev->lock);
    dev->profile = p;
    pthread_mutex_unlock(&dev->lock);
}

int cpu_profile_begin(struct device *dev, const struct device_switches *switches, struct error *err)
{
    struct profile *p = dev->profiler;
    if (dev->profile) {
        set_current(dev, NULL); /* of a dispatch that was refused */
    }
    if (!wanted(switches)) {
        return 0;
    }
    if (!p) {
        p = dev->profiler = calloc(1, sizeof(*p));
        if (!p) {
            return error_nomem(err, "profiles", sizeof(*p));
        }
    }
    for (int i = 0; i < PROFILE_THREADS && p->want.pmu != switches->pmu; i++) {
        profile_pmu_close(&p->threads[i]); /* they count for another event type */
    }
    file_write_abort(&p->bin);
    forget(p);
    p->want = *switches;
    p->want.dir = NULL; /* the caller's */
    p->dir = strdup(switches->dir);
    if (!p->dir) {
        return error_nomem(err, "profiles", strlen(switches->dir) + 1);
    }
    /* The first chunks are made now, not in the middle of the run. */
    if ((!p->shared.first && !add_chunk(&p->shared, 0)) || (!p->own.first && !add_chunk(&p->own, 0))) {
        return error_nomem(err, "profiles", CHUNK_NBYTES);
    }
    arena_reset(&p->shared);
    arena_reset(&p->own);
    p->bin_failed = p->want.dump_args && profile_args_open(p, &p->bin_error); /* told when it should be written */
    set_current(dev, p);
    return 0;
}

/* Each for itself: what one kind of profile cannot do, another may. */
static uint32_t tell_lost(int rc, const struct error *err)
{
    if (rc == 0) {
        return 0;
    }
    log_msg(LOG_ERROR, "a file of profiles is lost: %s%s%s", err->what, err->hint[0] ? "; hint: " : "", err->hint);
    return 1;
}

static uint32_t write_all(const struct device *dev, struct profile *p)
{
    struct error err;
    uint32_t nlost = 0;
    if (p->want.swimlane) {
        nlost += tell_lost(profile_write_swimlane(p, &err), &err);
    }
    if (p->want.pmu) {
        nlost += tell_lost(profile_write_pmu(dev, p, &err), &err);
    }
    if (p->want.dep_gen) {
        nlost += tell_lost(profile_write_deps(p, &err), &err);
    }
    if (p->want.scope_stats) {
        nlost += tell_lost(profile_write_scopes(p, false, &err), &err);
    }
    if (p->want.dump_args) {
        nlost += tell_lost(profile_write_args(p, &err), &err);
    }
    file_write_abort(&p->bin);
    return nlost;
}

void cpu_profile_end(struct device *dev)
{
    dev->profile->ended = true;
    set_current(dev, NULL);
}

uint32_t cpu_profile_save(struct device *dev)
{
    struct profile *p = dev->profiler;
    if (!p || !p->ended) {
        return 0;
    }
    p->ended = false;
    if (p->ndropped) {
        log_msg(LOG_WARN, "profiles in %s: no memory for %llu records", p->dir, (unsigned long long)p->ndropped);
    }
    return write_all(dev, p);
}

/* Kernels may still be running, and with them records in use. What the main thread alone has recorded is written. */
void cpu_profile_fail(struct device *dev)
{
    struct profile *p = dev->profile;
    struct error err;
    pthread_mutex_lock(&dev->lock);
    file_write_abort(&p->bin);
    p->bin_failed = true;
    pthread_mutex_unlock(&dev->lock);
    if (p->want.scope_stats && profile_write_scopes(p, true, &err)) {
        error_print(&err);
    }
}

void cpu_profile_free(struct device *dev)
{
    struct profile *p = dev->profiler;
    if (!p) {
        return;
    }
    for (int i = 0; i < PROFILE_THREADS; i++) {
        profile_pmu_close(&p->threads[i]);
    }
    file_write_abort(&p->bin);
    arena_free(&p->shared);
    arena_free(&p->own);
    free(p->dir);
    free(p);
    dev->profiler = dev->profile = NULL;
}

void cpu_profile_task(struct device *dev, struct task *task, const struct l3r_core_args *args)
{
    if (dev->profile->want.dep_gen) {
        profile_deps_task(dev, task, args);
    }
    if (dev->profile->want.dump_args) {
        profile_args_task(dev, task, args);
    }
}
