/* The static part of the index: which views are tracked, and the trees over their boxes. */
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/plan/plan_view.h"
#include "orchestrator/plan/edges_index.h"

/* A view on its way into a tree. */
struct item {
    uint64_t code; /* place on the space-filling curve */
    uint32_t view;
    bool exact;
    uint64_t low[BOX_MAX_AXES], high[BOX_MAX_AXES];
};

/* Views by storage: those of storage s are order[first[s]] to order[first[s + 1] - 1]. */
struct tracked {
    uint32_t *first, *order;
    uint32_t most; /* views of one storage */
};

enum { VIEW_USED = 1, STORAGE_WRITTEN = 1 };

static void mark_used(const struct plan *p, uint8_t *view_used, uint8_t *written)
{
    for (uint32_t i = 0; i < p->nnode; i++) {
        const struct plan_arg *args = p->args + p->nodes[i].first_arg;

        for (uint32_t j = 0; j < p->nodes[i].narg; j++) {
            if (args[j].tag == PLAN_TAG_NO_DEP) {
                continue;
            }
            view_used[args[j].view] = VIEW_USED;
            if (plan_tag_writes(args[j].tag)) {
                written[p->views[args[j].view].storage] = STORAGE_WRITTEN;
            }
        }
    }
    /* What is never written orders nothing, and neither do views of no bytes. */
    for (uint32_t i = 0; i < p->nview; i++) {
        if (view_used[i] && (!written[p->views[i].storage] || plan_view_tensor(p, &p->views[i]).nbytes == 0)) {
            view_used[i] = 0;
        }
    }
}

static int track(const struct plan *p, struct tracked *t, struct error *err)
{
    uint8_t *used = calloc((size_t)p->nview + 1, 1), *written = calloc((size_t)p->nstorage + 1, 1);
    int rc = -1;

    t->first = calloc((size_t)p->nstorage + 2, sizeof *t->first);
    t->order = calloc((size_t)p->nview + 1, sizeof *t->order);
    if (!used || !written || !t->first || !t->order) {
        error_nomem(err, "edges of the plan", (size_t)p->nview * sizeof *t->order);
        goto out;
    }
    mark_used(p, used, written);
    for (uint32_t i = 0; i < p->nview; i++) {
        if (used[i]) {
            t->first[p->views[i].storage + 2]++;
        }
    }
    for (uint32_t i = 2; i <= p->nstorage + 1; i++) {
        t->most = t->first[i] > t->most ? t->first[i] : t->most;
        t->first[i] += t->first[i - 1];
    }
    for (uint32_t i = 0; i < p->nview; i++) {
        if (used[i]) {
            t->order[t->first[p->views[i].storage + 1]++] = i;
        }
    }
    rc = 0;
out:
    free(used);
    free(written);
    return rc;
}

/* The storage's axes, and those that its views see. */
static void find_axes(const struct plan *p, uint32_t storage, const uint32_t *views, uint32_t count,
                      struct box_axes *axes)
{
    box_axes_of(p, storage, axes);
    for (uint32_t i = 0; i < count && axes->n < PLAN_MAX_DIMS; i++) {
        struct overlap_form form;

        overlap_form(p, &p->views[views[i]], &form);
        for (uint32_t d = 0; d < form.ndim; d++) {
            box_axes_cut(axes, form.stride[d]);
        }
    }
}

/* Join axes until BOX_MAX_AXES are left, each time two of them that the fewest views need apart. */
static void choose_axes(const struct plan *p, const uint32_t *views, uint32_t count, struct box_axes *axes)
{
    uint32_t apart[PLAN_MAX_DIMS] = {0};

    if (axes->n <= BOX_MAX_AXES) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct overlap_form form;
        struct box box;

        overlap_form(p, &p->views[views[i]], &form);
        box_of(axes, &form, &box);
        for (uint32_t a = 0; a + 1 < axes->n; a++) {
            if (box.low[a] != box.high[a] && (box.low[a + 1] != 0 || box.high[a + 1] != axes->size[a + 1] - 1)) {
                apart[a]++;
            }
        }
    }
    while (axes->n > BOX_MAX_AXES) {
        uint32_t best = 0;

        for (uint32_t a = 1; a + 1 < axes->n; a++) {
            if (apart[a] < apart[best]) {
                best = a;
            }
        }
        box_axes_join(axes, best);
        memmove(&apart[best], &apart[best + 1], (axes->n - best) * sizeof *apart);
    }
}

