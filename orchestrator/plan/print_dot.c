#include <stdlib.h>

#include "orchestrator/plan/print.h"
#include "orchestrator/plan/print_view.h"

/* Text inside a quoted dot string. */
static void put_quoted(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            putc('\\', f);
        }
        putc(*text, f);
    }
}

static void put_node(const struct plan *p, uint32_t id, FILE *f)
{
    const struct plan_node *n = &p->nodes[id];

    fprintf(f, "    n%u [label=\"%u  ", id, id);
    if (n->kind == PLAN_COPY) {
        fputs("copy", f);
    } else {
        put_quoted(f, plan_text(p, n->kind == PLAN_DISPATCH ? p->programs[n->program] : p->subs[n->program]));
    }
    if (n->k != PLAN_NONE) {
        fprintf(f, "  d%u", n->k);
    }
    fputs("\"];\n", f);
}

/* `first` and `next` chain the nodes of each lane, + 1; 0: none. */
static void put_lanes(const struct plan *p, const uint32_t *first, const uint32_t *next, FILE *f)
{
    char name[32];

    for (uint32_t lane = 0; lane < plan_lane_count(p); lane++) {
        if (!first[lane]) {
            continue;
        }
        fprintf(f, "  subgraph cluster_%u {\n    label=\"%s\";\n", lane, print_lane(p, lane, name, sizeof name));
        for (uint32_t i = first[lane]; i; i = next[i - 1]) {
            put_node(p, i - 1, f);
            if (next[i - 1]) {
                fprintf(f, "    n%u -> n%u [style=dotted];\n", i - 1, next[i - 1] - 1);
            }
        }
        fputs("  }\n", f);
    }
}

static void put_edges(const struct plan *p, uint32_t id, FILE *f)
{
    static const char *const why[8] = {"", "raw", "war", "raw+war", "waw", "raw+waw", "war+waw", "raw+war+waw"};
    const struct plan_node *n = &p->nodes[id];

    for (uint32_t i = 0; i < n->npred; i++) {
        const struct plan_pred *e = &p->preds[n->first_pred + i];

        fprintf(f, "  n%u -> n%u [label=\"%s ", e->node, id, why[e->why & 7]);
        put_quoted(f, plan_text(p, p->storages[e->storage].name));
        fputs("\"];\n", f);
    }
}

int plan_print_dot(const struct plan *plan, FILE *f, struct error *err)
{
    uint32_t *first = calloc(plan_lane_count(plan), sizeof *first);
    uint32_t *next = calloc((size_t)plan->nnode + 1, sizeof *next);
    int rc = -1;

    if (!first || !next) {
        error_nomem(err, NULL, plan->nnode * sizeof *next);
        goto out;
    }
    for (uint32_t i = plan->nnode; i-- > 0;) {
        next[i] = first[plan->nodes[i].lane];
        first[plan->nodes[i].lane] = i + 1;
    }
    fputs("digraph plan {\n  node [shape=box];\n", f);
    put_lanes(plan, first, next, f);
    for (uint32_t i = 0; i < plan->nnode; i++) {
        put_edges(plan, i, f);
    }
    fputs("}\n", f);
    rc = print_written(f, err);
out:
    free(first);
    free(next);
    return rc;
}
