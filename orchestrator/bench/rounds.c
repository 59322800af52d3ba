#include "orchestrator/bench/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/bench/pairs_order.h"
#include "orchestrator/bench/plan_room.h"

/* With what an executor keeps of each, some hundred bytes a node. */
enum { MOST_NODES = 5000000 };

/* A copy of a gate. */
struct set {
    uint32_t to, from; /* views */
    bool kept;         /* `from` is of a storage that keeps bytes, which it gets in the beginning */
};

/* The plan under construction, which takes the arrays of the recorded one in order. */
struct unroll {
    const struct plan *from;
    struct plan to;
    struct rounds rounds;
    bool *restored;   /* storages of `from` */
    struct set *sets; /* of all parts */
    uint32_t nset, nkept;
    uint32_t gates[ROUNDS_PARTS]; /* the first of its sets */
    uint32_t *last;               /* by lane: its last node in the round before; PLAN_NONE */
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
    }
    free(reads);
    free(writes);
    return 0;
}

/* --- what is added ----------------------------------------------------------- */

static const char kept_name[] = "kept for rounds";

/* Everything but nodes and edges, with room for what is added: a storage, two views and two arguments for each that is
 * put back, and those of the gates that copy a byte. */
static int copy_plan(struct unroll *u, struct error *err)
{
    const uint64_t more = u->from->nstorage + UINT64_C(4) * ROUNDS_PARTS;
    const struct plan_room room = {
        .storages = more, .views = 2 * more, .args = 4 * more, .dims = 5 * more, .text = sizeof kept_name};

    if (plan_room_copy(&u->to, u->from, &room, err) < 0) {
        return -1;
    }
    free(u->to.nodes);
    free(u->to.preds);
    u->to.nodes = NULL;
    u->to.preds = NULL;
    u->to.nnode = 0;
    u->to.npred = 0;
    memcpy(u->to.text + u->to.ntext, kept_name, sizeof kept_name);
    u->to.ntext += sizeof kept_name;
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

static void add_set(struct unroll *u, uint32_t to, uint32_t from, uint64_t nbytes, bool kept)
{
    struct set *set = &u->sets[u->nset++];

    set->to = add_view(u, to, nbytes);
    set->from = add_view(u, from, nbytes);
    set->kept = kept;
    u->nkept += kept;
}

/* What the gate of a part copies. */
static void plan_gate(struct unroll *u, uint32_t index)
{
    const struct plan *p = u->from;
    struct rounds_part *part = &u->rounds.parts[index];
    const uint32_t end = part->first_storage + part->nstorage;
    uint32_t zeros = PLAN_NONE;
    uint64_t window = 0;

    u->gates[index] = u->nset;
    part->nbytes = 0;
    for (uint32_t i = part->first_storage; i < end; i++) {
        const uint64_t nbytes = p->storages[i].nbytes;

        part->nbytes += u->restored[i] ? nbytes : 0;
        if (u->restored[i] && p->storages[i].kind != PLAN_WINDOW) {
            add_set(u, i, add_storage(u, nbytes), nbytes, true);
        } else if (u->restored[i]) {
            window = nbytes > window ? nbytes : window;
        }
    }
    if (window) {
        zeros = add_storage(u, window);
    }
    for (uint32_t i = part->first_storage; i < end; i++) {
        if (u->restored[i] && p->storages[i].kind == PLAN_WINDOW) {
            add_set(u, i, zeros, p->storages[i].nbytes, false);
        }
    }
    if (u->nset == u->gates[index] && u->nused > 1) {
        const uint32_t byte = add_storage(u, 1);

        add_set(u, byte, add_storage(u, 1), 1, false);
    }
    part->ngate = u->nset - u->gates[index];
}

static int plan_gates(struct unroll *u, struct error *err)
{
    const uint64_t most = u->from->nstorage + UINT64_C(2) * ROUNDS_PARTS;

    u->sets = calloc(most, sizeof *u->sets);
    if (!u->sets) {
        return error_nomem(err, "rounds", most * sizeof *u->sets);
    }
    for (uint32_t i = 0; i < u->rounds.npart; i++) {
        plan_gate(u, i);
    }
    return 0;
}

/* --- the order of rounds ------------------------------------------------------- */

static int order_rounds(struct unroll *u, struct error *err)
{
    struct rounds *r = &u->rounds;
    const uint64_t each = (uint64_t)r->options.count + r->options.warmup;
    uint64_t seed = r->options.seed;

    r->total = (uint32_t)(each * r->npart); /* of at most 1.1 million a part */
    r->firsts = calloc(r->total + UINT64_C(1), sizeof *r->firsts);
    r->part = calloc(r->total + UINT64_C(1), sizeof *r->part);
    if (!r->firsts || !r->part) {
        return error_nomem(err, "rounds", r->total * sizeof *r->firsts);
    }
    if (r->npart == 2) {
        seed = pairs_order(r->part, r->options.warmup, seed);
        pairs_order(r->part + 2 * (size_t)r->options.warmup, r->options.count, seed);
    }
    return 0;
}

/* --- nodes ------------------------------------------------------------------ */

static int reserve_nodes(struct unroll *u, struct error *err)
{
    const struct plan *p = u->from;
    const struct rounds *r = &u->rounds;
    uint64_t nnode = r->nkept, npred = 0;

    for (uint32_t i = 0; i < r->npart; i++) {
        nnode += r->total / r->npart * ((uint64_t)r->parts[i].nnode + r->parts[i].ngate);
        npred += r->total / r->npart * (p->npred + 2 * (uint64_t)u->nlane);
    }
    if (nnode > MOST_NODES) {
        return error_set_kind(err, ERROR_USAGE, "--rounds", "ask for fewer rounds",
                              "%u rounds have %llu dispatches and copies, more than %d", r->total,
                              (unsigned long long)nnode, MOST_NODES);
    }
    u->to.nodes = calloc(nnode + 1, sizeof *u->to.nodes);
    u->to.preds = calloc(npred + 1, sizeof *u->to.preds);
    if (!u->to.nodes || !u->to.preds) {
        return error_nomem(err, "rounds", nnode * sizeof *u->to.nodes + npred * sizeof *u->to.preds);
    }
    return 0;
}

/* An edge that keeps rounds apart; the storage is of the gate, and nothing runs by it. */
static void add_pred(struct unroll *u, struct plan_node *node, uint32_t pred)
{
    const uint32_t storage = u->to.views[u->sets[0].to].storage;

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

static int by_node(const void *a, const void *b)
{
    const struct plan_pred *x = a, *y = b;

    return (x->node > y->node) - (x->node < y->node);
}

/* `count` copies, whose arguments lie one after the other. The first waits for what all lanes did last. */
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

        node->first_arg += 2 * (uint64_t)i;
        for (uint32_t lane = 0; i == 0 && lane < u->nlane; lane++) {
            if (u->last[lane] != PLAN_NONE && lane != node->lane) {
                add_pred(u, node, u->last[lane]);
            }
        }
        qsort(&u->to.preds[node->first_pred], node->npred, sizeof *u->to.preds, by_node);
    }
}

