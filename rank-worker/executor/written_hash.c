#include "rank-worker/executor/written_hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/plan/plan_view.h"

/* Elements that lie apart are put side by side first: the hash is slow on a few bytes at a time. */
enum { BLOCK = 4096 };

struct written_hash {
    XXH3_state_t *state;
    size_t fill;
    char block[BLOCK];
};

int written_hash_open(struct written_hash **out, struct error *err)
{
    struct written_hash *h = calloc(1, sizeof *h);

    *out = h;
    if (h) {
        h->state = XXH3_createState();
    }
    if (h && h->state) {
        return 0;
    }
    written_hash_close(h);
    *out = NULL;
    return error_nomem(err, "hash of what is written", sizeof *h);
}

void written_hash_close(struct written_hash *h)
{
    if (!h) {
        return;
    }
    XXH3_freeState(h->state);
    free(h);
}

static void flush(struct written_hash *h)
{
    XXH3_64bits_update(h->state, h->block, h->fill);
    h->fill = 0;
}

static void add(struct written_hash *h, const char *at, uint64_t nbytes)
{
    if (nbytes > BLOCK - h->fill) {
        flush(h);
    }
    if (nbytes > BLOCK) {
        XXH3_64bits_update(h->state, at, nbytes);
        return;
    }
    memcpy(h->block + h->fill, at, nbytes);
    h->fill += nbytes;
}

/* The view from `axis` on; elements that lie side by side from axis `flat` on, `nbytes` of them. */
static void add_axis(struct written_hash *h, const struct plan_tensor *t, const char *at, uint32_t axis, uint32_t flat,
                     uint64_t nbytes)
{
    const int64_t step = t->stride[axis] * (int64_t)dtype_size(t->dtype);

    for (int64_t i = 0; i < t->shape[axis]; i++) {
        if (axis + 1 == flat) {
            add(h, at + i * step, nbytes);
        } else {
            add_axis(h, t, at + i * step, axis + 1, flat, nbytes);
        }
    }
}

static uint64_t hash_tensor(struct written_hash *h, const struct segment *seg, const struct plan_tensor *t)
{
    const char *at = (const char *)segment_storage(seg, t->storage) + t->offset;
    uint64_t count = 1; /* elements side by side */
    uint32_t flat = t->ndim;

    if (t->nbytes == 0) {
        return XXH3_64bits(at, 0);
    }
    while (flat > 0 && (t->shape[flat - 1] == 1 || (uint64_t)t->stride[flat - 1] == count)) {
        count *= (uint64_t)t->shape[--flat];
    }
    if (flat == 0) {
        return XXH3_64bits(at, count * dtype_size(t->dtype));
    }
    XXH3_64bits_reset(h->state);
    add_axis(h, t, at, 0, flat, count * dtype_size(t->dtype));
    flush(h);
    return XXH3_64bits_digest(h->state);
}

void written_hash_take(struct written_hash *h, struct segment *seg, uint32_t node)
{
    const struct plan *plan = &seg->plan;
    const struct plan_node *n = &plan->nodes[node];

    for (uint64_t i = n->first_arg; i < n->first_arg + n->narg; i++) {
        if (plan_tag_writes(plan->args[i].tag)) {
            const struct plan_tensor t = plan_view_tensor(plan, &plan->views[plan->args[i].view]);
            seg->hashes[i] = hash_tensor(h, seg, &t);
        }
    }
}
