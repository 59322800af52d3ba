#include "common/segment/segment_layout.h"

#include <stdlib.h>
#include <string.h>

/* A kernel may write a little past its tensor, and read a tile that is larger: neither must reach another tensor, and
 * the stack lets both pass. Beyond SLACK it meets a guard. Each guard costs a process two mappings, of which the kernel
 * allows 65530: with more storages several of them share one. */
enum { STORAGE_ALIGN = 256, STORAGE_GAP = 256, WINDOW_ALIGN = 4096, SLACK = 4096, MOST_GUARDS = 4096, COLOURS = 16 };

static uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static void lay_out_plan(struct segment_header *h)
{
    uint64_t at = align_up(sizeof *h, h->page); /* what follows is never written again */

    h->lanes_at = at;
    at += (h->nlane + UINT64_C(1)) * sizeof(uint64_t);
    h->storages_at = at;
    at += (uint64_t)h->nstorage * sizeof(uint64_t);
    h->guards_at = at;
    at += (uint64_t)h->nguard * sizeof(uint64_t);
    h->slots_at = at;
    at += (uint64_t)h->nnode * sizeof(uint32_t);
    h->plan_at = align_up(at, 64);
    h->sheet_at = align_up(h->plan_at + h->plan_nbytes, 64);
    h->nbytes[SEGMENT_PLAN] = align_up(h->sheet_at + h->sheet_nbytes, h->page);
}

/* Each lane's block has pages of its own, so that one executor alone can write them. */
static void lay_out_control(struct segment_layout *l, struct segment_header *h, const struct plan *plan)
{
    uint64_t at = sizeof(struct segment_common);

    h->words_at = align_up(at, 64);
    at = h->words_at + (uint64_t)h->nnode * sizeof(futex_word);
    h->hashes_at = align_up(at, 64);
    at = align_up(h->hashes_at + h->nhash * sizeof(uint64_t) + sizeof(uint64_t), h->page);
    for (uint32_t i = 0; i < plan->nnode; i++) {
        l->slots[i] = (uint32_t)l->lanes[plan->nodes[i].lane]++;
    }
    for (uint32_t lane = 0; lane <= h->nlane; lane++) {
        uint64_t count = l->lanes[lane];

        l->lanes[lane] = at;
        at += align_up(sizeof(struct segment_lane) + count * sizeof(struct segment_times) + sizeof(uint64_t), h->page);
    }
    h->nbytes[SEGMENT_CONTROL] = l->lanes[h->nlane];
}

/* Tensors begin at different places of their pages: where equal elements of all tensors fall on one set of a cache,
 * kernels are slower. */
static void lay_out_data(struct segment_layout *l, struct segment_header *h, const struct plan *plan)
{
    const uint32_t group =
        (plan->nstorage ? (plan->nstorage - 1) / MOST_GUARDS : 0) + 1; /* storages between two guards */
    uint64_t at = 0;
    uint32_t guard = 0;

    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];

        if (i % group == 0) {
            at = align_up(at, h->page);
            l->guards[guard++] = at;
            at += h->page + (s->kind == PLAN_WINDOW ? 0 : (uint64_t)(i % COLOURS) * STORAGE_ALIGN);
        }
        at = align_up(at, s->kind == PLAN_WINDOW ? WINDOW_ALIGN : STORAGE_ALIGN);
        l->storages[i] = at;
        at += s->nbytes + ((i + 1) % group == 0 || i + 1 == plan->nstorage ? SLACK : STORAGE_GAP);
    }
    at = align_up(at, h->page);
    l->guards[guard] = at;
    h->nbytes[SEGMENT_DATA] = at + h->page;
}

int segment_lay_out(struct segment_layout *l, struct segment_header *h, const struct plan *plan, struct error *err)
{
    const uint32_t group = (plan->nstorage + MOST_GUARDS - 1) / MOST_GUARDS;

    h->nguard = 1 + (group ? (plan->nstorage + group - 1) / group : 0);
    l->lanes = calloc(h->nlane + UINT64_C(1), sizeof *l->lanes);
    l->storages = calloc(plan->nstorage + UINT64_C(1), sizeof *l->storages);
    l->guards = calloc(h->nguard, sizeof *l->guards);
    l->slots = calloc(plan->nnode + UINT64_C(1), sizeof *l->slots);
    if (!l->lanes || !l->storages || !l->guards || !l->slots) {
        return error_nomem(err, "shared segment", ((uint64_t)h->nlane + plan->nstorage + plan->nnode) * 8);
    }
    lay_out_control(l, h, plan);
    lay_out_data(l, h, plan);
    lay_out_plan(h);
    return 0;
}

void segment_layout_free(struct segment_layout *l)
{
    free(l->lanes);
    free(l->storages);
    free(l->guards);
    free(l->slots);
    memset(l, 0, sizeof *l);
}
