#include "orchestrator/plan/print.h"

#include <inttypes.h>
#include <string.h>

#include "common/plan/plan_names.h"
#include "orchestrator/plan/overlap.h"
#include "orchestrator/plan/print_view.h"

static void print_summary(const struct plan *p, FILE *f)
{
    uint32_t count[3] = {0};

    for (uint32_t i = 0; i < p->nnode; i++) {
        count[p->nodes[i].kind]++;
    }
    fprintf(f,
            "plan for %u card%s: %u dispatch%s of %u program%s, %u host cop%s, %u sub-worker call%s, %" PRIu64
            " edge%s between lanes\n",
            p->world_size, p->world_size == 1 ? "" : "s", count[PLAN_DISPATCH], count[PLAN_DISPATCH] == 1 ? "" : "es",
            p->nprogram, p->nprogram == 1 ? "" : "s", count[PLAN_COPY], count[PLAN_COPY] == 1 ? "y" : "ies",
            count[PLAN_SUB], count[PLAN_SUB] == 1 ? "" : "s", p->npred, p->npred == 1 ? "" : "s");
    for (uint32_t i = 0; i < p->nnote; i++) {
        fprintf(f, "note: %s\n", plan_text(p, p->notes[i]));
    }
}

static void print_storages(const struct plan *p, FILE *f)
{
    static const char *const directions[] = {"in", "out", "inout"};
    int width = 0;

    for (uint32_t i = 0; i < p->nstorage; i++) {
        int length = (int)strnlen(plan_text(p, p->storages[i].name), 40);

        if (p->storages[i].kind != PLAN_WINDOW && length > width) {
            width = length;
        }
    }
    if (width) {
        fputs("\ntensors\n", f);
    }
    for (uint32_t i = 0; i < p->nstorage; i++) {
        const struct plan_storage *s = &p->storages[i];

        if (s->kind == PLAN_WINDOW) {
            continue;
        }
        fprintf(f, "  %-*s  %-6s %-9s [", width, plan_text(p, s->name),
                s->kind == PLAN_TEMP ? "temp" : directions[s->direction], dtype_name(s->dtype));
        for (uint32_t d = 0; d < s->ndim; d++) {
            fprintf(f, "%s%" PRId64, d ? ", " : "", p->dims[s->dims + d]);
        }
        fputs("]", f);
        if (s->kind == PLAN_TEMP) {
            fprintf(f, " = %g", s->fill);
        }
        fputs("\n", f);
    }
}

static void print_domains(const struct plan *p, FILE *f)
{
    if (p->ndomain) {
        fputs("\ncomm domains\n", f);
    }
    for (uint32_t i = 0; i < p->ndomain; i++) {
        const struct plan_domain *d = &p->domains[i];

        fprintf(f, "  %s  card%s ", plan_text(p, d->name), d->nworkers == 1 ? "" : "s");
        for (uint32_t j = 0; j < d->nworkers; j++) {
            fprintf(f, "%s%u", j ? ", " : "", p->cards[d->first_worker + j]);
        }
        fprintf(f, "; window of %" PRIu64 " bytes", d->window_nbytes);
        for (uint32_t j = 0; j < d->nbuffer; j++) {
            const struct plan_buffer *b = &p->buffers[d->first_buffer + j];

            fprintf(f, "%s%s[%" PRIu64 ":%" PRIu64 "]", j ? ", " : ": ", plan_text(p, b->name), b->offset,
                    b->offset + b->nbytes);
        }
        fprintf(f, "; ends before node %u\n", d->end_node);
    }
}

static void print_args(const struct plan *p, const struct plan_node *n, FILE *f)
{
    char text[PRINT_VIEW_SIZE];

    for (uint32_t i = 0; i < n->narg; i++) {
        const struct plan_arg *a = &p->args[n->first_arg + i];

        fprintf(f, "          %-12s  %-32s %s\n", plan_tag_names[a->tag], print_view(p, a->view, text, sizeof text),
                dtype_name(p->views[a->view].dtype));
    }
    if (n->nscalar) {
        fputs("          scalars       ", f);
    }
    for (uint32_t i = 0; i < n->nscalar; i++) {
        const struct plan_scalar *s = &p->scalars[n->first_scalar + i];

        fputs(i ? ", " : "", f);
        if (s->kind == PLAN_VALUE) {
            fprintf(f, "%" PRIu64, s->bits);
            continue;
        }
        fprintf(f, "%s of %s[%u]", s->kind == PLAN_DEVICE_CTX ? "context" : "window",
                plan_text(p, p->domains[s->domain].name), s->card);
        if (s->bits) {
            fprintf(f, " + %" PRIu64, s->bits);
        }
    }
    if (n->nscalar) {
        fputs("\n", f);
    }
}

