#include "orchestrator/bench/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With what an executor keeps of each, some hundred bytes a node. */
enum { MOST_NODES = 5000000 };

/* The plan under construction, which takes the arrays of the recorded one in order. */
struct unroll {
    const struct plan *from;
    struct plan to;
    struct rounds rounds;
    bool *restored;  /* storages of `from` */
    uint32_t *sets;  /* args of a gate: pairs of views, destination and source */
    uint32_t nset;   /* pairs */
    uint32_t nsaved; /* of them, those that put back what is kept; they come first */
    uint32_t zeros;  /* storage of zeros, for windows */
    uint32_t *last;  /* by lane: its last node in the round before; PLAN_NONE */
    uint32_t nlane, nused;
};

/* --- what is put back ----------------------------------------------------- */

static void note_uses(const struct plan *p, uint8_t *reads, uint8_t *writes)
{
    for (uint32_t i = 0; i < p->nnode; i++) {
        for (uint64_t a = p->nodes[i].first_arg; a < p->nodes[i].first_arg + p->nodes[i].narg; a++) {
            const uint32_t tag = p->args[a].tag, storage = p->views[p->args[a].view].storage;

            /* Of an argument without dependencies nobody says what is done with it; inputs are not written. */
            reads[storage] |= plan_tag_reads(tag) || tag == PLAN_TAG_NO_DEP;
            writes[storage] |=
                plan_tag_writes(tag) || (tag == PLAN_TAG_NO_DEP && !(p->storages[storage].kind == PLAN_PARAM &&
                                                                     p->storages[storage].direction == PLAN_IN));
        }
    }
}

static int choose(struct unroll *u, struct error *err)
{
    const struct plan *p = u->from;
    uint8_t *reads = calloc(p->nstorage + UINT64_C(1), 1), *writes = calloc(p->nstorage + UINT64_C(1), 1);

    u->restored = calloc(p->nstorage + UINT64_C(1), sizeof *u->restored);
    if (!reads || !writes || !u->restored) {
        free(reads);
        free(writes);
        return error_nomem(err, "rounds", p->nstorage);
    }
    note_uses(p, reads, writes);
    for (uint32_t i = 0; i < p->nstorage; i++) {
        const struct plan_storage *s = &p->storages[i];

        if (s->kind == PLAN_WINDOW) {
            u->restored[i] = !u->rounds.options.keep_windows && s->nbytes;
        } else {
            u->restored[i] = !u->rounds.options.keep_state && s->nbytes && writes[i] &&
                             (reads[i] || (s->kind == PLAN_PARAM && s->direction == PLAN_INOUT));
        }
        u->rounds.nbytes += u->restored[i] ? s->nbytes : 0;
    }
    free(reads);
    free(writes);
    return 0;
}

/* --- arrays ---------------------------------------------------------------- */

/* A copy of `count` entries with room for `more`; never NULL but for want of memory. */
static void *grown(const void *from, uint64_t count, uint64_t more, size_t size)
{
    char *to = calloc(count + more + 1, size);

    if (to && count) {
        memcpy(to, from, count * size);
    }
    return to;
}

/* Everything but nodes and edges, with room for what is added: a storage, two views and two arguments for each that is
 * put back, and those of the gate that copies a byte. */
static int copy_arrays(struct unroll *u, struct error *err)
{
    const struct plan *p = u->from;
    const uint64_t more = p->nstorage + UINT64_C(4);
    struct plan *to = &u->to;

    *to = *p;
    to->image = NULL;
    to->storages = grown(p->storages, p->nstorage, more, sizeof *p->storages);
    to->views = grown(p->views, p->nview, 2 * more, sizeof *p->views);
    to->domains = grown(p->domains, p->ndomain, 0, sizeof *p->domains);
    to->buffers = grown(p->buffers, p->nbuffer, 0, sizeof *p->buffers);
    to->notes = grown(p->notes, p->nnote, 0, sizeof *p->notes);
    to->programs = grown(p->programs, p->nprogram, 0, sizeof *p->programs);
    to->subs = grown(p->subs, p->nsub, 0, sizeof *p->subs);
    to->cards = grown(p->cards, p->ncard, 0, sizeof *p->cards);
    to->args = grown(p->args, p->narg, 4 * more, sizeof *p->args);
    to->scalars = grown(p->scalars, p->nscalar, 0, sizeof *p->scalars);
    to->dims = grown(p->dims, p->ndim, 4 * more, sizeof *p->dims);
    to->text = grown(p->text, p->ntext, sizeof "kept for rounds", 1);
    to->nodes = NULL;
    to->preds = NULL;
    to->nnode = 0;
    to->npred = 0;
    if (!to->storages || !to->views || !to->domains || !to->buffers || !to->notes || !to->programs || !to->subs ||
        !to->cards || !to->args || !to->scalars || !to->dims || !to->text) {
        return error_nomem(err, "rounds", (p->narg + p->nstorage) * sizeof *p->args);
    }
    memcpy(to->text + to->ntext, "kept for rounds", sizeof "kept for rounds");
    to->ntext += sizeof "kept for rounds";
    return 0;
}

