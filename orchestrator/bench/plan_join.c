#include "orchestrator/bench/plan_join.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/bench/plan_room.h"

/* The number of the second plan's first storage. */
static uint32_t behind(const struct plan *a)
{
    return (a->nstorage + PLAN_JOIN_ALIGN - 1) / PLAN_JOIN_ALIGN * PLAN_JOIN_ALIGN;
}

/* --- parameters ------------------------------------------------------------------ */

static uint32_t find_param(const struct plan *a, const char *name)
{
    for (uint32_t i = 0; i < a->nstorage; i++) {
        if (a->storages[i].kind == PLAN_PARAM && strcmp(plan_text(a, a->storages[i].name), name) == 0) {
            return i;
        }
    }
    return PLAN_NONE;
}

static bool is_alike(const struct plan *a, const struct plan_storage *x, const struct plan *b,
                     const struct plan_storage *y)
{
    return x->dtype == y->dtype && x->ndim == y->ndim && x->nbytes == y->nbytes &&
           (x->ndim == 0 || memcmp(a->dims + x->dims, b->dims + y->dims, x->ndim * sizeof *a->dims) == 0);
}

int plan_twins(const struct plan *a, const struct plan *b, struct plan_twin **twins, uint32_t *count, struct error *err)
{
    struct plan_twin *list = calloc(b->nstorage + UINT64_C(1), sizeof *list);

    *twins = NULL;
    *count = 0;
    if (!list) {
        return error_nomem(err, "parameters", b->nstorage * sizeof *list);
    }
    for (uint32_t i = 0; i < b->nstorage; i++) {
        const struct plan_storage *s = &b->storages[i];
        const char *name = plan_text(b, s->name);
        const uint32_t twin = s->kind == PLAN_PARAM ? find_param(a, name) : PLAN_NONE;

        if (s->kind != PLAN_PARAM) {
            continue;
        }
        if (twin == PLAN_NONE || !is_alike(a, &a->storages[twin], b, s)) {
            free(list);
            *count = 0;
            return error_set_kind(err, ERROR_USAGE, "ab", "compare builds of one interface",
                                  twin == PLAN_NONE
                                      ? "the first build has no parameter %.200s, which the second one has"
                                      : "parameter %.200s has another type or shape in the second build",
                                  name);
        }
        list[(*count)++] = (struct plan_twin){twin, behind(a) + i};
    }
    *twins = list;
    return 0;
}

/* --- arrays ------------------------------------------------------------------------ */

/* Empty ones, up to the second plan's. There is room for a size. */
static void pad_storages(struct plan *to)
{
    const uint32_t end = behind(to);

    for (; to->nstorage < end; to->nstorage++) {
        to->storages[to->nstorage] = (struct plan_storage){.kind = PLAN_TEMP,
                                                           .dtype = DTYPE_UINT8,
                                                           .ndim = 1,
                                                           .dims = to->ndim,
                                                           .domain = PLAN_NONE,
                                                           .card = PLAN_NONE};
    }
    to->dims[to->ndim++] = 0;
}

static void join_storages(struct plan *to, const struct plan *b)
{
    for (uint32_t i = 0; i < b->nstorage; i++) {
        struct plan_storage *s = &to->storages[to->nstorage + i];

        *s = b->storages[i];
        s->name += (uint32_t)to->ntext;
        s->dims += to->ndim;
        if (s->kind == PLAN_WINDOW) {
            s->domain += to->ndomain;
        } else {
            s->kind = PLAN_TEMP;
        }
    }
    for (uint32_t i = 0; i < b->nview; i++) {
        struct plan_view *v = &to->views[to->nview + i];

        *v = b->views[i];
        v->storage += to->nstorage;
        v->dims += to->ndim;
    }
}

static void join_domains(struct plan *to, const struct plan *b)
{
    for (uint32_t i = 0; i < b->ndomain; i++) {
        struct plan_domain *d = &to->domains[to->ndomain + i];

        *d = b->domains[i];
        d->name += (uint32_t)to->ntext;
        d->first_storage += to->nstorage;
        d->first_worker += to->ncard;
        d->first_buffer += to->nbuffer;
        d->end_node += d->end_node == PLAN_NONE ? 0 : to->nnode;
    }
    for (uint32_t i = 0; i < b->nbuffer; i++) {
        to->buffers[to->nbuffer + i] = b->buffers[i];
        to->buffers[to->nbuffer + i].name += (uint32_t)to->ntext;
    }
    for (uint32_t i = 0; i < b->ncard; i++) {
        to->cards[to->ncard + i] = b->cards[i];
    }
}