static void print_copy(const struct plan *p, const struct plan_node *n, FILE *f)
{
    const struct plan_arg *a = &p->args[n->first_arg];
    char dst[PRINT_VIEW_SIZE], src[PRINT_VIEW_SIZE];
    double value;

    print_view(p, a[0].view, dst, sizeof dst);
    if (plan_is_fill(n)) {
        memcpy(&value, &p->scalars[n->first_scalar].bits, sizeof value);
        snprintf(src, sizeof src, "%.17g", value);
    } else {
        print_view(p, a[1].view, src, sizeof src);
    }
    fprintf(f, "          %s = %s\n", dst, src);
}

/* Why the two nodes of an edge meet in one storage. */
struct meeting {
    uint32_t storage, why;
};

enum { MAX_MEETINGS = 8 };

/* The edge keeps one storage; what the two nodes do in each is found again from their views. */
static uint32_t find_meetings(const struct plan *p, const struct plan_node *late, const struct plan_pred *e,
                              struct meeting *out)
{
    const struct plan_node *early = &p->nodes[e->node];
    uint32_t n = 0;

    for (uint64_t i = 0; i < (uint64_t)early->narg * late->narg; i++) {
        const struct plan_arg *a = &p->args[early->first_arg + i / late->narg];
        const struct plan_arg *b = &p->args[late->first_arg + i % late->narg];
        uint32_t why = (plan_tag_writes(a->tag) && plan_tag_reads(b->tag) ? PLAN_RAW : 0u) |
                       (plan_tag_reads(a->tag) && plan_tag_writes(b->tag) ? PLAN_WAR : 0u) |
                       (plan_tag_writes(a->tag) && plan_tag_writes(b->tag) ? PLAN_WAW : 0u);
        uint32_t at = 0, storage = p->views[a->view].storage;

        if ((why & e->why) == 0 || !overlap_views(p, a->view, b->view)) {
            continue;
        }
        while (at < n && out[at].storage != storage) {
            at++;
        }
        if (at == MAX_MEETINGS) {
            continue;
        }
        if (at == n) {
            out[n++] = (struct meeting){storage, 0};
        }
        out[at].why |= why & e->why;
    }
    if (n == 0) {
        out[n++] = (struct meeting){e->storage, e->why};
    }
    return n;
}

/* "reads tmp it wrote", where "it" is the earlier node. */
static void print_meeting(const struct plan *p, const struct meeting *m, FILE *f)
{
    static const char *const before[8] = {"",           "reads",
                                          "overwrites", "reads and overwrites",
                                          "overwrites", "reads and overwrites",
                                          "overwrites", "reads and overwrites"};
    static const char *const after[8] = {"",      "wrote", "read",           "read and wrote",
                                         "wrote", "wrote", "read and wrote", "read and wrote"};

    fprintf(f, "%s %s it %s", before[m->why & 7], plan_text(p, p->storages[m->storage].name), after[m->why & 7]);
}

static void print_preds(const struct plan *p, const struct plan_node *n, FILE *f)
{
    struct meeting meetings[MAX_MEETINGS];

    for (uint32_t i = 0; i < n->npred; i++) {
        const struct plan_pred *e = &p->preds[n->first_pred + i];
        uint32_t count = find_meetings(p, n, e, meetings);

        fprintf(f, "          waits for %u (", e->node);
        for (uint32_t j = 0; j < count; j++) {
            fputs(j ? ", " : "", f);
            print_meeting(p, &meetings[j], f);
        }
        fputs(")\n", f);
    }
}

static void print_node(const struct plan *p, uint32_t id, FILE *f)
{
    const struct plan_node *n = &p->nodes[id];
    char lane[32];

    fprintf(f, "%8u  %-10s  ", id, print_lane(p, n->lane, lane, sizeof lane));
    if (n->kind == PLAN_COPY) {
        fputs("copy", f);
    } else {
        fputs(plan_text(p, n->kind == PLAN_DISPATCH ? p->programs[n->program] : p->subs[n->program]), f);
    }
    if (n->k != PLAN_NONE) {
        fprintf(f, "  d%u", n->k);
    }
    if (n->group != PLAN_NONE) {
        fprintf(f, "  group %u", n->group);
    }
    if (n->line) {
        fprintf(f, "  host_orch.py:%u", n->line);
    }
    fputs("\n", f);
    if (n->kind == PLAN_COPY) {
        print_copy(p, n, f);
    } else {
        print_args(p, n, f);
    }
    print_preds(p, n, f);
}

int plan_print_text(const struct plan *plan, FILE *f, struct error *err)
{
    print_summary(plan, f);
    print_storages(plan, f);
    print_domains(plan, f);
    if (plan->nnode) {
        fputs("\nnodes\n", f);
    }
    for (uint32_t i = 0; i < plan->nnode; i++) {
        print_node(plan, i, f);
    }
    return print_written(f, err);
}
