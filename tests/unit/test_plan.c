/* Building, packing and unpacking a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "common/plan/plan_view.h"
#include "orchestrator/plan/edges.h"

static void must(int rc, const struct error *err)
{
    if (rc) {
        fail_msg("%s", err->what);
    }
}

/* A small plan with a bit of everything. */
static struct plan_builder *small(void)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(2, &err);
    struct plan_storage s = {.kind = PLAN_PARAM,
                             .dtype = DTYPE_FLOAT32,
                             .ndim = 2,
                             .nbytes = 4 * 8 * 4,
                             .domain = PLAN_NONE,
                             .card = PLAN_NONE,
                             .direction = PLAN_INOUT};
    int64_t shape[2] = {4, 8}, stride[2] = {8, 1}, row[1] = {8}, one[1] = {1};
    uint32_t workers[2] = {1, 0}, storage, domain, views[3], program, sub;
    struct plan_node n = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .k = 0, .line = 12, .narg = 2, .nscalar = 1};
    struct plan_scalar ctx = {.kind = PLAN_DEVICE_CTX};
    struct plan_arg args[2];

    assert_non_null(b);
    must(plan_add_note(b, "a note", &err), &err);
    must(plan_add_storage(b, &s, "x", shape, &storage, &err), &err);
    must(plan_add_domain(b, "comm", workers, 2, 64, &domain, &err), &err);
    must(plan_add_buffer(b, "buf", 16, 48, &err), &err);
    must(plan_add_view(b, storage, DTYPE_FLOAT32, 0, 2, shape, stride, &views[0], &err), &err);
    must(plan_add_view(b, storage, DTYPE_FLOAT32, 8, 1, row, one, &views[1], &err), &err);
    must(plan_add_view(b, storage + 1, DTYPE_INT8, 3, 1, row, one, &views[2], &err), &err);
    must(plan_add_program(b, "chip", &program, &err), &err);
    must(plan_add_sub(b, "verify", &sub, &err), &err);
    args[0] = (struct plan_arg){views[1], PLAN_TAG_INOUT};
    args[1] = (struct plan_arg){views[2], PLAN_TAG_OUTPUT};
    ctx.domain = domain;
    ctx.card = n.lane = 1;
    must(plan_add_node(b, &n, args, &ctx, NULL, &err), &err);
    must(plan_end_domain(b, domain, &err), &err);
    args[0] = (struct plan_arg){views[1], PLAN_TAG_OUTPUT_EXISTING};
    args[1] = (struct plan_arg){views[1], PLAN_TAG_INPUT};
    n = (struct plan_node){.kind = PLAN_COPY, .lane = 2, .group = PLAN_NONE, .k = PLAN_NONE, .narg = 2};
    must(plan_add_node(b, &n, args, NULL, NULL, &err), &err);
    args[0] = (struct plan_arg){views[0], PLAN_TAG_INPUT};
    n = (struct plan_node){.kind = PLAN_SUB, .lane = 3, .group = PLAN_NONE, .k = PLAN_NONE, .line = 3, .narg = 1};
    must(plan_add_node(b, &n, args, NULL, NULL, &err), &err);
    return b;
}

static void compiled(struct plan *p)
{
    struct error err;

    plan_builder_finish(small(), p);
    must(edges_compile(p, DEPS_EXACT, &err), &err);
    assert_int_equal(p->npred, 2);
}

static void test_labels_and_extents(void **state)
{
    char text[128];
    struct plan p;

    (void)state;
    compiled(&p);
    assert_string_equal(plan_node_label(&p, 0, text, sizeof text), "dispatch 0 (chip on card 1, host_orch.py:12)");
    assert_string_equal(plan_node_label(&p, 1, text, sizeof text), "host copy 1");
    assert_string_equal(plan_node_label(&p, 2, text, sizeof text), "sub-worker call 2 (verify, host_orch.py:3)");
    assert_string_equal(plan_node_label(&p, 0, text, 9), "dispatch");
    assert_int_equal(plan_view_tensor(&p, &p.views[0]).nbytes, 128);
    assert_int_equal(plan_view_tensor(&p, &p.views[1]).nbytes, 32);
    assert_int_equal(plan_view_tensor(&p, &p.views[2]).nbytes, 8);
    plan_free(&p);
}