static void join_nodes(struct plan *to, const struct plan *b)
{
    for (uint32_t i = 0; i < b->nnode; i++) {
        struct plan_node *n = &to->nodes[to->nnode + i];

        *n = b->nodes[i];
        n->program += n->kind == PLAN_DISPATCH ? to->nprogram : 0;
        n->group += n->group == PLAN_NONE ? 0 : to->ngroup;
        n->first_arg += to->narg;
        n->first_scalar += to->nscalar;
        n->first_pred += to->npred;
    }
    for (uint64_t i = 0; i < b->narg; i++) {
        to->args[to->narg + i] = (struct plan_arg){b->args[i].view + to->nview, b->args[i].tag};
    }
    for (uint64_t i = 0; i < b->nscalar; i++) {
        to->scalars[to->nscalar + i] = b->scalars[i];
        to->scalars[to->nscalar + i].domain += b->scalars[i].kind == PLAN_VALUE ? 0 : to->ndomain;
    }
    for (uint64_t i = 0; i < b->npred; i++) {
        to->preds[to->npred + i] =
            (struct plan_pred){b->preds[i].node + to->nnode, b->preds[i].why, b->preds[i].storage + to->nstorage};
    }
}

static void join_names(struct plan *to, const struct plan *b)
{
    for (uint32_t i = 0; i < b->nprogram; i++) {
        to->programs[to->nprogram + i] = b->programs[i] + (uint32_t)to->ntext;
    }
    for (uint32_t i = 0; i < b->nnote; i++) {
        to->notes[to->nnote + i] = b->notes[i] + (uint32_t)to->ntext;
    }
    memcpy(to->dims + to->ndim, b->dims, b->ndim * sizeof *b->dims);
    memcpy(to->text + to->ntext, b->text, b->ntext);
}

static void add_counts(struct plan *to, const struct plan *b)
{
    to->nstorage += b->nstorage;
    to->nview += b->nview;
    to->ndomain += b->ndomain;
    to->nbuffer += b->nbuffer;
    to->nprogram += b->nprogram;
    to->nnote += b->nnote;
    to->nnode += b->nnode;
    to->ncard += b->ncard;
    to->ngroup += b->ngroup;
    to->narg += b->narg;
    to->nscalar += b->nscalar;
    to->npred += b->npred;
    to->ndim += b->ndim;
    to->ntext += b->ntext;
}

static int check_pair(const struct plan *a, const struct plan *b, struct error *err)
{
    if (a->world_size != b->world_size) {
        return error_set_kind(err, ERROR_USAGE, "ab", "give both as many --device-ids",
                              "the first build runs on %u cards and the second one on %u", a->world_size,
                              b->world_size);
    }
    if (b->nsub) {
        return error_set_kind(err, ERROR_USAGE, "ab", "measure each with `l3replay bench`",
                              "the second build calls sub-workers, which ab does not run side by side");
    }
    if (a->ntext + b->ntext > UINT32_MAX || (uint64_t)a->nnode + b->nnode > INT32_MAX ||
        (uint64_t)a->nview + b->nview > INT32_MAX) {
        return error_set(err, "ab", "measure each with `l3replay bench`", "the two plans together are too large");
    }
    return 0;
}

int plan_join(struct plan *a, const struct plan *b, struct rounds_part parts[ROUNDS_PARTS], struct error *err)
{
    struct plan_room more = plan_room_of(b);
    struct plan to = {0};

    if (check_pair(a, b, err) < 0) {
        return -1;
    }
    more.storages += PLAN_JOIN_ALIGN;
    more.dims += 1;
    if (plan_room_copy(&to, a, &more, err) < 0) {
        plan_free(&to);
        return -1;
    }
    parts[0] = (struct rounds_part){.nnode = a->nnode, .nstorage = a->nstorage};
    parts[1] = (struct rounds_part){
        .first_node = a->nnode, .nnode = b->nnode, .first_storage = behind(a), .nstorage = b->nstorage};
    pad_storages(&to);
    join_storages(&to, b);
    join_domains(&to, b);
    join_nodes(&to, b);
    join_names(&to, b);
    add_counts(&to, b);
    plan_free(a);
    *a = to;
    return 0;
}