/* A temporary of zeros; returns its number. */
static uint32_t add_storage(struct unroll *u, uint64_t nbytes)
{
    struct plan *to = &u->to;

    to->storages[to->nstorage] = (struct plan_storage){.name = (uint32_t)u->from->ntext,
                                                       .kind = PLAN_TEMP,
                                                       .dtype = DTYPE_UINT8,
                                                       .ndim = 1,
                                                       .nbytes = nbytes,
                                                       .dims = to->ndim,
                                                       .domain = PLAN_NONE,
                                                       .card = PLAN_NONE};
    to->dims[to->ndim++] = (int64_t)nbytes;
    return to->nstorage++;
}

/* The first bytes of a storage; returns the view's number. */
static uint32_t add_view(struct unroll *u, uint32_t storage, uint64_t nbytes)
{
    struct plan *to = &u->to;

    to->views[to->nview] =
        (struct plan_view){.storage = storage, .dtype = DTYPE_UINT8, .ndim = 1, .offset = 0, .dims = to->ndim};
    to->dims[to->ndim++] = (int64_t)nbytes;
    to->dims[to->ndim++] = 1;
    return to->nview++;
}

static void add_set(struct unroll *u, uint32_t to, uint32_t from, uint64_t nbytes)
{
    u->sets[2 * u->nset] = add_view(u, to, nbytes);
    u->sets[2 * u->nset + 1] = add_view(u, from, nbytes);
    u->nset++;
}

/* What a gate copies. */
static int plan_gate(struct unroll *u, struct error *err)
{
    const struct plan *p = u->from;
    uint64_t window = 0;

    u->sets = calloc(2 * (p->nstorage + UINT64_C(2)), sizeof *u->sets);
    if (!u->sets) {
        return error_nomem(err, "rounds", 2 * (p->nstorage + UINT64_C(2)) * sizeof *u->sets);
    }
    for (uint32_t i = 0; i < p->nstorage; i++) {
        if (u->restored[i] && p->storages[i].kind != PLAN_WINDOW) {
            add_set(u, i, add_storage(u, p->storages[i].nbytes), p->storages[i].nbytes);
        } else if (u->restored[i]) {
            window = p->storages[i].nbytes > window ? p->storages[i].nbytes : window;
        }
    }
    u->nsaved = u->nset;
    if (window) {
        u->zeros = add_storage(u, window);
    }
    for (uint32_t i = 0; i < p->nstorage; i++) {
        if (u->restored[i] && p->storages[i].kind == PLAN_WINDOW) {
            add_set(u, i, u->zeros, p->storages[i].nbytes);
        }
    }
    if (u->nset == 0 && u->nused > 1) {
        const uint32_t byte = add_storage(u, 1);

        add_set(u, byte, add_storage(u, 1), 1);
    }
    return 0;
}

/* --- nodes ------------------------------------------------------------------ */

static int reserve_nodes(struct unroll *u, struct error *err)
{
    const struct plan *p = u->from;
    const struct rounds *r = &u->rounds;
    const uint64_t round = (uint64_t)r->nnode + r->ngate, nnode = r->nkept + r->total * round;
    const uint64_t npred = r->total * (p->npred + 2 * (uint64_t)u->nlane);

    if (nnode > MOST_NODES) {
        return error_set_kind(err, ERROR_USAGE, "--rounds", "ask for fewer rounds",
                              "%u rounds of %llu dispatches and copies are more than %d", r->total,
                              (unsigned long long)round, MOST_NODES);
    }
    u->to.nodes = calloc(nnode + 1, sizeof *u->to.nodes);
    u->to.preds = calloc(npred + 1, sizeof *u->to.preds);
    if (!u->to.nodes || !u->to.preds) {
        return error_nomem(err, "rounds", nnode * sizeof *u->to.nodes + npred * sizeof *u->to.preds);
    }
    return 0;
}

/* An edge that keeps rounds apart; the storage is of the gate, and nothing runs by it. */
static void add_pred(struct unroll *u, struct plan_node *node, uint32_t pred, uint32_t storage)
{
    u->to.preds[u->to.npred++] = (struct plan_pred){.node = pred, .why = PLAN_WAR, .storage = storage};
    node->npred++;
}

static struct plan_node *add_node(struct unroll *u, const struct plan_node *proto)
{
    struct plan_node *node = &u->to.nodes[u->to.nnode++];

    *node = *proto;
    node->npred = 0;
    node->first_pred = u->to.npred;
    return node;
}

