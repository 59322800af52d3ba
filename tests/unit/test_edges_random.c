/* Edges of random small plans against an oracle that looks at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "orchestrator/plan/edges.h"
#include "tests/support/byte_plan.h"

enum { MAX_NODES = 40, MAX_STORAGES = 24, STORAGE_BYTES = 64 };

static uint32_t seed = 1;

static uint32_t pick(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 1) * below) >> 31);
}

/* Mostly boxes of the storage's shape; sometimes steps, and sometimes anything. */
static uint32_t random_view(struct plan_builder *b, uint32_t storage)
{
    const struct plan *p = plan_builder_plan(b);
    const struct plan_storage *s = &p->storages[storage];
    int64_t shape[PLAN_MAX_DIMS], stride[PLAN_MAX_DIMS], pitch = 1;
    uint64_t offset = 0;

    if (pick(8) == 0) {
        shape[0] = 1 + pick(4);
        stride[0] = 1 + pick(15);
        return byte_plan_view(b, storage, pick(3), 1, shape, stride);
    }
    for (uint32_t d = s->ndim; d-- > 0;) {
        int64_t size = p->dims[s->dims + d];
        int64_t low = pick(3) ? 0 : (int64_t)pick((uint32_t)size);
        int64_t step = pick(6) ? 1 : 2;

        shape[d] = low == 0 && pick(2) ? size : 1 + (int64_t)pick((uint32_t)(size - low));
        if (step == 2) {
            shape[d] = (shape[d] + 1) / 2;
        }
        stride[d] = pitch * step;
        offset += (uint64_t)(low * pitch);
        pitch *= size;
    }
    return byte_plan_view(b, storage, offset, s->ndim, shape, stride);
}

static void random_storages(struct plan_builder *b)
{
    static const int64_t shapes[][5] = {{64}, {8, 8}, {4, 4, 4}, {4, 2, 2, 2, 2}, {2, 32}, {16, 4}};
    static const uint32_t ndims[] = {1, 2, 3, 5, 2, 2};
    uint32_t n = 1 + pick(3);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = pick(6);

        byte_plan_storage(b, ndims[k], shapes[k], STORAGE_BYTES);
    }
}

struct context {
    struct plan_builder *b;
    uint32_t live[4], nlive; /* domains that have not ended */
    uint32_t group, group_left;
};

static void random_domains(struct context *c)
{
    struct error err;

    if (c->nlive < 3 && plan_builder_plan(c->b)->ndomain < 4 && pick(6) == 0) {
        uint32_t workers[8], n = plan_builder_plan(c->b)->world_size;

        for (uint32_t i = 0; i < n; i++) {
            workers[i] = i;
        }
        byte_plan_must(plan_add_domain(c->b, "comm", workers, n, STORAGE_BYTES, &c->live[c->nlive++], &err), &err);
    } else if (c->nlive > 0 && pick(6) == 0) {
        byte_plan_must(plan_end_domain(c->b, c->live[--c->nlive], &err), &err);
    }
}

static bool usable(const struct context *c, uint32_t storage)
{
    const struct plan_storage *s = &plan_builder_plan(c->b)->storages[storage];

    for (uint32_t i = 0; i < c->nlive; i++) {
        if (c->live[i] == s->domain) {
            return true;
        }
    }
    return s->kind != PLAN_WINDOW;
}

