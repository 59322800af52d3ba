/*
 * edges_index - who touched what, found by place.
 *
 * All views of a plan are known before the first node is looked at, so each
 * storage that is written gets one static tree over the boxes of its views. A
 * leaf holds the live accesses of its bytes; a branch holds the bounds of what
 * is below and the latest reader and writer there, so that a search descends
 * only to places that meet the view and changed since. Private to
 * orchestrator/plan/edges*.c.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_EDGES_INDEX_H
#define L3R_ORCHESTRATOR_PLAN_EDGES_INDEX_H

#include "orchestrator/plan/edges_box.h"

enum { ACCESS_READ = 1, ACCESS_WRITE = 2 };

struct index_access {
    uint32_t node;
    uint32_t flags; /* set of ACCESS_* */
    uint32_t until; /* from this node on nothing can depend on it any more; PLAN_NONE: not known */
    uint32_t next;  /* in the leaf's list, latest first; PLAN_NONE: last */
};

struct index_leaf {
    uint32_t view; /* one of the views with these bytes */
    uint32_t head; /* latest access; PLAN_NONE: none */
    bool exact;    /* the view is its box */
};

/* Trees of this many leaves are wide: a search of much of one should not look again at what is known to be done. */
enum { INDEX_WIDE = 16 };

struct index_tree {
    uint32_t nleaf, first_leaf; /* leaves in tree order */
    uint32_t naxis;
    uint64_t first_bound;  /* 2 * naxis bounds for each of the 2 * nleaf - 1 branches, low then high of each axis */
    uint64_t first_latest; /* as many pairs: latest reader + 1, latest writer + 1 below; 0: none */
    uint64_t first_last;   /* into last[]; UINT64_MAX: the tree is not wide */
};

struct edges_index {
    const struct plan *plan;
    struct index_tree *trees; /* by storage; nleaf 0: never written, nothing to track */
    uint32_t *leaf_of;        /* by view: its leaf; PLAN_NONE: not tracked */
    struct index_leaf *leaves;
    uint64_t *bounds;
    uint32_t *latest;
    uint32_t *last; /* of wide trees, nlane pairs each: the lane's latest reader + 1 and writer + 1 */
    uint32_t nleaf, nlane;
    struct index_access *accesses;
    uint32_t naccess, free_access;
    size_t access_capacity;
};

int index_init(struct edges_index *x, const struct plan *p, struct error *err);
void index_free(struct edges_index *x);

/* Called for each leaf that a search reaches; its bytes need not meet the view's when one of them is not exact.
 * `covered`: the searching view has all of the leaf's bytes. */
typedef int index_visit(void *context, uint32_t leaf, bool covered);

/* Find the leaves whose boxes meet that of `leaf` and that have live writers, or with `readers` live accesses of
 * any kind. Leaves where all is older than `floor` (node + 1) may be left out, except covered ones with `readers`.
 * Stops at the first visit that returns non-zero and returns that. */
int index_search(struct edges_index *x, uint32_t storage, uint32_t leaf, bool readers, uint32_t floor,
                 index_visit *visit, void *context);

/* Add an access at the head of a leaf's list. */
int index_add(struct edges_index *x, uint32_t storage, uint32_t leaf, uint32_t node, uint32_t flags, struct error *err);

/* Unlink the access that `*link` names, and let `*link` name the one after it. */
void index_remove(struct edges_index *x, uint32_t *link);

#endif