/* The copies of a gate, or, before the first, those that keep what gates put back: with the sides changed. */
static void add_copies(struct unroll *u, uint32_t count, uint64_t first_arg)
{
    const struct plan_node copy = {.kind = PLAN_COPY,
                                   .lane = plan_host_lane(u->from),
                                   .group = PLAN_NONE,
                                   .k = PLAN_NONE,
                                   .narg = 2,
                                   .first_arg = first_arg};

    for (uint32_t i = 0; i < count; i++) {
        struct plan_node *node = add_node(u, &copy);
        const uint32_t gate = u->to.views[u->sets[0]].storage;

        node->first_arg += 2 * (uint64_t)i;
        for (uint32_t lane = 0; i == 0 && lane < u->nlane; lane++) {
            if (u->last[lane] != PLAN_NONE && lane != node->lane) {
                add_pred(u, node, u->last[lane], gate);
            }
        }
    }
}

static int by_node(const void *a, const void *b)
{
    const struct plan_pred *x = a, *y = b;

    return (x->node > y->node) - (x->node < y->node);
}

/* The nodes of a round, of which the first one of each lane waits for the gate before it. */
static void add_round(struct unroll *u, uint32_t round)
{
    const struct plan *p = u->from;
    const uint32_t first = rounds_node(&u->rounds, round, 0);

    for (uint32_t lane = 0; lane < u->nlane; lane++) {
        u->last[lane] = PLAN_NONE;
    }
    for (uint32_t i = 0; i < p->nnode; i++) {
        const struct plan_node *from = &p->nodes[i];
        struct plan_node *node = add_node(u, from);

        node->group = from->group == PLAN_NONE ? PLAN_NONE : from->group + round * p->ngroup;
        if (u->rounds.ngate && u->last[from->lane] == PLAN_NONE && from->lane != plan_host_lane(p)) {
            add_pred(u, node, first - 1, u->to.views[u->sets[0]].storage);
        }
        for (uint32_t e = 0; e < from->npred; e++) {
            const struct plan_pred *pred = &p->preds[from->first_pred + e];

            u->to.preds[u->to.npred++] = (struct plan_pred){first + pred->node, pred->why, pred->storage};
            node->npred++;
        }
        qsort(&u->to.preds[node->first_pred], node->npred, sizeof *u->to.preds, by_node);
        u->last[from->lane] = first + i;
    }
}

static int add_rounds(struct unroll *u, struct error *err)
{
    const uint64_t gate = u->to.narg, kept = gate + 2 * (uint64_t)u->nset;
    struct plan *to = &u->to;

    for (uint32_t i = 0; i < u->nset; i++) {
        to->args[gate + 2 * i] = (struct plan_arg){u->sets[2 * i], PLAN_TAG_OUTPUT_EXISTING};
        to->args[gate + 2 * i + 1] = (struct plan_arg){u->sets[2 * i + 1], PLAN_TAG_INPUT};
    }
    for (uint32_t i = 0; i < u->nsaved; i++) {
        to->args[kept + 2 * i] = (struct plan_arg){u->sets[2 * i + 1], PLAN_TAG_OUTPUT_EXISTING};
        to->args[kept + 2 * i + 1] = (struct plan_arg){u->sets[2 * i], PLAN_TAG_INPUT};
    }
    to->narg = kept + 2 * (uint64_t)u->nsaved;
    u->rounds.nkept = u->nsaved;
    u->rounds.ngate = u->nset;
    if (reserve_nodes(u, err) < 0) {
        return -1;
    }
    add_copies(u, u->nsaved, kept);
    for (uint32_t r = 0; r < u->rounds.total; r++) {
        add_copies(u, u->nset, gate);
        add_round(u, r);
    }
    to->ngroup = u->rounds.total * u->from->ngroup;
    for (uint32_t i = 0; i < to->ndomain; i++) {
        to->domains[i].end_node = to->nnode; /* it is used again in the last round */
    }
    return 0;
}

/* ---------------------------------------------------------------------------- */

static int unroll(struct unroll *u, struct error *err)
{
    u->nlane = plan_lane_count(u->from);
    u->last = calloc(u->nlane, sizeof *u->last);
    if (!u->last) {
        return error_nomem(err, "rounds", u->nlane * sizeof *u->last);
    }
    for (uint32_t lane = 0; lane < u->nlane; lane++) {
        u->last[lane] = PLAN_NONE;
        u->nused += plan_lane_is_used(u->from, lane);
    }
    return choose(u, err) < 0 || copy_arrays(u, err) < 0 || plan_gate(u, err) < 0 || add_rounds(u, err) < 0 ? -1 : 0;
}

int rounds_unroll(struct plan *plan, const struct rounds_options *options, struct rounds *out, struct error *err)
{
    struct unroll u = {
        .from = plan, .rounds = {.options = *options, .total = options->count + options->warmup, .nnode = plan->nnode}};
    int rc = unroll(&u, err);

    free(u.last);
    free(u.sets);
    free(u.restored);
    if (rc < 0) {
        plan_free(&u.to);
        return -1;
    }
    plan_free(plan);
    *plan = u.to;
    *out = u.rounds;
    return 0;
}
