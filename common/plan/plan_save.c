#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/json_stream.h"
#include "common/plan/plan_names.h"
#include "common/plan/plan_rules.h"
#include "common/plan/plan_stream.h"

static void put_dims(FILE *f, const int64_t *dims, uint32_t count)
{
    putc('[', f);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(f, "%s%" PRId64, i ? "," : "", dims[i]);
    }
    putc(']', f);
}

static void put_fill(FILE *f, double value)
{
    if (isnan(value)) {
        fputs("\"nan\"", f);
    } else if (isinf(value)) {
        fputs(value < 0 ? "\"-inf\"" : "\"inf\"", f);
    } else {
        fprintf(f, "%.17g", value);
    }
}

static void put_u64(FILE *f, uint64_t value)
{
    const char *quote = value < (uint64_t)JSON_EXACT ? "" : "\"";

    fprintf(f, "%s%" PRIu64 "%s", quote, value, quote);
}

static bool is_contiguous(const struct plan_view *v, const int64_t *dims)
{
    int64_t stride[PLAN_MAX_DIMS];

    plan_contiguous_strides(v->ndim, dims, stride);
    return v->ndim == 0 || memcmp(stride, dims + v->ndim, v->ndim * sizeof *stride) == 0;
}

/* The inside of a view's array, from the storage on. */
static void put_view(FILE *f, const struct plan *p, uint32_t view)
{
    const struct plan_view *v = &p->views[view];
    const int64_t *dims = p->dims + v->dims;

    fprintf(f, "%u,\"%s\",%" PRIu64 ",", v->storage, dtype_name(v->dtype), v->offset);
    put_dims(f, dims, v->ndim);
    if (!is_contiguous(v, dims)) {
        putc(',', f);
        put_dims(f, dims + v->ndim, v->ndim);
    }
}

static void put_storage(FILE *f, const struct plan *p, uint32_t id)
{
    const struct plan_storage *s = &p->storages[id];

    fprintf(f, "{\"storage\":%u,\"name\":", id);
    json_out_text(f, plan_text(p, s->name));
    fprintf(f, ",\"kind\":\"%s\",\"dtype\":\"%s\",\"shape\":", s->kind == PLAN_PARAM ? "param" : "temp",
            dtype_name(s->dtype));
    put_dims(f, p->dims + s->dims, s->ndim);
    if (s->kind == PLAN_PARAM) {
        fprintf(f, ",\"direction\":\"%s\"", plan_direction_names[s->direction]);
    }
    if (s->kind == PLAN_TEMP || s->fill != 0) {
        fputs(",\"fill\":", f);
        put_fill(f, s->fill);
    }
    fputs("}\n", f);
}

static void put_domain(FILE *f, const struct plan *p, uint32_t id)
{
    const struct plan_domain *d = &p->domains[id];

    fprintf(f, "{\"domain\":%u,\"name\":", id);
    json_out_text(f, plan_text(p, d->name));
    fputs(",\"workers\":[", f);
    for (uint32_t i = 0; i < d->nworkers; i++) {
        fprintf(f, "%s%u", i ? "," : "", p->cards[d->first_worker + i]);
    }
    fprintf(f, "],\"window\":%" PRIu64 ",\"buffers\":[", d->window_nbytes);
    for (uint32_t i = 0; i < d->nbuffer; i++) {
        const struct plan_buffer *b = &p->buffers[d->first_buffer + i];

        fprintf(f, "%s{\"name\":", i ? "," : "");
        json_out_text(f, plan_text(p, b->name));
        fprintf(f, ",\"offset\":%" PRIu64 ",\"nbytes\":%" PRIu64 "}", b->offset, b->nbytes);
    }
    fputs("]}\n", f);
}

/* Storages and domains in the order of their storage ids, so that reading gives the same ids. */
static void put_storages(FILE *f, const struct plan *p)
{
    uint32_t domain = 0;

    for (uint32_t i = 0; i < p->nstorage; i++) {
        if (p->storages[i].kind != PLAN_WINDOW) {
            put_storage(f, p, i);
        } else if (domain < p->ndomain && p->domains[domain].first_storage == i) {
            put_domain(f, p, domain++);
        }
    }
}

static void put_args(FILE *f, const struct plan *p, const struct plan_node *n)
{
    fputs(",\"args\":[", f);
    for (uint32_t i = 0; i < n->narg; i++) {
        const struct plan_arg *a = &p->args[n->first_arg + i];

        fprintf(f, "%s[\"%s\",", i ? "," : "", plan_tag_names[a->tag]);
        put_view(f, p, a->view);
        putc(']', f);
    }
    fputs("],\"scalars\":[", f);
    for (uint32_t i = 0; i < n->nscalar; i++) {
        const struct plan_scalar *s = &p->scalars[n->first_scalar + i];

        if (i) {
            putc(',', f);
        }
        if (s->kind != PLAN_VALUE) {
            fprintf(f, "[\"%s\",%u,%u,", s->kind == PLAN_DEVICE_CTX ? "ctx" : "win", s->domain, s->card);
        }
        put_u64(f, s->bits);
        if (s->kind != PLAN_VALUE) {
            putc(']', f);
        }
    }
    fputs("]", f);
}

