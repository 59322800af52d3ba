#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/plan.h"
#include "common/plan/plan_rules.h"

/* "plan" and the version of this layout: a block of another build of the program is refused, not misread. */
#define PACK_MAGIC UINT64_C(0x6e616c7000000001)

enum { PACK_ALIGN = 64, PACK_ARRAYS = 14 };

/* The block is this header, padded to PACK_ALIGN, then each array at the next multiple of it. */
struct pack_header {
    uint64_t magic, nbytes;
    uint32_t world_size;
    uint32_t nstorage, nview, ndomain, nbuffer, nprogram, nsub, nnode, ncard, nnote, ngroup, nsublane;
    uint64_t narg, nscalar, npred, ndim, ntext;
};

struct pack_array {
    void **pointer;
    uint64_t count;
    size_t size;
};

static void list_arrays(struct plan *p, struct pack_array *a)
{
    const struct pack_array arrays[PACK_ARRAYS] = {
        {(void **)&p->storages, p->nstorage, sizeof *p->storages},
        {(void **)&p->views, p->nview, sizeof *p->views},
        {(void **)&p->domains, p->ndomain, sizeof *p->domains},
        {(void **)&p->buffers, p->nbuffer, sizeof *p->buffers},
        {(void **)&p->notes, p->nnote, sizeof *p->notes},
        {(void **)&p->programs, p->nprogram, sizeof *p->programs},
        {(void **)&p->subs, p->nsub, sizeof *p->subs},
        {(void **)&p->nodes, p->nnode, sizeof *p->nodes},
        {(void **)&p->cards, p->ncard, sizeof *p->cards},
        {(void **)&p->args, p->narg, sizeof *p->args},
        {(void **)&p->scalars, p->nscalar, sizeof *p->scalars},
        {(void **)&p->preds, p->npred, sizeof *p->preds},
        {(void **)&p->dims, p->ndim, sizeof *p->dims},
        {(void **)&p->text, p->ntext, sizeof *p->text},
    };

    memcpy(a, arrays, sizeof arrays);
}

/* Offset of the end of an array that begins at or after `at`; -1 when it does not fit 63 bits. */
static int place(uint64_t at, const struct pack_array *a, uint64_t *begin, uint64_t *end)
{
    uint64_t nbytes;

    *begin = (at + PACK_ALIGN - 1) & ~(uint64_t)(PACK_ALIGN - 1);
    return __builtin_mul_overflow(a->count, (uint64_t)a->size, &nbytes) || nbytes > INT64_MAX / 2 ||
                   (*end = *begin + nbytes) > INT64_MAX / 2
               ? -1
               : 0;
}

int plan_pack(const struct plan *p, void **block, size_t *nbytes, struct error *err)
{
    struct plan copy = *p;
    struct pack_array arrays[PACK_ARRAYS];
    uint64_t begin[PACK_ARRAYS], end = sizeof(struct pack_header);
    struct pack_header header = {.magic = PACK_MAGIC,
                                 .world_size = p->world_size,
                                 .nstorage = p->nstorage,
                                 .nview = p->nview,
                                 .ndomain = p->ndomain,
                                 .nbuffer = p->nbuffer,
                                 .nprogram = p->nprogram,
                                 .nsub = p->nsub,
                                 .nnode = p->nnode,
                                 .ncard = p->ncard,
                                 .nnote = p->nnote,
                                 .ngroup = p->ngroup,
                                 .nsublane = p->nsublane,
                                 .narg = p->narg,
                                 .nscalar = p->nscalar,
                                 .npred = p->npred,
                                 .ndim = p->ndim,
                                 .ntext = p->ntext};
    char *out;

    list_arrays(&copy, arrays);
    for (int i = 0; i < PACK_ARRAYS; i++) {
        if (place(end, &arrays[i], &begin[i], &end)) {
            return error_set(err, "plan", NULL, "the plan is too big to be sent");
        }
    }
    end = (end + PACK_ALIGN - 1) & ~(uint64_t)(PACK_ALIGN - 1);
    header.nbytes = end;
    out = aligned_alloc(PACK_ALIGN, end);
    if (!out) {
        return error_nomem(err, "plan", end);
    }
    memset(out, 0, end);
    memcpy(out, &header, sizeof header);
    for (int i = 0; i < PACK_ARRAYS; i++) {
        if (arrays[i].count) {
            memcpy(out + begin[i], *arrays[i].pointer, arrays[i].count * arrays[i].size);
        }
    }
    *block = out;
    *nbytes = end;
    return 0;
}

int plan_unpack(struct plan *p, void *block, size_t nbytes, bool own, struct error *err)
{
    struct pack_header header;
    struct pack_array arrays[PACK_ARRAYS];
    uint64_t begin, end = sizeof header;

    *p = (struct plan){0};
    if (nbytes < sizeof header || (uintptr_t)block % PACK_ALIGN != 0) {
        return error_set(err, "plan", NULL, "packed plan of %zu bytes is too short or not aligned", nbytes);
    }
    memcpy(&header, block, sizeof header);
    if (header.magic != PACK_MAGIC) {
        return error_set(err, "plan", "install the same l3replay on every host", "packed plan of another version");
    }
    if (header.nbytes != nbytes) {
        return error_set(err, "plan", NULL, "packed plan of %zu bytes says it has %" PRIu64, nbytes, header.nbytes);
    }
    *p = (struct plan){.world_size = header.world_size,
                       .nstorage = header.nstorage,
                       .nview = header.nview,
                       .ndomain = header.ndomain,
                       .nbuffer = header.nbuffer,
                       .nprogram = header.nprogram,
                       .nsub = header.nsub,
                       .nnode = header.nnode,
                       .ncard = header.ncard,
                       .nnote = header.nnote,
                       .ngroup = header.ngroup,
                       .nsublane = header.nsublane,
                       .narg = header.narg,
                       .nscalar = header.nscalar,
                       .npred = header.npred,
                       .ndim = header.ndim,
                       .ntext = header.ntext};
    list_arrays(p, arrays);
    for (int i = 0; i < PACK_ARRAYS; i++) {
        if (place(end, &arrays[i], &begin, &end) || end > nbytes) {
            *p = (struct plan){0};
            return error_set(err, "plan", NULL, "packed plan of %zu bytes has counts that do not fit it", nbytes);
        }
        *arrays[i].pointer = (char *)block + begin;
    }
    if (plan_check(p, err)) {
        *p = (struct plan){0};
        return -1;
    }
    if (own) {
        p->image = block;
    }
    return 0;
}