/* The nodes of a round, of which the first one of each lane waits for the gate before it. */
static void add_round(struct unroll *u, uint32_t round)
{
    const struct plan *p = u->from;
    const struct rounds_part *part = &u->rounds.parts[u->rounds.part[round]];
    const uint32_t first = u->to.nnode;

    u->rounds.firsts[round] = first;
    for (uint32_t lane = 0; lane < u->nlane; lane++) {
        u->last[lane] = PLAN_NONE;
    }
    for (uint32_t i = 0; i < part->nnode; i++) {
        const struct plan_node *from = &p->nodes[part->first_node + i];
        struct plan_node *node = add_node(u, from);

        node->group = from->group == PLAN_NONE ? PLAN_NONE : from->group + round * p->ngroup;
        if (part->ngate && u->last[from->lane] == PLAN_NONE && from->lane != plan_host_lane(p)) {
            add_pred(u, node, first - 1);
        }
        for (uint32_t e = 0; e < from->npred; e++) {
            const struct plan_pred *pred = &p->preds[from->first_pred + e];

            u->to.preds[u->to.npred++] =
                (struct plan_pred){first + pred->node - part->first_node, pred->why, pred->storage};
            node->npred++;
        }
        u->last[from->lane] = first + i;
    }
}

/* The arguments of gates, in the order of sets, and of the nodes that keep bytes. Returns where the latter begin. */
static uint64_t add_args(struct unroll *u)
{
    struct plan *to = &u->to;
    const uint64_t kept = to->narg + 2 * (uint64_t)u->nset;
    struct plan_arg *gate = to->args + to->narg, *keep = to->args + kept;

    for (uint32_t i = 0; i < u->nset; i++) {
        const struct set *set = &u->sets[i];

        *gate++ = (struct plan_arg){set->to, PLAN_TAG_OUTPUT_EXISTING};
        *gate++ = (struct plan_arg){set->from, PLAN_TAG_INPUT};
        if (set->kept) {
            *keep++ = (struct plan_arg){set->from, PLAN_TAG_OUTPUT_EXISTING};
            *keep++ = (struct plan_arg){set->to, PLAN_TAG_INPUT};
        }
    }
    to->narg = kept + 2 * (uint64_t)u->nkept;
    return kept;
}

static int add_rounds(struct unroll *u, struct error *err)
{
    struct rounds *r = &u->rounds;
    const uint64_t gates = u->to.narg, kept = add_args(u);
    struct plan *to = &u->to;

    r->nkept = u->nkept;
    if (reserve_nodes(u, err) < 0) {
        return -1;
    }
    add_copies(u, u->nkept, kept);
    for (uint32_t i = 0; i < r->total; i++) {
        const uint32_t part = r->part[i];

        add_copies(u, r->parts[part].ngate, gates + 2 * (uint64_t)u->gates[part]);
        add_round(u, i);
    }
    to->ngroup = 0; /* the numbers of those that there are */
    for (uint32_t i = 0; i < to->nnode; i++) {
        to->ngroup = to->nodes[i].group == PLAN_NONE ? to->ngroup : to->nodes[i].group + 1;
    }
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
    return choose(u, err) < 0 || copy_plan(u, err) < 0 || plan_gates(u, err) < 0 || order_rounds(u, err) < 0 ||
                   add_rounds(u, err) < 0
               ? -1
               : 0;
}

int rounds_unroll(struct plan *plan, const struct rounds_options *options, const struct rounds_part *parts,
                  uint32_t npart, struct rounds *out, struct error *err)
{
    const struct rounds_part all = {.nnode = plan->nnode, .nstorage = plan->nstorage};
    struct unroll u = {.from = plan, .rounds = {.options = *options, .npart = parts ? npart : 1}};
    int rc;

    for (uint32_t i = 0; i < u.rounds.npart; i++) {
        u.rounds.parts[i] = parts ? parts[i] : all;
    }
    rc = unroll(&u, err);
    free(u.last);
    free(u.sets);
    free(u.restored);
    if (rc < 0) {
        rounds_free(&u.rounds);
        plan_free(&u.to);
        return -1;
    }
    plan_free(plan);
    *plan = u.to;
    *out = u.rounds;
    return 0;
}

void rounds_free(struct rounds *r)
{
    free(r->firsts);
    free(r->part);
    *r = (struct rounds){0};
}
