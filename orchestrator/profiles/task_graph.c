#include "orchestrator/profiles/task_graph.h"

#include <stdlib.h>
#include <string.h>

/* A task may run on several cores, and several times on one: its rows. */
struct rows {
    uint64_t token;
    uint32_t first, last; /* the row that starts first, the one that ends last */
};

static int compare_rows(const void *a, const void *b)
{
    const struct rows *x = a, *y = b;

    if (x->token != y->token) {
        return x->token < y->token ? -1 : 1;
    }
    return x->first < y->first ? -1 : x->first > y->first;
}

/* One entry a task, by token; the count. Rows are sorted by start, so the first of equal tokens starts first. */
static size_t index_rows(const struct swimlane *s, struct rows *index)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->ntask; i++) {
        index[i] = (struct rows){s->tasks[i].token, i, i};
    }
    qsort(index, s->ntask, sizeof *index, compare_rows);
    for (size_t i = 0; i < s->ntask; i++) {
        if (n == 0 || index[n - 1].token != index[i].token) {
            index[n++] = index[i];
        } else if (s->tasks[index[i].last].end > s->tasks[index[n - 1].last].end) {
            index[n - 1].last = index[i].last;
        }
    }
    return n;
}

static const struct rows *find(const struct rows *index, size_t n, uint64_t token)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (index[middle].token == token) {
            return &index[middle];
        }
        if (index[middle].token < token) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

int task_graph_build(const struct dfx_dispatch *d, struct task_graph *g, struct error *err)
{
    const struct swimlane *s = &d->records;
    struct rows *index = malloc((s->ntask + 1) * sizeof *index);
    size_t n;

    memset(g, 0, sizeof *g);
    g->items = malloc((s->ntask + 1) * sizeof *g->items);
    g->edges = malloc((d->deps.nedge + 1) * sizeof *g->edges);
    if (!index || !g->items || !g->edges) {
        free(index);
        task_graph_free(g);
        return error_nomem(err, "task graph", (s->ntask + d->deps.nedge) * sizeof *index);
    }
    for (size_t i = 0; i < s->ntask; i++) {
        g->items[g->nitem++] =
            (struct path_item){swimlane_ns(s, s->tasks[i].start), swimlane_ns(s, s->tasks[i].end), s->tasks[i].core};
    }
    n = index_rows(s, index);
    for (size_t e = 0; e < d->deps.nedge; e++) {
        const struct rows *pred = find(index, n, d->deps.edges[e].pred), *succ = find(index, n, d->deps.edges[e].succ);
        if (pred && succ && pred != succ) {
            g->edges[g->nedge++] = (struct path_edge){pred->last, succ->first};
        }
    }
    free(index);
    return 0;
}

void task_graph_free(struct task_graph *g)
{
    free(g->items);
    free(g->edges);
    memset(g, 0, sizeof *g);
}
