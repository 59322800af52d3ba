#include <inttypes.h>

#include "common/plan/plan.h"
#include "common/plan/plan_rules.h"

static const char where[] = "plan";

static int text_ok(const struct plan *p, uint32_t offset, struct error *err)
{
    if (offset < p->ntext) {
        return 0;
    }
    return error_set(err, where, NULL, "text offset %u is outside the %" PRIu64 " bytes of text", offset, p->ntext);
}

static int range_ok(uint64_t first, uint64_t count, uint64_t total, const char *name, struct error *err)
{
    if (first <= total && count <= total - first) {
        return 0;
    }
    return error_set(err, where, NULL, "%s %" PRIu64 " and %" PRIu64 " after it are outside the %" PRIu64 " there are",
                     name, first, count, total);
}

static int check_names(const struct plan *p, struct error *err)
{
    if (p->ntext && p->text[p->ntext - 1] != '\0') {
        return error_set(err, where, NULL, "the text does not end");
    }
    for (uint32_t i = 0; i < p->nprogram; i++) {
        if (text_ok(p, p->programs[i], err)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < p->nsub; i++) {
        if (text_ok(p, p->subs[i], err)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < p->nnote; i++) {
        if (text_ok(p, p->notes[i], err)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        if (text_ok(p, p->buffers[i].name, err)) {
            return -1;
        }
    }
    return 0;
}

static int check_windows(const struct plan *p, uint32_t domain, struct error *err)
{
    const struct plan_domain *d = &p->domains[domain];

    for (uint32_t i = 0; i < d->nworkers; i++) {
        const struct plan_storage *s = &p->storages[d->first_storage + i];

        if (s->kind != PLAN_WINDOW || s->domain != domain || s->card != p->cards[d->first_worker + i] ||
            s->nbytes != d->window_nbytes) {
            return error_set(err, where, NULL, "storage %u is not the window of member %u of domain %u",
                             d->first_storage + i, i, domain);
        }
    }
    for (uint32_t i = 0; i < d->nbuffer; i++) {
        const struct plan_buffer *b = &p->buffers[d->first_buffer + i];

        if (b->offset > d->window_nbytes || b->nbytes > d->window_nbytes - b->offset) {
            return error_set(err, where, NULL, "buffer %u lies outside the window of domain %u", i, domain);
        }
    }
    return 0;
}

static int check_domains(const struct plan *p, struct error *err)
{
    for (uint32_t i = 0; i < p->ndomain; i++) {
        const struct plan_domain *d = &p->domains[i];

        if (text_ok(p, d->name, err) || range_ok(d->first_worker, d->nworkers, p->ncard, "member", err) ||
            range_ok(d->first_storage, d->nworkers, p->nstorage, "storage", err) ||
            range_ok(d->first_buffer, d->nbuffer, p->nbuffer, "buffer", err) ||
            plan_rule_domain(p, d->window_nbytes, p->cards + d->first_worker, d->nworkers, err) ||
            check_windows(p, i, err)) {
            return -1;
        }
        if (d->end_node > p->nnode) {
            return error_set(err, where, NULL, "domain %u ends after node %u of %u", i, d->end_node, p->nnode);
        }
    }
    return 0;
}

static int check_storages(const struct plan *p, struct error *err)
{
    for (uint32_t i = 0; i < p->nstorage; i++) {
        const struct plan_storage *s = &p->storages[i];

        if (text_ok(p, s->name, err) || range_ok(s->dims, s->ndim, p->ndim, "dimension", err) ||
            plan_rule_storage(p, s, p->dims + s->dims, err)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < p->nview; i++) {
        const struct plan_view *v = &p->views[i];

        if (range_ok(v->dims, 2 * (uint64_t)v->ndim, p->ndim, "dimension", err) ||
            plan_rule_view(p, v, p->dims + v->dims, err)) {
            return -1;
        }
    }
    return 0;
}

static int check_preds(const struct plan *p, uint32_t id, struct error *err)
{
    const struct plan_node *n = &p->nodes[id];
    const struct plan_pred *preds = p->preds + n->first_pred;

    for (uint32_t i = 0; i < n->npred; i++) {
        if (preds[i].node >= id || preds[i].storage >= p->nstorage || preds[i].why == 0 ||
            preds[i].why > (PLAN_RAW | PLAN_WAR | PLAN_WAW)) {
            return error_set(err, where, NULL, "edge %u of node %u is not possible", i, id);
        }
    }
    return 0;
}

int plan_check(const struct plan *p, struct error *err)
{
    uint32_t ngroup = 0;

    if (p->world_size == 0 || p->world_size > PLAN_MAX_CARDS) {
        return error_set(err, where, NULL, "the plan is for %u cards", p->world_size);
    }
    if (p->nsublane == 0 || p->nsublane > PLAN_SUB_LANES) {
        return error_set(err, where, NULL, "the plan has %u lanes of sub-workers", p->nsublane);
    }
    if (check_names(p, err) || check_storages(p, err) || check_domains(p, err)) {
        return -1;
    }
    for (uint32_t i = 0; i < p->nnode; i++) {
        const struct plan_node *n = &p->nodes[i];

        if (range_ok(n->first_arg, n->narg, p->narg, "argument", err) ||
            range_ok(n->first_scalar, n->nscalar, p->nscalar, "scalar", err) ||
            range_ok(n->first_pred, n->npred, p->npred, "edge", err) ||
            plan_rule_node(p, i, n, p->args + n->first_arg, p->scalars + n->first_scalar, &ngroup, err) ||
            check_preds(p, i, err)) {
            return -1;
        }
    }
    if (ngroup != p->ngroup) {
        return error_set(err, where, NULL, "the plan has groups up to %u, but says up to %u", ngroup, p->ngroup);
    }
    return 0;
}
