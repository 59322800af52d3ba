#include "orchestrator/plan/edges_index.h"

#include <stdlib.h>

#include "common/base/array.h"

struct search {
    struct edges_index *x;
    const struct index_tree *tree;
    const uint64_t *box; /* bounds of the leaf that searches */
    bool exact, readers;
    uint32_t floor, leaf;
    index_visit *visit;
    void *context;
};

enum place { APART, MEETS, INSIDE };

static enum place place_of(const struct search *s, const uint64_t *bound)
{
    bool inside = true;

    for (size_t a = 0; a < s->tree->naxis; a++) {
        if (bound[2 * a] > s->box[2 * a + 1] || bound[2 * a + 1] < s->box[2 * a]) {
            return APART;
        }
        inside = inside && bound[2 * a] >= s->box[2 * a] && bound[2 * a + 1] <= s->box[2 * a + 1];
    }
    return inside ? INSIDE : MEETS;
}

static uint32_t *latest_of(const struct edges_index *x, const struct index_tree *t, uint64_t branch)
{
    return x->latest + t->first_latest + 2 * branch;
}

/* What is in a leaf's list may be less than what its branch says, since accesses are removed from it alone. */
static void refresh_leaf(struct edges_index *x, uint32_t leaf, uint32_t *latest)
{
    latest[0] = latest[1] = 0;
    for (uint32_t i = x->leaves[leaf].head; i != PLAN_NONE; i = x->accesses[i].next) {
        for (uint32_t kind = 0; kind < 2; kind++) {
            if ((x->accesses[i].flags >> kind & 1) && x->accesses[i].node >= latest[kind]) {
                latest[kind] = x->accesses[i].node + 1;
            }
        }
    }
}

static int search(const struct search *s, uint64_t branch, uint32_t low, uint32_t high)
{
    struct edges_index *x = s->x;
    const uint64_t *bound = x->bounds + s->tree->first_bound + branch * 2 * s->tree->naxis;
    uint32_t *latest = latest_of(x, s->tree, branch), *left, *right;
    uint32_t newest = s->readers && latest[0] > latest[1] ? latest[0] : latest[1];
    uint32_t mid = low + (high - low) / 2;
    enum place place;
    int rc;

    if (newest == 0) {
        return 0;
    }
    place = place_of(s, bound);
    if (place == APART || (newest <= s->floor && !(s->readers && s->exact && place == INSIDE))) {
        return 0;
    }
    if (high - low == 1) {
        uint32_t leaf = s->tree->first_leaf + low;

        rc = s->visit(s->context, leaf, leaf == s->leaf || (s->exact && place == INSIDE));
        refresh_leaf(x, leaf, latest);
        return rc;
    }
    rc = search(s, branch + 1, low, mid);
    if (rc == 0) {
        rc = search(s, branch + 2 * (uint64_t)(mid - low), mid, high);
    }
    left = latest_of(x, s->tree, branch + 1);
    right = latest_of(x, s->tree, branch + 2 * (uint64_t)(mid - low));
    latest[0] = left[0] > right[0] ? left[0] : right[0];
    latest[1] = left[1] > right[1] ? left[1] : right[1];
    return rc;
}

/* Branch of a leaf; marks the way with `node`'s access when `flags` says so. */
static uint64_t descend(struct edges_index *x, const struct index_tree *t, uint32_t leaf, uint32_t node, uint32_t flags)
{
    uint32_t at = leaf - t->first_leaf, low = 0, high = t->nleaf;
    uint64_t branch = 0;

    for (;;) {
        uint32_t *latest = latest_of(x, t, branch), mid = low + (high - low) / 2;

        if (flags & ACCESS_READ) {
            latest[0] = node + 1;
        }
        if (flags & ACCESS_WRITE) {
            latest[1] = node + 1;
        }
        if (high - low == 1) {
            return branch;
        }
        if (at < mid) {
            branch++;
            high = mid;
        } else {
            branch += 2 * (uint64_t)(mid - low);
            low = mid;
        }
    }
}

int index_search(struct edges_index *x, uint32_t storage, uint32_t leaf, bool readers, uint32_t floor,
                 index_visit *visit, void *context)
{
    const struct index_tree *t = &x->trees[storage];
    struct search s = {.x = x,
                       .tree = t,
                       .exact = x->leaves[leaf].exact,
                       .readers = readers,
                       .floor = floor,
                       .leaf = leaf,
                       .visit = visit,
                       .context = context};

    s.box = x->bounds + t->first_bound + descend(x, t, leaf, 0, 0) * 2 * t->naxis;
    return search(&s, 0, 0, t->nleaf);
}

static int new_access(struct edges_index *x, uint32_t *out, struct error *err)
{
    if (x->free_access != PLAN_NONE) {
        *out = x->free_access;
        x->free_access = x->accesses[*out].next;
        return 0;
    }
    if (x->naccess == PLAN_NONE || /* the first that has no number */
        array_reserve(&x->accesses, &x->access_capacity, x->naccess, 1, sizeof *x->accesses)) {
        return error_nomem(err, "edges of the plan", x->naccess * sizeof *x->accesses);
    }
    *out = x->naccess++;
    return 0;
}

int index_add(struct edges_index *x, uint32_t storage, uint32_t leaf, uint32_t node, uint32_t flags, struct error *err)
{
    uint32_t at = 0, *head = &x->leaves[leaf].head, lane = x->plan->nodes[node].lane;
    const struct index_tree *t = &x->trees[storage];

    if (new_access(x, &at, err)) {
        return -1;
    }
    x->accesses[at] = (struct index_access){.node = node, .flags = flags, .until = PLAN_NONE, .next = *head};
    *head = at;
    descend(x, t, leaf, node, flags);
    for (uint32_t kind = 0; t->first_last != UINT64_MAX && kind < 2; kind++) {
        if (flags >> kind & 1) {
            x->last[t->first_last + 2 * (uint64_t)lane + kind] = node + 1;
        }
    }
    return 0;
}

void index_remove(struct edges_index *x, uint32_t *link)
{
    uint32_t at = *link;

    *link = x->accesses[at].next;
    x->accesses[at].next = x->free_access;
    x->free_access = at;
}