static void random_node(struct context *c)
{
    const struct plan *p = plan_builder_plan(c->b);
    struct plan_node n = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .k = PLAN_NONE};
    struct plan_scalar scalar = {.kind = PLAN_DEVICE_CTX};
    struct plan_arg args[4];
    struct error err;
    uint32_t kind = c->group_left ? 0 : pick(8);

    n.lane = pick(p->world_size);
    n.narg = 1 + pick(3);
    if (kind == 7) {
        n.kind = PLAN_SUB;
        n.lane = p->world_size + 1;
        byte_plan_must(plan_add_sub(c->b, "check", &n.program, &err), &err);
    } else {
        byte_plan_must(plan_add_program(c->b, "chip", &n.program, &err), &err);
    }
    for (uint32_t i = 0; i < n.narg; i++) {
        uint32_t storage;

        do {
            storage = pick(p->nstorage);
        } while (!usable(c, storage));
        args[i].view = random_view(c->b, storage);
        args[i].tag = pick(12) == 0 ? PLAN_TAG_NO_DEP : pick(4);
    }
    if (kind == 6) {
        n.kind = PLAN_COPY;
        n.lane = p->world_size;
        n.program = 0;
        n.narg = n.nscalar = 1;
        scalar.kind = PLAN_VALUE;
        args[0].tag = PLAN_TAG_OUTPUT_EXISTING;
    } else if (c->nlive > 0 && n.kind == PLAN_DISPATCH && pick(3) == 0) {
        n.nscalar = 1;
        scalar.domain = c->live[pick(c->nlive)];
    }
    if (n.kind == PLAN_DISPATCH && c->group_left == 0 && pick(8) == 0) {
        c->group_left = 2 + pick(3);
    }
    if (c->group_left) {
        n.group = c->group;
        if (--c->group_left == 0) {
            c->group++;
        }
    }
    byte_plan_must(plan_add_node(c->b, &n, args, &scalar, NULL, &err), &err);
}

static void random_plan(struct plan *out, uint32_t nnode)
{
    struct error err;
    struct context c = {.b = plan_builder_new(1 + pick(4), &err)};

    assert_non_null(c.b);
    random_storages(c.b);
    for (uint32_t i = 0; i < nnode; i++) {
        random_domains(&c);
        random_node(&c);
    }
    plan_builder_finish(c.b, out);
}

/* --- the oracle --- */

/* By node and storage, for each byte: bit 0 read, bit 1 written. */
static uint8_t touched[MAX_NODES][MAX_STORAGES][STORAGE_BYTES];

static void touch(const struct plan *p, uint8_t *map, const struct plan_view *v, uint8_t bits, uint32_t dim,
                  uint64_t at)
{
    if (dim == v->ndim) {
        map[at] |= bits;
        return;
    }
    for (int64_t i = 0; i < p->dims[v->dims + dim]; i++) {
        touch(p, map, v, bits, dim + 1, at + (uint64_t)(i * p->dims[v->dims + v->ndim + dim]));
    }
}

static void touch_all(const struct plan *p)
{
    assert_true(p->nstorage <= MAX_STORAGES && p->nnode <= MAX_NODES);
    memset(touched, 0, sizeof touched);
    for (uint32_t i = 0; i < p->nnode; i++) {
        for (uint32_t j = 0; j < p->nodes[i].narg; j++) {
            const struct plan_arg *a = &p->args[p->nodes[i].first_arg + j];
            static const uint8_t bits[] = {1, 2, 3, 2, 0};

            touch(p, touched[i][p->views[a->view].storage], &p->views[a->view], bits[a->tag], 0,
                  p->views[a->view].offset);
        }
    }
}

static bool uses(const struct plan *p, const struct plan_node *n, uint32_t domain)
{
    for (uint32_t i = 0; i < n->narg; i++) {
        if (p->storages[p->views[p->args[n->first_arg + i].view].storage].domain == domain) {
            return true;
        }
    }
    for (uint32_t i = 0; i < n->nscalar; i++) {
        if (p->scalars[n->first_scalar + i].kind != PLAN_VALUE && p->scalars[n->first_scalar + i].domain == domain) {
            return true;
        }
    }
    return false;
}