static void put_copy(FILE *f, const struct plan *p, uint32_t id)
{
    const struct plan_node *n = &p->nodes[id];

    fprintf(f, "{\"copy\":%u", id);
    if (n->line) {
        fprintf(f, ",\"line\":%u", n->line);
    }
    fputs(",\"dst\":[", f);
    put_view(f, p, p->args[n->first_arg].view);
    if (plan_is_fill(n)) {
        double value;

        memcpy(&value, &p->scalars[n->first_scalar].bits, sizeof value);
        fputs("],\"fill\":", f);
        put_fill(f, value);
    } else {
        fputs("],\"src\":[", f);
        put_view(f, p, p->args[n->first_arg + 1].view);
        putc(']', f);
    }
    fputs("}\n", f);
}

static void put_call(FILE *f, const struct plan *p, uint32_t id)
{
    const struct plan_node *n = &p->nodes[id];
    bool dispatch = n->kind == PLAN_DISPATCH;

    fprintf(f, dispatch ? "{\"dispatch\":%u,\"program\":" : "{\"sub\":%u,\"name\":", id);
    json_out_text(f, plan_text(p, dispatch ? p->programs[n->program] : p->subs[n->program]));
    if (dispatch) {
        fprintf(f, ",\"card\":%u", n->lane);
    }
    if (n->k != PLAN_NONE) {
        fprintf(f, ",\"k\":%u", n->k);
    }
    if (n->group != PLAN_NONE) {
        fprintf(f, ",\"group\":%u", n->group);
    }
    if (n->line) {
        fprintf(f, ",\"line\":%u", n->line);
    }
    put_args(f, p, n);
    fputs("}\n", f);
}

static void put_edges(FILE *f, const struct plan *p, uint32_t id)
{
    static const char *const why[8] = {"", "raw", "war", "raw+war", "waw", "raw+waw", "war+waw", "raw+war+waw"};
    const struct plan_node *n = &p->nodes[id];

    if (n->npred == 0) {
        return;
    }
    fprintf(f, "{\"edges\":%u,\"preds\":[", id);
    for (uint32_t i = 0; i < n->npred; i++) {
        const struct plan_pred *e = &p->preds[n->first_pred + i];

        fprintf(f, "%s[%u,\"%s\",%u]", i ? "," : "", e->node, why[e->why & 7], e->storage);
    }
    fputs("]}\n", f);
}

struct domain_end {
    uint32_t node, domain;
};

/* By node; inner domains, which were added later, end first. */
static int by_end(const void *a, const void *b)
{
    const struct domain_end *x = a, *y = b;

    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    return x->domain > y->domain ? -1 : x->domain < y->domain;
}

static void put_nodes(FILE *f, const struct plan *p, const struct domain_end *ends)
{
    uint32_t ended = 0;

    for (uint32_t i = 0; i <= p->nnode; i++) {
        for (; ended < p->ndomain && ends[ended].node <= i; ended++) {
            fprintf(f, "{\"end_domain\":%u}\n", ends[ended].domain);
        }
        if (i == p->nnode) {
            break;
        }
        if (p->nodes[i].kind == PLAN_COPY) {
            put_copy(f, p, i);
        } else {
            put_call(f, p, i);
        }
        put_edges(f, p, i);
    }
}

int plan_save(const struct plan *p, FILE *f, struct error *err)
{
    struct domain_end *ends = calloc((size_t)p->ndomain + 1, sizeof *ends);

    if (!ends) {
        return error_nomem(err, NULL, ((size_t)p->ndomain + 1) * sizeof *ends);
    }
    for (uint32_t i = 0; i < p->ndomain; i++) {
        ends[i] = (struct domain_end){p->domains[i].end_node, i};
    }
    qsort(ends, p->ndomain, sizeof *ends, by_end);
    fprintf(f, "{\"plan\":%d,\"world_size\":%u}\n", PLAN_VERSION, p->world_size);
    for (uint32_t i = 0; i < p->nnote; i++) {
        fputs("{\"note\":", f);
        json_out_text(f, plan_text(p, p->notes[i]));
        fputs("}\n", f);
    }
    put_storages(f, p);
    put_nodes(f, p, ends);
    fprintf(f, "{\"end\":%u}\n", p->nnode);
    free(ends);
    if (fflush(f) || ferror(f)) {
        return error_errno(err, NULL, "free space where it is written, or write it elsewhere",
                           "the plan could not be written");
    }
    return 0;
}
