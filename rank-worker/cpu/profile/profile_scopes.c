/* What each scope uses of the device's memory: scope_stats.jsonl. Main thread only. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_stream.h"
#include "rank-worker/cpu/profile/profile_records.h"

struct profile_scope {
    struct profile_scope *next;
    const char *file;
    int line, depth, ring;
    bool end;
    uint32_t task_start, task_end;
    uint64_t heap_start, heap_end, deps_start, deps_end, nwrite;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void cpu_profile_scope(struct device *dev, bool end, uint64_t ndep)
{
    struct profile *p = dev->profile;
    struct profile_scope *s = p->want.scope_stats ? profile_alloc(p, &p->own, sizeof(*s)) : NULL;
    if (!s) {
        return;
    }
    s->ring = cpu_ring_index(dev);
    const struct ring *r = &dev->rings[s->ring];
    s->file = p->sites[dev->depth];
    s->line = p->lines[dev->depth];
    s->depth = dev->depth;
    s->end = end;
    s->task_start = r->first;
    s->task_end = r->next;
    s->heap_end = r->heap_made;
    s->heap_start = r->heap_made - cpu_heap_live(r);
    s->deps_start = r->deps_freed;
    s->deps_end = r->deps_made;
    s->nwrite = ndep;
    CPU_APPEND(p->scopes, p->last_scope, s);
    p->nscope++;
}

/* Where the scope that is open now begins in the source; NULL: the one around the orchestration. */
void cpu_profile_site(struct device *dev, const char *file, int line)
{
    dev->profile->sites[dev->depth] = file;
    dev->profile->lines[dev->depth] = line;
}

static void write_limits(FILE *f, const char *key, uint64_t limit)
{
    fprintf(f, ", \"%s\": [", key);
    for (int i = 0; i < CPU_RINGS; i++) {
        fprintf(f, "%s%" PRIu64, i ? ", " : "", limit);
    }
    fputc(']', f);
}

/* File names may hold anything. */
static void write_site(FILE *f, const struct profile_scope *s)
{
    char site[512];
    snprintf(site, sizeof(site), "%s:%d", s->file ? base_name(s->file) : "orchestration", s->line);
    fputs("{\"site\": ", f);
    json_out_text(f, site);
}

int profile_write_scopes(struct profile *p, bool fatal, struct error *err)
{
    struct file_writer w;
    if (profile_create(p, &w, "scope_stats/scope_stats.jsonl", err)) {
        return -1;
    }
    fprintf(w.stream, "{\"version\": 6, \"fatal\": %s, \"dropped\": %" PRIu64 ", \"total\": %" PRIu64,
            fatal ? "true" : "false", p->ndropped, p->nscope);
    write_limits(w.stream, "task_window_max", CPU_WINDOW);
    write_limits(w.stream, "heap_max", CPU_HEAP_SIZE);
    write_limits(w.stream, "dep_pool_max", 0);
    fputs(", \"tensormap_max\": 0}\n", w.stream);
    for (const struct profile_scope *s = p->scopes; s; s = s->next) {
        write_site(w.stream, s);
        fprintf(w.stream,
                ", \"phase\": \"%s\", \"depth\": %d, \"ring\": %d, \"task_window_start\": %u, "
                "\"task_window_end\": %u, \"heap_start\": %" PRIu64 ", \"heap_end\": %" PRIu64
                ", \"dep_pool_start\": %" PRIu64 ", \"dep_pool_end\": %" PRIu64 ", \"tensormap\": %" PRIu64 "}\n",
                s->end ? "end" : "begin", s->depth, s->ring, s->task_start, s->task_end, s->heap_start, s->heap_end,
                s->deps_start, s->deps_end, s->nwrite);
    }
    return file_write_commit(&w, err);
}