/* Why `late` must wait for `early` (in `storage`, or anywhere when it is PLAN_NONE); 0: it need not. */
static uint32_t required(const struct plan *p, uint32_t early, uint32_t late, uint32_t storage, enum deps_mode mode)
{
    const struct plan_node *a = &p->nodes[early], *b = &p->nodes[late];
    uint32_t why = 0;

    if (a->group != PLAN_NONE && a->group == b->group) {
        return 0;
    }
    for (uint32_t s = 0; s < p->nstorage; s++) {
        for (uint32_t i = 0; i < STORAGE_BYTES; i++) {
            uint8_t x = touched[early][s][i], y = touched[late][s][i];

            if (storage != PLAN_NONE && s != storage) {
                continue;
            }
            why |= ((x & 2) && (y & 1) ? PLAN_RAW : 0u) | ((x & 1) && (y & 2) ? PLAN_WAR : 0u) |
                   ((x & 2) && (y & 2) ? PLAN_WAW : 0u);
        }
    }
    if (mode == DEPS_UPSTREAM) {
        why &= PLAN_RAW;
    }
    if (mode == DEPS_EXACT && a->kind == PLAN_DISPATCH && b->kind == PLAN_DISPATCH && a->lane != b->lane) {
        for (uint32_t d = 0; d < p->ndomain; d++) {
            if (uses(p, a, d) && uses(p, b, d)) {
                why &= PLAN_RAW;
            }
        }
    }
    return why;
}

/* Ancestors of each node as bits, by the order of lanes and all edges but number `without`. */
static void ancestors(const struct plan *p, uint64_t without, uint64_t *out)
{
    for (uint32_t i = 0; i < p->nnode; i++) {
        out[i] = 0;
        for (uint32_t j = 0; j < i; j++) {
            if (p->nodes[j].lane == p->nodes[i].lane) {
                out[i] |= out[j] | UINT64_C(1) << j;
            }
        }
        for (uint32_t j = 0; j < p->nodes[i].npred; j++) {
            uint64_t edge = p->nodes[i].first_pred + j;

            if (edge != without) {
                out[i] |= out[p->preds[edge].node] | UINT64_C(1) << p->preds[edge].node;
            }
        }
    }
}

static void check_edges_of(const struct plan *p, uint32_t node, enum deps_mode mode)
{
    const struct plan_node *n = &p->nodes[node];

    for (uint64_t e = n->first_pred; e < n->first_pred + n->npred; e++) {
        const struct plan_pred *pred = &p->preds[e];
        uint64_t without[MAX_NODES];
        uint32_t why = required(p, pred->node, node, PLAN_NONE, mode);

        assert_true(pred->node < node && (e == n->first_pred || pred[-1].node < pred->node));
        assert_true(pred->why != 0 && (pred->why & ~why) == 0);
        assert_true(required(p, pred->node, node, pred->storage, mode) != 0);
        ancestors(p, e, without);
        if (without[node] >> pred->node & 1) {
            fail_msg("the edge %u -> %u is implied", pred->node, node);
        }
    }
}

static void check_plan(const struct plan *p, enum deps_mode mode)
{
    uint64_t before[MAX_NODES];

    ancestors(p, UINT64_MAX, before);
    for (uint32_t late = 0; late < p->nnode; late++) {
        for (uint32_t early = 0; early < late; early++) {
            if (required(p, early, late, PLAN_NONE, mode) && !(before[late] >> early & 1)) {
                fail_msg("nothing orders %u before %u in mode %d", early, late, (int)mode);
            }
        }
        check_edges_of(p, late, mode);
    }
}

static void test_random_plans(void **state)
{
    uint64_t nedge = 0;

    (void)state;
    log_set_level(LOG_NULL);
    for (uint32_t round = 0; round < 4000; round++) {
        struct plan p;
        struct error err;

        seed = round * 7919 + 1;
        random_plan(&p, round % 10 == 0 ? MAX_NODES : 2 + pick(18));
        byte_plan_must(plan_check(&p, &err), &err);
        touch_all(&p);
        for (int mode = DEPS_EXACT; mode <= DEPS_UPSTREAM; mode++) {
            byte_plan_must(edges_compile(&p, (enum deps_mode)mode, &err), &err);
            byte_plan_must(plan_check(&p, &err), &err);
            check_plan(&p, (enum deps_mode)mode);
            nedge += p.npred;
        }
        plan_free(&p);
    }
    assert_true(nedge > 10000);
    log_set_level(LOG_TIMING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
