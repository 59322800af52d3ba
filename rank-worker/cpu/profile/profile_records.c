#include "rank-worker/cpu/profile/profile_records.h"

#include <stdlib.h>
#include <string.h>

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
        rc = file_replace_begin(w, path, err);
    }
    if (rc == 0) {
        w->unsynced = true;
    }
    free(path);
    return rc;
}

void profile_forget(struct profile *p)
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

int profile_reserve(struct profile *p)
{
    if ((!p->shared.first && !add_chunk(&p->shared, 0)) || (!p->own.first && !add_chunk(&p->own, 0))) {
        return -1;
    }
    arena_reset(&p->shared);
    arena_reset(&p->own);
    return 0;
}

void profile_free_records(struct profile *p)
{
    arena_free(&p->shared);
    arena_free(&p->own);
}
