#include "orchestrator/plan/edges_domains.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

static int reserve(struct node_domains *d, uint64_t more, struct error *err)
{
    return array_reserve(&d->pool, &d->capacity, d->npool, more, sizeof *d->pool)
               ? error_nomem(err, "edges of the plan", (d->npool + more) * sizeof *d->pool)
               : 0;
}

/* Put `domain` into the set that is being built at the end of the pool. */
static void insert(struct node_domains *d, uint32_t domain)
{
    uint32_t *set = d->pool + d->npool, n = set[0], at = n;

    while (at > 0 && set[at] > domain) {
        at--;
    }
    if (at > 0 && set[at] == domain) {
        return;
    }
    memmove(set + at + 2, set + at + 1, (n - at) * sizeof *set);
    set[at + 1] = domain;
    set[0]++;
}

static int add_set(struct node_domains *d, const struct plan *p, uint32_t node, struct error *err)
{
    const struct plan_node *n = &p->nodes[node];
    uint64_t before = node ? d->first[node - 1] : 0;
    uint32_t *set;

    if (reserve(d, (uint64_t)n->narg + n->nscalar + 1, err)) {
        return -1;
    }
    set = d->pool + d->npool;
    set[0] = 0;
    for (uint32_t i = 0; n->kind == PLAN_DISPATCH && i < n->narg; i++) {
        const struct plan_storage *s = &p->storages[p->views[p->args[n->first_arg + i].view].storage];

        if (s->kind == PLAN_WINDOW) {
            insert(d, s->domain);
        }
    }
    for (uint32_t i = 0; n->kind == PLAN_DISPATCH && i < n->nscalar; i++) {
        if (p->scalars[n->first_scalar + i].kind != PLAN_VALUE) {
            insert(d, p->scalars[n->first_scalar + i].domain);
        }
    }
    if (node && memcmp(d->pool + before, set, ((size_t)set[0] + 1) * sizeof *set) == 0) {
        d->first[node] = before;
        return 0;
    }
    d->first[node] = d->npool;
    d->npool += set[0] + 1;
    return 0;
}

int domains_init(struct node_domains *d, const struct plan *p, struct error *err)
{
    *d = (struct node_domains){.capacity = 1024};
    d->first = calloc((size_t)p->nnode + 1, sizeof *d->first);
    d->pool = malloc(d->capacity * sizeof *d->pool);
    if (!d->first || !d->pool) {
        return error_nomem(err, "edges of the plan", p->nnode * sizeof *d->first);
    }
    for (uint32_t i = 0; i < p->nnode; i++) {
        if (add_set(d, p, i, err)) {
            return -1;
        }
    }
    return 0;
}

void domains_free(struct node_domains *d)
{
    free(d->first);
    free(d->pool);
    *d = (struct node_domains){0};
}

bool domains_shared(const struct node_domains *d, uint32_t node_a, uint32_t node_b)
{
    const uint32_t *a = d->pool + d->first[node_a], *b = d->pool + d->first[node_b];

    for (uint32_t i = 1, j = 1; i <= a[0] && j <= b[0];) {
        if (a[i] == b[j]) {
            return true;
        }
        if (a[i] < b[j]) {
            i++;
        } else {
            j++;
        }
    }
    return false;
}

uint32_t domains_end_of_others(const struct node_domains *d, const struct plan *p, uint32_t node, uint32_t other)
{
    const uint32_t *a = d->pool + d->first[node], *b = d->pool + d->first[other];
    uint32_t end = 0;

    if (a == b) {
        return 0;
    }
    for (uint32_t i = 1, j = 1; i <= a[0]; i++) {
        while (j <= b[0] && b[j] < a[i]) {
            j++;
        }
        if ((j > b[0] || b[j] != a[i]) && p->domains[a[i]].end_node > end) {
            end = p->domains[a[i]].end_node;
        }
    }
    return end;
}