static void test_builder_refuses(void **state)
{
    struct error err;
    struct plan_builder *b = small();
    struct plan_node n = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .k = PLAN_NONE, .lane = 2};
    struct plan_arg arg = {99, PLAN_TAG_INPUT};
    int64_t big[2] = {5, 8}, negative[2] = {-1, 8}, stride[2] = {8, 1};
    uint32_t before = plan_builder_plan(b)->nnode;

    (void)state;
    assert_int_equal(plan_add_view(b, 0, DTYPE_FLOAT32, 0, 2, big, stride, NULL, &err), -1);
    assert_int_equal(plan_add_view(b, 0, DTYPE_FLOAT32, 0, 2, negative, stride, NULL, &err), -1);
    assert_int_equal(plan_add_view(b, 3, DTYPE_FLOAT32, 0, 0, NULL, NULL, NULL, &err), -1);
    assert_int_equal(plan_add_node(b, &n, NULL, NULL, NULL, &err), -1);
    assert_non_null(strstr(err.what, "card 2"));
    n.lane = 0;
    n.narg = 1;
    assert_int_equal(plan_add_node(b, &n, &arg, NULL, NULL, &err), -1);
    arg = (struct plan_arg){0, PLAN_TAG_COUNT};
    assert_int_equal(plan_add_node(b, &n, &arg, NULL, NULL, &err), -1);
    assert_non_null(strstr(err.what, "unknown tag"));
    n.narg = 0;
    n.program = 1;
    assert_int_equal(plan_add_node(b, &n, NULL, NULL, NULL, &err), -1);
    n.program = 0;
    n.kind = 3;
    assert_int_equal(plan_add_node(b, &n, NULL, NULL, NULL, &err), -1);
    n.kind = PLAN_COPY;
    n.lane = 2;
    assert_int_equal(plan_add_node(b, &n, NULL, NULL, NULL, &err), -1);
    assert_int_equal(plan_end_domain(b, 0, &err), -1);
    assert_int_equal(plan_builder_plan(b)->nnode, before);
    plan_builder_free(b);
    assert_null(plan_builder_new(0, &err));
}

/* Each limit itself is possible, and one more is not. */
static void test_limits_are_possible(void **state)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(PLAN_MAX_MEMBERS + 1, &err);
    struct plan_storage s = {
        .kind = PLAN_TEMP, .dtype = DTYPE_UINT8, .ndim = 1, .domain = PLAN_NONE, .card = PLAN_NONE};
    struct plan_node n = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .k = PLAN_NONE, .narg = 1};
    struct plan_arg arg = {0, PLAN_TAG_COUNT - 1};
    uint32_t workers[PLAN_MAX_MEMBERS + 1];
    int64_t size = (int64_t)PLAN_MAX_BYTES, one = 1, ones[PLAN_MAX_DIMS + 1];

    (void)state;
    assert_non_null(b);
    for (uint32_t i = 0; i <= PLAN_MAX_MEMBERS; i++) {
        workers[i] = i;
    }
    for (uint32_t i = 0; i <= PLAN_MAX_DIMS; i++) {
        ones[i] = 1;
    }
    s.nbytes = PLAN_MAX_BYTES;
    must(plan_add_storage(b, &s, "largest", &size, NULL, &err), &err);
    size++;
    s.nbytes++;
    assert_int_equal(plan_add_storage(b, &s, "larger", &size, NULL, &err), -1);
    must(plan_add_domain(b, "all", workers, PLAN_MAX_MEMBERS, 8, NULL, &err), &err);
    assert_int_equal(plan_add_domain(b, "more", workers, PLAN_MAX_MEMBERS + 1, 8, NULL, &err), -1);
    assert_int_equal(plan_add_domain(b, "none", workers, 0, 8, NULL, &err), -1);
    must(plan_add_buffer(b, "whole", 0, 8, &err), &err);
    must(plan_add_buffer(b, "nothing", 8, 0, &err), &err);
    assert_int_equal(plan_add_buffer(b, "beyond", 8, 1, &err), -1);
    assert_int_equal(plan_add_buffer(b, "outside", 9, 0, &err), -1);
    /* The last byte of the first window, and the one after it. */
    must(plan_add_view(b, 1, DTYPE_UINT8, 7, 1, &one, &one, NULL, &err), &err);
    assert_int_equal(plan_add_view(b, 1, DTYPE_UINT8, 8, 1, &one, &one, NULL, &err), -1);
    must(plan_add_view(b, 1, DTYPE_UINT8, 0, PLAN_MAX_DIMS, ones, ones, NULL, &err), &err);
    assert_int_equal(plan_add_view(b, 1, DTYPE_UINT8, 0, PLAN_MAX_DIMS + 1, ones, ones, NULL, &err), -1);
    must(plan_add_program(b, "chip", NULL, &err), &err);
    n.lane = PLAN_MAX_MEMBERS;
    must(plan_add_node(b, &n, &arg, NULL, NULL, &err), &err);
    n.lane++;
    assert_int_equal(plan_add_node(b, &n, &arg, NULL, NULL, &err), -1);
    /* The domain ends before node 1. */
    must(plan_end_domain(b, 0, &err), &err);
    n.lane = 0;
    assert_int_equal(plan_add_node(b, &n, &arg, NULL, NULL, &err), -1);
    assert_non_null(strstr(err.what, "after its end"));
    plan_builder_free(b);
}