static uint32_t bits_of(uint64_t value)
{
    return value ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* Twice the middle of a box on an axis. */
static uint64_t middle(const struct item *item, uint32_t axis)
{
    return item->low[axis] + item->high[axis];
}

/* Interleave the bits of the boxes' middles, over the axes on which they differ. */
static void set_codes(struct item *items, uint32_t count, uint32_t naxis)
{
    uint32_t axis[BOX_MAX_AXES], shift[BOX_MAX_AXES], n = 0, bits;

    for (uint32_t a = 0; a < naxis; a++) {
        uint64_t any = 0, all = UINT64_MAX;

        for (uint32_t i = 0; i < count; i++) {
            any |= middle(&items[i], a);
            all &= middle(&items[i], a);
        }
        if (any != all) {
            shift[n] = bits_of(any);
            axis[n++] = a;
        }
    }
    bits = n ? 64 / n : 0;
    for (uint32_t a = 0; a < n; a++) {
        shift[a] = shift[a] > bits ? shift[a] - bits : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        items[i].code = 0;
        for (uint32_t bit = bits; bit-- > 0;) {
            for (uint32_t a = 0; a < n; a++) {
                items[i].code = items[i].code << 1 | (middle(&items[i], axis[a]) >> shift[a] >> bit & 1);
            }
        }
    }
}

static int compare_boxes(const struct item *x, const struct item *y)
{
    int low = memcmp(x->low, y->low, sizeof x->low);

    return low ? low : memcmp(x->high, y->high, sizeof x->high);
}

static int by_place(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int boxes;

    if (x->code != y->code) {
        return x->code < y->code ? -1 : 1;
    }
    boxes = compare_boxes(x, y);
    if (boxes) {
        return boxes;
    }
    if (x->exact != y->exact) {
        return x->exact ? -1 : 1;
    }
    return x->view < y->view ? -1 : x->view > y->view;
}

/* Bounds of the branch over leaves low..high-1; the left child follows its parent, the right one the left subtree. */
static void set_bounds(struct edges_index *x, const struct index_tree *t, const struct item *items, uint64_t branch,
                       uint32_t low, uint32_t high)
{
    uint64_t *bound = x->bounds + t->first_bound + branch * 2 * t->naxis;
    uint32_t mid = low + (high - low) / 2;
    const uint64_t *left, *right;

    if (high - low == 1) {
        for (size_t a = 0; a < t->naxis; a++) {
            bound[2 * a] = items[low].low[a];
            bound[2 * a + 1] = items[low].high[a];
        }
        return;
    }
    left = bound + 2 * (size_t)t->naxis;
    right = bound + 2 * (uint64_t)(mid - low) * 2 * t->naxis;
    set_bounds(x, t, items, branch + 1, low, mid);
    set_bounds(x, t, items, branch + 2 * (uint64_t)(mid - low), mid, high);
    for (size_t a = 0; a < t->naxis; a++) {
        bound[2 * a] = left[2 * a] < right[2 * a] ? left[2 * a] : right[2 * a];
        bound[2 * a + 1] = left[2 * a + 1] > right[2 * a + 1] ? left[2 * a + 1] : right[2 * a + 1];
    }
}

/* Views that are the same box share a leaf. Returns how many leaves there are; items[] keeps one item for each. */
static uint32_t make_leaves(struct edges_index *x, struct item *items, uint32_t count)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (n == 0 || !items[i].exact || !items[n - 1].exact || compare_boxes(&items[i], &items[n - 1]) != 0) {
            x->leaves[x->nleaf + n] = (struct index_leaf){items[i].view, PLAN_NONE, items[i].exact};
            items[n++] = items[i];
        }
        x->leaf_of[items[i].view] = x->nleaf + n - 1;
    }
    return n;
}

/* How much of x->bounds is used and there. */
struct bounds_size {
    size_t n, capacity;
};

