#include "orchestrator/profiles/task_deps.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/json_stream.h"
#include "orchestrator/profiles/swimlane.h"

static const size_t max_nbytes = (size_t)8 << 30;

static void read_kernel_ids(struct json_pull *p, int64_t ids[3])
{
    int64_t value;
    size_t n = 0;

    if (!json_pull_open(p, '[')) {
        return;
    }
    while (json_pull_item(p) && json_pull_i64(p, &value)) {
        if (n < 3) {
            ids[n] = value;
        }
        n++;
    }
}

static int read_task(struct json_pull *p, struct task_deps *d)
{
    struct deps_task task = {.kernel_ids = {-1, -1, -1}, .nblock = 1};
    char key[24];

    if (!json_pull_open(p, '{')) {
        return 0;
    }
    while (json_pull_key(p, key, sizeof key)) {
        if (strcmp(key, "task_id") == 0) {
            json_pull_u64(p, &task.id);
        } else if (strcmp(key, "kernel_ids") == 0) {
            read_kernel_ids(p, task.kernel_ids);
        } else if (strcmp(key, "block_num") == 0) {
            json_pull_u64(p, &task.nblock);
        } else {
            json_pull_skip(p);
        }
    }
    if (p->fault) {
        return 0;
    }
    if (array_room(&d->tasks, &d->task_capacity, d->ntask, sizeof *d->tasks)) {
        return -1;
    }
    d->tasks[d->ntask++] = task;
    return 0;
}

static int read_edge(struct json_pull *p, struct task_deps *d)
{
    struct deps_edge edge = {0};
    char key[24];

    if (!json_pull_open(p, '{')) {
        return 0;
    }
    while (json_pull_key(p, key, sizeof key)) {
        if (strcmp(key, "pred") == 0) {
            json_pull_u64(p, &edge.pred);
        } else if (strcmp(key, "succ") == 0) {
            json_pull_u64(p, &edge.succ);
        } else if (strcmp(key, "source") == 0) {
            json_pull_text(p, edge.source, sizeof edge.source);
        } else {
            json_pull_skip(p);
        }
    }
    if (p->fault) {
        return 0;
    }
    if (array_room(&d->edges, &d->edge_capacity, d->nedge, sizeof *d->edges)) {
        return -1;
    }
    d->edges[d->nedge++] = edge;
    return 0;
}

static int read_list(struct json_pull *p, struct task_deps *d, int (*read_one)(struct json_pull *, struct task_deps *))
{
    if (!json_pull_open(p, '[')) {
        return 0;
    }
    while (json_pull_item(p)) {
        if (read_one(p, d)) {
            return -1;
        }
    }
    return 0;
}

static int compare_tasks(const void *a, const void *b)
{
    const struct deps_task *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_edges(const void *a, const void *b)
{
    const struct deps_edge *x = a, *y = b;

    if (x->succ != y->succ) {
        return x->succ < y->succ ? -1 : 1;
    }
    return x->pred < y->pred ? -1 : x->pred > y->pred;
}

/* Two tasks that share several tensors have an edge for each: one arrow is enough. */
static void sort_once(struct task_deps *d)
{
    size_t n = 0;

    if (d->ntask) {
        qsort(d->tasks, d->ntask, sizeof *d->tasks, compare_tasks);
    }
    if (d->nedge) {
        qsort(d->edges, d->nedge, sizeof *d->edges, compare_edges);
    }
    for (size_t i = 0; i < d->nedge; i++) {
        if (n == 0 || compare_edges(&d->edges[n - 1], &d->edges[i])) {
            d->edges[n++] = d->edges[i];
        }
    }
    d->nedge = n;
}

int task_deps_read(const char *path, struct task_deps *d, struct notes *notes, struct error *err)
{
    struct json_pull p;
    char key[24], buf[160];
    size_t size;
    char *text;
    int rc = 0;

    memset(d, 0, sizeof *d);
    text = file_read(path, max_nbytes, &size, err);
    if (!text) {
        return -1;
    }
    json_pull_start(&p, text, size);
    if (json_pull_open(&p, '{')) {
        while (rc == 0 && json_pull_key(&p, key, sizeof key)) {
            if (strcmp(key, "tasks") == 0) {
                rc = read_list(&p, d, read_task);
            } else if (strcmp(key, "edges") == 0) {
                rc = read_list(&p, d, read_edge);
            } else {
                json_pull_skip(&p);
            }
        }
    }
    if (json_pull_fault(&p, buf, sizeof buf)) {
        notes_add(notes, "deps.json: %s; dependencies are incomplete (%zu tasks, %zu edges were read)", buf, d->ntask,
                  d->nedge);
    }
    sort_once(d);
    free(text);
    return rc ? error_nomem(err, path, size) : 0;
}

void task_deps_free(struct task_deps *d)
{
    free(d->tasks);
    free(d->edges);
    memset(d, 0, sizeof *d);
}

const struct deps_task *task_deps_find(const struct task_deps *d, uint64_t id)
{
    struct deps_task key = {.id = id};

    return d->ntask ? bsearch(&key, d->tasks, d->ntask, sizeof key, compare_tasks) : NULL;
}

uint64_t task_deps_calls(const struct task_deps *d)
{
    uint64_t calls = 0;

    for (size_t i = 0; i < d->ntask; i++) {
        for (int k = 0; k < 3; k++) {
            if (d->tasks[i].kernel_ids[k] != -1) {
                calls = d->tasks[i].nblock > UINT64_MAX - calls ? UINT64_MAX : calls + d->tasks[i].nblock;
            }
        }
    }
    return calls;
}

int64_t task_deps_function(const struct task_deps *d, uint64_t id, int core_type)
{
    const struct deps_task *task = task_deps_find(d, id);

    if (!task) {
        return -1;
    }
    if (core_type == SWIM_AIC) {
        return task->kernel_ids[0];
    }
    if (core_type == SWIM_AIV) {
        return task->kernel_ids[1] >= 0 ? task->kernel_ids[1] : task->kernel_ids[2];
    }
    return -1;
}
