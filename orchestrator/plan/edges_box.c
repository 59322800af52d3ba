#include "orchestrator/plan/edges_box.h"

#include <string.h>

void box_axes_of(const struct plan *p, uint32_t storage, struct box_axes *out)
{
    const struct plan_storage *s = &p->storages[storage];
    uint64_t pitch = s->nbytes;

    *out = (struct box_axes){0};
    if (s->nbytes == 0) {
        return;
    }
    for (uint32_t i = 0; i < s->ndim; i++) {
        uint64_t size = (uint64_t)p->dims[s->dims + i];

        pitch /= size;
        if (size < 2) {
            continue;
        }
        out->size[out->n] = size;
        out->pitch[out->n++] = pitch;
    }
    if (out->n == 0) {
        out->n = 1;
        out->size[0] = 1;
        out->pitch[0] = pitch;
    }
    out->size[out->n - 1] *= pitch;
    out->pitch[out->n - 1] = 1;
}

void box_axes_cut(struct box_axes *axes, uint64_t stride)
{
    uint32_t at = 0;

    if (axes->n == PLAN_MAX_DIMS) {
        return;
    }
    while (axes->pitch[at] > stride) {
        at++;
    }
    if (axes->pitch[at] == stride || stride % axes->pitch[at] != 0 || (at > 0 && axes->pitch[at - 1] % stride != 0)) {
        return;
    }
    memmove(&axes->size[at + 1], &axes->size[at], (axes->n - at) * sizeof *axes->size);
    memmove(&axes->pitch[at + 1], &axes->pitch[at], (axes->n - at) * sizeof *axes->pitch);
    axes->n++;
    axes->size[at + 1] = stride / axes->pitch[at + 1];
    axes->size[at] = (axes->size[at] + axes->size[at + 1] - 1) / axes->size[at + 1];
    axes->pitch[at] = stride;
}

void box_axes_join(struct box_axes *axes, uint32_t at)
{
    axes->size[at + 1] *= axes->size[at];
    axes->n--;
    memmove(&axes->size[at], &axes->size[at + 1], (axes->n - at) * sizeof *axes->size);
    memmove(&axes->pitch[at], &axes->pitch[at + 1], (axes->n - at) * sizeof *axes->pitch);
}

/* Box of the contiguous bytes first..last: on the outermost axis where the two differ it reaches from one to the
 * other, and on the axes inside that it is whole. */
static void box_of_bytes(const struct box_axes *axes, uint64_t first, uint64_t last, struct box *out)
{
    bool apart = false;

    out->exact = true;
    for (uint32_t i = 0; i < axes->n; i++) {
        uint64_t a = first / axes->pitch[i], b = last / axes->pitch[i];

        first %= axes->pitch[i];
        last %= axes->pitch[i];
        if (!apart) {
            out->low[i] = a;
            out->high[i] = b;
            apart = a != b;
        } else {
            out->low[i] = 0;
            out->high[i] = axes->size[i] - 1;
            if (a != 0 || b != axes->size[i] - 1) {
                out->exact = false;
            }
        }
    }
}

/* Repeat the box `count` times, `stride` bytes apart. False when the copies do not stay on one axis. */
static bool repeat(const struct box_axes *axes, uint64_t stride, uint64_t count, struct box *box)
{
    uint32_t a = 0;
    uint64_t step;

    while (axes->pitch[a] > stride) {
        a++;
    }
    if (stride % axes->pitch[a] != 0) {
        return false;
    }
    step = stride / axes->pitch[a];
    if (step > box->high[a] - box->low[a] + 1) {
        box->exact = false;
    }
    box->high[a] += (count - 1) * step;
    return box->high[a] < axes->size[a];
}

void box_of(const struct box_axes *axes, const struct overlap_form *form, struct box *out)
{
    box_of_bytes(axes, form->offset, form->offset + form->run - 1, out);
    for (uint32_t i = 0; i < form->ndim; i++) {
        if (repeat(axes, form->stride[i], form->count[i], out)) {
            continue;
        }
        box_of_bytes(axes, form->offset, form->offset + form->extent - 1, out);
        out->exact = false;
        return;
    }
}