static int build_tree(struct edges_index *x, uint32_t storage, const uint32_t *views, uint32_t count,
                      struct item *items, struct bounds_size *bounds, struct error *err)
{
    struct index_tree *t = &x->trees[storage];
    struct box_axes axes;
    size_t more;

    find_axes(x->plan, storage, views, count, &axes);
    choose_axes(x->plan, views, count, &axes);
    for (uint32_t i = 0; i < count; i++) {
        struct overlap_form form;
        struct box box;

        overlap_form(x->plan, &x->plan->views[views[i]], &form);
        box_of(&axes, &form, &box);
        items[i] = (struct item){.view = views[i], .exact = box.exact};
        memcpy(items[i].low, box.low, axes.n * sizeof *box.low);
        memcpy(items[i].high, box.high, axes.n * sizeof *box.high);
    }
    set_codes(items, count, axes.n);
    qsort(items, count, sizeof *items, by_place);
    *t = (struct index_tree){.naxis = axes.n,
                             .first_leaf = x->nleaf,
                             .first_bound = bounds->n,
                             .first_latest = 2 * (2 * (uint64_t)x->nleaf)};
    t->nleaf = make_leaves(x, items, count);
    x->nleaf += t->nleaf;
    more = (2 * (size_t)t->nleaf - 1) * 2 * t->naxis;
    if (array_reserve(&x->bounds, &bounds->capacity, bounds->n, more, sizeof *x->bounds)) {
        return error_nomem(err, "edges of the plan", (bounds->n + more) * sizeof *x->bounds);
    }
    bounds->n += more;
    set_bounds(x, t, items, 0, 0, t->nleaf);
    return 0;
}

static int build_trees(struct edges_index *x, const struct tracked *t, struct error *err)
{
    struct item *items = calloc((size_t)t->most + 1, sizeof *items);
    struct bounds_size bounds = {0, 0};
    int rc = 0;

    if (!items) {
        return error_nomem(err, "edges of the plan", t->most * sizeof *items);
    }
    for (uint32_t s = 0; s < x->plan->nstorage && rc == 0; s++) {
        if (t->first[s] != t->first[s + 1]) {
            rc = build_tree(x, s, t->order + t->first[s], t->first[s + 1] - t->first[s], items, &bounds, err);
        }
    }
    free(items);
    return rc;
}

static int make_last(struct edges_index *x, struct error *err)
{
    uint64_t total = 0;

    for (uint32_t s = 0; s < x->plan->nstorage; s++) {
        struct index_tree *t = &x->trees[s];

        t->first_last = t->nleaf < INDEX_WIDE ? UINT64_MAX : total;
        total += t->nleaf < INDEX_WIDE ? 0 : 2 * (uint64_t)x->nlane;
    }
    x->last = calloc(total + 1, sizeof *x->last);
    return x->last ? 0 : error_nomem(err, "edges of the plan", total * sizeof *x->last);
}

int index_init(struct edges_index *x, const struct plan *p, struct error *err)
{
    struct tracked t = {0};
    size_t nview = (size_t)p->nview + 1, nstorage = (size_t)p->nstorage + 1;

    *x = (struct edges_index){.plan = p, .free_access = PLAN_NONE, .nlane = plan_lane_count(p)};
    if (track(p, &t, err)) {
        goto fail;
    }
    x->trees = calloc(nstorage, sizeof *x->trees);
    x->leaf_of = malloc(nview * sizeof *x->leaf_of);
    x->leaves = malloc(nview * sizeof *x->leaves);
    x->latest = calloc(nview, 4 * sizeof *x->latest);
    if (!x->trees || !x->leaf_of || !x->leaves || !x->latest) {
        error_nomem(err, "edges of the plan", nview * 4 * sizeof *x->latest);
        goto fail;
    }
    memset(x->leaf_of, 0xff, nview * sizeof *x->leaf_of);
    if (build_trees(x, &t, err) || make_last(x, err)) {
        goto fail;
    }
    free(t.first);
    free(t.order);
    return 0;
fail:
    free(t.first);
    free(t.order);
    index_free(x);
    return -1;
}

void index_free(struct edges_index *x)
{
    free(x->trees);
    free(x->leaf_of);
    free(x->leaves);
    free(x->bounds);
    free(x->latest);
    free(x->last);
    free(x->accesses);
    *x = (struct edges_index){0};
}