/* The members of a group are one run of nodes. */
static void test_groups_are_runs(void **state)
{
    struct error err;
    struct plan_builder *b = small();
    struct plan_node n = {.kind = PLAN_DISPATCH, .k = PLAN_NONE};
    static const struct {
        uint32_t group;
        int rc;
    } steps[] = {{0, 0}, {0, 0}, {3, 0}, {0, -1}, {3, 0}, {PLAN_NONE, 0}, {3, -1}, {4, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        n.group = steps[i].group;
        assert_int_equal(plan_add_node(b, &n, NULL, NULL, NULL, &err), steps[i].rc);
    }
    plan_builder_free(b);
}

#define SAME(p, q, count, array)                                                                                       \
    do {                                                                                                               \
        assert_int_equal((p)->count, (q)->count);                                                                      \
        assert_memory_equal((p)->array, (q)->array, (p)->count * sizeof *(p)->array);                                  \
    } while (0)

static void test_pack_and_unpack(void **state)
{
    struct plan p, q;
    struct error err;
    size_t nbytes;
    void *block;

    (void)state;
    compiled(&p);
    must(plan_pack(&p, &block, &nbytes, &err), &err);
    must(plan_unpack(&q, block, nbytes, true, &err), &err);
    assert_int_equal(p.world_size, q.world_size);
    SAME(&p, &q, nstorage, storages);
    SAME(&p, &q, nview, views);
    SAME(&p, &q, ndomain, domains);
    SAME(&p, &q, nbuffer, buffers);
    SAME(&p, &q, nnote, notes);
    SAME(&p, &q, nprogram, programs);
    SAME(&p, &q, nsub, subs);
    SAME(&p, &q, nnode, nodes);
    SAME(&p, &q, ncard, cards);
    SAME(&p, &q, narg, args);
    SAME(&p, &q, nscalar, scalars);
    SAME(&p, &q, npred, preds);
    SAME(&p, &q, ndim, dims);
    SAME(&p, &q, ntext, text);
    assert_int_equal(edges_compile(&q, DEPS_FULL, &err), -1);
    plan_free(&p);
    plan_free(&q);
    assert_null(q.image);
}

static void test_short_and_strange_blocks(void **state)
{
    struct plan p, q;
    struct error err;
    size_t nbytes;
    void *block;

    (void)state;
    compiled(&p);
    must(plan_pack(&p, &block, &nbytes, &err), &err);
    for (size_t cut = 0; cut < nbytes; cut += 8) {
        assert_int_equal(plan_unpack(&q, block, cut, false, &err), -1);
    }
    assert_int_equal(plan_unpack(&q, (char *)block + 8, nbytes - 8, false, &err), -1);
    ((char *)block)[0] ^= 1;
    assert_int_equal(plan_unpack(&q, block, nbytes, false, &err), -1);
    assert_non_null(strstr(err.what, "another version"));
    free(block);
    plan_free(&p);
}

/* Walk over everything a reader of the plan would follow: the sanitizer sees any index that leads astray. */
static uint64_t walk(const struct plan *p)
{
    uint64_t sum = 0;
    char text[64];

    for (uint32_t i = 0; i < p->nview; i++) {
        sum += plan_view_tensor(p, &p->views[i]).nbytes + p->storages[p->views[i].storage].nbytes;
    }
    for (uint32_t i = 0; i < p->nstorage; i++) {
        sum += strlen(plan_text(p, p->storages[i].name));
    }
    for (uint32_t i = 0; i < p->nnode; i++) {
        const struct plan_node *n = &p->nodes[i];

        sum += strlen(plan_node_label(p, i, text, sizeof text));
        for (uint32_t j = 0; j < n->narg; j++) {
            sum += p->views[p->args[n->first_arg + j].view].ndim;
        }
        for (uint32_t j = 0; j < n->nscalar; j++) {
            if (p->scalars[n->first_scalar + j].kind != PLAN_VALUE) {
                sum += p->domains[p->scalars[n->first_scalar + j].domain].nworkers;
            }
        }
        for (uint32_t j = 0; j < n->npred; j++) {
            sum += p->nodes[p->preds[n->first_pred + j].node].lane;
        }
    }
    for (uint32_t i = 0; i < p->ndomain; i++) {
        for (uint32_t j = 0; j < p->domains[i].nworkers; j++) {
            sum += p->storages[p->domains[i].first_storage + j].nbytes + p->cards[p->domains[i].first_worker + j];
        }
    }
    return sum;
}

/* Whatever single byte of a packed plan is damaged, unpacking refuses it or gives a plan that can be walked. */
static void test_damaged_blocks(void **state)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff, 0x40};
    struct plan p, q;
    struct error err;
    size_t nbytes, refused = 0;
    uint64_t sum = 0;
    void *block;

    (void)state;
    compiled(&p);
    must(plan_pack(&p, &block, &nbytes, &err), &err);
    for (size_t at = 0; at < nbytes; at++) {
        for (size_t m = 0; m < sizeof masks; m++) {
            ((uint8_t *)block)[at] ^= masks[m];
            if (plan_unpack(&q, block, nbytes, false, &err) == 0) {
                sum += walk(&q);
            } else {
                refused++;
            }
            ((uint8_t *)block)[at] ^= masks[m];
        }
    }
    assert_true(refused > 1000 && sum > 0);
    free(block);
    plan_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_and_extents),  cmocka_unit_test(test_builder_refuses),
        cmocka_unit_test(test_limits_are_possible), cmocka_unit_test(test_groups_are_runs),
        cmocka_unit_test(test_pack_and_unpack),     cmocka_unit_test(test_short_and_strange_blocks),
        cmocka_unit_test(test_damaged_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
