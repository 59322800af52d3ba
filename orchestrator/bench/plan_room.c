#include "orchestrator/bench/plan_room.h"

#include <stdlib.h>
#include <string.h>

/* A copy of `count` entries with room for `more`; never NULL but for want of memory, which `*failed` remembers. */
static void *grown(const void *from, uint64_t count, uint64_t more, size_t size, bool *failed)
{
    char *to = calloc(count + more + 1, size);

    if (to && count) {
        memcpy(to, from, count * size);
    }
    *failed |= !to;
    return to;
}

struct plan_room plan_room_of(const struct plan *p)
{
    return (struct plan_room){.storages = p->nstorage,
                              .views = p->nview,
                              .domains = p->ndomain,
                              .buffers = p->nbuffer,
                              .notes = p->nnote,
                              .programs = p->nprogram,
                              .subs = p->nsub,
                              .nodes = p->nnode,
                              .cards = p->ncard,
                              .args = p->narg,
                              .scalars = p->nscalar,
                              .preds = p->npred,
                              .dims = p->ndim,
                              .text = p->ntext};
}

int plan_room_copy(struct plan *to, const struct plan *from, const struct plan_room *more, struct error *err)
{
    bool failed = false;

    *to = *from;
    to->image = NULL;
    to->storages = grown(from->storages, from->nstorage, more->storages, sizeof *from->storages, &failed);
    to->views = grown(from->views, from->nview, more->views, sizeof *from->views, &failed);
    to->domains = grown(from->domains, from->ndomain, more->domains, sizeof *from->domains, &failed);
    to->buffers = grown(from->buffers, from->nbuffer, more->buffers, sizeof *from->buffers, &failed);
    to->notes = grown(from->notes, from->nnote, more->notes, sizeof *from->notes, &failed);
    to->programs = grown(from->programs, from->nprogram, more->programs, sizeof *from->programs, &failed);
    to->subs = grown(from->subs, from->nsub, more->subs, sizeof *from->subs, &failed);
    to->nodes = grown(from->nodes, from->nnode, more->nodes, sizeof *from->nodes, &failed);
    to->cards = grown(from->cards, from->ncard, more->cards, sizeof *from->cards, &failed);
    to->args = grown(from->args, from->narg, more->args, sizeof *from->args, &failed);
    to->scalars = grown(from->scalars, from->nscalar, more->scalars, sizeof *from->scalars, &failed);
    to->preds = grown(from->preds, from->npred, more->preds, sizeof *from->preds, &failed);
    to->dims = grown(from->dims, from->ndim, more->dims, sizeof *from->dims, &failed);
    to->text = grown(from->text, from->ntext, more->text, sizeof *from->text, &failed);
    return failed ? error_nomem(err, "plan", (from->nnode + more->nodes) * sizeof *from->nodes) : 0;
}
