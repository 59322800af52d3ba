#include "orchestrator/supervise/window_writers.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/plan/plan_view.h"
#include "common/segment/control_check.h"

enum {
    WORD = 4,
    BUFFER_MOST = 1 << 20, /* bytes of a buffer that are looked at: signals are small */
    RUNS_MOST = 4,         /* shown of a buffer */
    LINE = 1024
};

struct range {
    uint64_t begin, end; /* bytes of the window */
    uint32_t *writers;   /* by word from `begin` */
};

uint32_t window_domain_of(const struct plan *plan, uint32_t node)
{
    const struct plan_node *n = &plan->nodes[node];
    uint32_t domain = PLAN_NONE;

    for (uint32_t i = 0; i < n->narg && domain == PLAN_NONE; i++) {
        domain = plan->storages[plan->views[plan->args[n->first_arg + i].view].storage].domain;
    }
    for (uint32_t i = 0; i < n->nscalar && domain == PLAN_NONE; i++) {
        domain = plan->scalars[n->first_scalar + i].domain;
    }
    return domain < plan->ndomain ? domain : PLAN_NONE;
}

/* Bytes begin .. end - 1 of the window are the node's. */
static void mark(const struct range *r, uint64_t begin, uint64_t end, uint32_t node)
{
    begin = begin > r->begin ? begin : r->begin;
    end = end < r->end ? end : r->end;
    for (uint64_t at = begin; at < end; at += WORD - at % WORD) {
        r->writers[at / WORD - r->begin / WORD] = node;
    }
}

/* The elements of a view from dimension `d` on, which begin at byte `at`; what lies side by side is one piece. */
static void mark_view(const struct range *r, const struct plan_tensor *t, uint32_t d, uint64_t at, uint32_t node)
{
    const uint64_t size = dtype_size(t->dtype);

    if (d == t->ndim) {
        mark(r, at, at + size, node);
        return;
    }
    if (d + 1 == t->ndim && t->stride[d] == 1) {
        mark(r, at, at + (uint64_t)t->shape[d] * size, node);
        return;
    }
    for (int64_t i = 0; i < t->shape[d] && at < r->end; i++) {
        mark_view(r, t, d + 1, at, node);
        at += (uint64_t)t->stride[d] * size;
    }
}

void window_writers_find(const struct segment *seg, uint32_t storage, uint64_t offset, uint64_t nbytes,
                         uint32_t *writers)
{
    const struct plan *plan = &seg->plan;
    const struct range r = {.begin = offset, .end = offset + nbytes, .writers = writers};
    const uint64_t nword = nbytes ? (r.end - 1) / WORD - r.begin / WORD + 1 : 0;

    for (uint64_t i = 0; i < nword; i++) {
        writers[i] = PLAN_NONE;
    }
    for (uint32_t node = 0; node < plan->nnode; node++) {
        const struct plan_node *n = &plan->nodes[node];

        if (!word_is_done(&seg->words[node])) {
            continue;
        }
        for (uint32_t i = 0; i < n->narg; i++) {
            const struct plan_arg *arg = &plan->args[n->first_arg + i];
            const struct plan_view *view = &plan->views[arg->view];

            if (view->storage == storage && plan_tag_writes(arg->tag)) {
                const struct plan_tensor t = plan_view_tensor(plan, view);

                if (t.nbytes) {
                    mark_view(&r, &t, 0, t.offset, node);
                }
            }
        }
    }
}

static size_t put_writer(char *line, size_t used, const struct plan *plan, uint32_t node)
{
    char label[256];

    return used + (size_t)snprintf(line + used, LINE - used, "%s",
                                   node == PLAN_NONE ? "nobody" : plan_node_label(plan, node, label, sizeof label));
}

/* "signal: bytes 0 to 15 dispatch 4 (...), 16 to 31 nobody" */
static void print_buffer(const struct segment *seg, uint32_t storage, const struct plan_buffer *b, uint32_t *writers)
{
    const uint64_t nbytes = b->nbytes < BUFFER_MOST ? b->nbytes : BUFFER_MOST;
    const uint64_t nword = (nbytes + WORD - 1) / WORD;
    char line[LINE];
    size_t used;
    unsigned runs = 0;

    window_writers_find(seg, storage, b->offset, nbytes, writers);
    used = (size_t)snprintf(line, sizeof line, "      %.60s (byte %llu, %llu bytes):", plan_text(&seg->plan, b->name),
                            (unsigned long long)b->offset, (unsigned long long)b->nbytes);
    for (uint64_t first = 0, i = 0; first < nword && used < sizeof line - 300; first = i, runs++) {
        while (i < nword && writers[i] == writers[first]) {
            i++;
        }
        if (runs == RUNS_MOST) {
            snprintf(line + used, sizeof line - used, ", ...");
            break;
        }
        used += (size_t)snprintf(line + used, sizeof line - used, "%s ", runs ? "," : "");
        if (first > 0 || i < nword) {
            used += (size_t)snprintf(line + used, sizeof line - used, "its bytes %llu to %llu ",
                                     (unsigned long long)first * WORD, (unsigned long long)i * WORD - 1);
        }
        used = put_writer(line, used, &seg->plan, writers[first]);
    }
    log_msg(LOG_ERROR, "%s", line);
}

static void print_window(const struct segment *seg, const struct plan_domain *d, uint32_t member, uint32_t *writers)
{
    const struct plan_buffer whole = {.nbytes = d->window_nbytes, .name = d->name};

    log_msg(LOG_ERROR, "    window of card %u:", seg->plan.cards[d->first_worker + member]);
    if (!d->nbuffer) {
        print_buffer(seg, d->first_storage + member, &whole, writers);
    }
    for (uint32_t i = 0; i < d->nbuffer; i++) {
        print_buffer(seg, d->first_storage + member, &seg->plan.buffers[d->first_buffer + i], writers);
    }
}

/* Of a card that runs a dispatch now. */
static uint32_t domain_in_use(const struct segment *seg, uint32_t lane)
{
    const struct lane_view v = lane_view(seg, lane);

    return v.sound && v.state == LANE_RUNNING && v.node < seg->plan.nnode ? window_domain_of(&seg->plan, v.node)
                                                                          : PLAN_NONE;
}

void window_writers_print(const struct segment *seg, unsigned most)
{
    uint32_t *writers = malloc((BUFFER_MOST / WORD + 1) * sizeof *writers);
    bool *seen = calloc((size_t)seg->plan.ndomain + 1, sizeof *seen);
    unsigned shown = 0;

    for (uint32_t lane = 0; writers && seen && lane < seg->plan.world_size; lane++) {
        const uint32_t domain = domain_in_use(seg, lane);
        const struct plan_domain *d = &seg->plan.domains[domain == PLAN_NONE ? 0 : domain];

        if (domain == PLAN_NONE || seen[domain]) {
            continue;
        }
        seen[domain] = true;
        log_msg(LOG_ERROR,
                "  domain %s, who wrote last by the views that dispatches declare (stores past a view, and through the "
                "domain's context, are not declared):",
                plan_text(&seg->plan, d->name));
        for (uint32_t m = 0; m < d->nworkers && shown < most; m++, shown++) {
            print_window(seg, d, m, writers);
        }
    }
    if (shown == most) {
        log_msg(LOG_ERROR, "    ... no more windows are shown");
    }
    free(writers);
    free(seen);
}
