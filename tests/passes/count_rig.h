/*
 * count_rig - a plan whose numbers show how often it ran over the same bytes, for the device that counts.
 *
 * Two cards of one domain, int32, c the card and p its peer:
 *
 *   k = 0 on each card   acc[c] += a[c]; tmp[c] += a[c] (tmp begins as 3s); 1 is added to word 0 of every window
 *   k = 1 on each card   acc[c] += tmp[p]; seen[c] = word 0 of the card's window
 *   host copy            sum = acc
 *
 * Each k = 1 waits for the peer's k = 0. One run thus leaves acc = acc + a[c] + a[p] + 3 and seen = 2, and a second one
 * over what the first left would leave something else in each.
 */
#ifndef L3R_TESTS_PASSES_COUNT_RIG_H
#define L3R_TESTS_PASSES_COUNT_RIG_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/plan_build.h"
#include "common/plan/sheet.h"
#include "orchestrator/plan/edges.h"

/* Far more than can be under way between two processes. */
#define COUNT_LARGE_NBYTES (64 << 20)

enum { COUNT_CARDS = 2, COUNT_ROW = 4, COUNT_FILL = 3, COUNT_NODES = 5 };

/* Storages, in order. */
enum { COUNT_A, COUNT_ACC, COUNT_SEEN, COUNT_SUM, COUNT_TMP };

/* What a dispatch's second scalar asks for; the faults are those of card 1's first dispatch. */
enum count_request {
    COUNT_SIGNAL = 1,       /* add 1 to word 0 of every window of the domain */
    COUNT_FAIL_GRAPH = 2,   /* fail (kind FAIL) when dep-gen alone is on */
    COUNT_FAIL_OTHER = 4,   /* fail when something else is on */
    COUNT_SLEEP_GRAPH = 8,  /* do not return when dep-gen alone is on */
    COUNT_SLEEP_OTHER = 16, /* do not return when something else is on */
    COUNT_LARGE = 32,       /* leave a file of COUNT_LARGE_NBYTES among the profiles */
};

static inline int count_storages(struct plan_builder *b, struct error *err)
{
    const int64_t rows[] = {COUNT_CARDS, COUNT_ROW}, cards[] = {COUNT_CARDS};
    const uint32_t workers[] = {0, 1};
    struct plan_storage s = {.kind = PLAN_PARAM,
                             .dtype = DTYPE_INT32,
                             .ndim = 2,
                             .direction = PLAN_IN,
                             .nbytes = COUNT_CARDS * COUNT_ROW * 4,
                             .domain = PLAN_NONE,
                             .card = PLAN_NONE};
    struct plan_storage seen = s, acc = s, sum = s, tmp = s;

    acc.direction = PLAN_INOUT;
    seen.direction = sum.direction = PLAN_OUT;
    seen.ndim = 1;
    seen.nbytes = COUNT_CARDS * 4;
    tmp.kind = PLAN_TEMP;
    tmp.fill = COUNT_FILL;
    return plan_add_storage(b, &s, "a", rows, NULL, err) < 0 || plan_add_storage(b, &acc, "acc", rows, NULL, err) < 0 ||
                   plan_add_storage(b, &seen, "seen", cards, NULL, err) < 0 ||
                   plan_add_storage(b, &sum, "sum", rows, NULL, err) < 0 ||
                   plan_add_storage(b, &tmp, "tmp", rows, NULL, err) < 0 ||
                   plan_add_domain(b, "comm", workers, COUNT_CARDS, 64, NULL, err) < 0
               ? -1
               : 0;
}

/* Row `card` of a storage, or its one element of that number. */
static inline int count_arg(struct plan_builder *b, uint32_t storage, uint32_t card, uint32_t tag, struct plan_arg *out,
                            struct error *err)
{
    const int64_t shape[] = {storage == COUNT_SEEN ? 1 : COUNT_ROW}, stride[] = {1};

    out->tag = tag;
    return plan_add_view(b, storage, DTYPE_INT32, card * (uint64_t)shape[0], 1, shape, stride, &out->view, err);
}

static inline int count_dispatch(struct plan_builder *b, uint32_t card, uint32_t k, uint64_t request, struct error *err)
{
    const struct plan_scalar scalars[] = {{.kind = PLAN_DEVICE_CTX, .domain = 0, .card = card}, {.bits = request}};
    struct plan_node node = {
        .kind = PLAN_DISPATCH, .lane = card, .group = PLAN_NONE, .k = k, .line = 10 + k, .narg = 3, .nscalar = 2};
    struct plan_arg args[3];

    if (plan_add_program(b, k ? "gather" : "add", &node.program, err) < 0 ||
        count_arg(b, k ? COUNT_TMP : COUNT_A, k ? 1 - card : card, PLAN_TAG_INPUT, &args[0], err) < 0 ||
        count_arg(b, COUNT_ACC, card, PLAN_TAG_INOUT, &args[1], err) < 0 ||
        count_arg(b, k ? COUNT_SEEN : COUNT_TMP, card, k ? PLAN_TAG_OUTPUT_EXISTING : PLAN_TAG_INOUT, &args[2], err) <
            0) {
        return -1;
    }
    return plan_add_node(b, &node, args, scalars, NULL, err);
}

static inline int count_copy(struct plan_builder *b, struct error *err)
{
    const int64_t shape[] = {COUNT_CARDS, COUNT_ROW}, stride[] = {COUNT_ROW, 1};
    const struct plan_node node = {
        .kind = PLAN_COPY, .lane = COUNT_CARDS, .group = PLAN_NONE, .k = PLAN_NONE, .line = 20, .narg = 2};
    struct plan_arg args[2] = {{.tag = PLAN_TAG_OUTPUT_EXISTING}, {.tag = PLAN_TAG_INPUT}};

    if (plan_add_view(b, COUNT_SUM, DTYPE_INT32, 0, 2, shape, stride, &args[0].view, err) < 0 ||
        plan_add_view(b, COUNT_ACC, DTYPE_INT32, 0, 2, shape, stride, &args[1].view, err) < 0) {
        return -1;
    }
    return plan_add_node(b, &node, args, NULL, NULL, err);
}

/* The plan with its edges; `faults` is a set of enum count_request. Free it with plan_free(). */
static inline int count_plan(struct plan *plan, uint64_t faults, struct error *err)
{
    struct plan_builder *b = plan_builder_new(COUNT_CARDS, err);
    int rc = b ? count_storages(b, err) : -1;

    for (uint32_t i = 0; i < 4 && rc == 0; i++) {
        rc = count_dispatch(b, i % 2, i / 2, i < 2 ? COUNT_SIGNAL | (i == 1 ? faults : 0) : 0, err);
    }
    if (rc < 0 || count_copy(b, err) < 0) {
        plan_builder_free(b);
        return -1;
    }
    plan_builder_finish(b, plan);
    return edges_compile(plan, DEPS_EXACT, err);
}

/* Its sheet, malloc'd: programs by name, of which the device needs no more. */
static inline char *count_sheet(struct error *err)
{
    struct program program = {.function_name = (char[]){"f"}, .config_name = (char[]){"c"}};
    char names[][8] = {"add", "gather"};
    struct sheet_writer *w = sheet_writer_new(err);

    for (int i = 0; w && i < 2; i++) {
        program.name = names[i];
        if (sheet_write(w, &program, "none", NULL, err) < 0) {
            sheet_writer_free(w);
            return NULL;
        }
    }
    return w ? sheet_writer_text(w, err) : NULL;
}

#endif
