/* .npy files, and the arrays of .npz files: what their headers say, as tensors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/tensor_file/format_readers.h"
#include "orchestrator/tensor_file/npy_header.h"

static void set_type(struct tensor *t, const struct npy *h)
{
    const char *word = h->kind == 'f'   ? "float"
                       : h->kind == 'i' ? "int"
                       : h->kind == 'u' ? "uint"
                       : h->kind == 'c' ? "complex"
                                        : NULL;

    t->size = h->size;
    t->big_endian = h->big_endian;
    /* numpy has no bfloat16 and no small floats; ml_dtypes saves them as raw bytes. */
    t->bits = h->kind == 'u' || h->kind == 'V';
    t->dtype = DTYPE_COUNT;
    for (int type = 0; type < DTYPE_COUNT; type++) {
        const bool lacking =
            type == DTYPE_BFLOAT16 || type == DTYPE_FP8E4M3FN || type == DTYPE_FP8E8M0 || type == DTYPE_FP4E2M1;
        if (!lacking && dtype_npy_descr((enum dtype)type)[1] == h->kind && dtype_size((enum dtype)type) == h->size) {
            t->dtype = (enum dtype)type;
        }
    }
    if (word) {
        snprintf(t->type, sizeof t->type, "%s%u", word, h->size * 8);
    } else if (h->kind == 'b') {
        snprintf(t->type, sizeof t->type, "bool");
    } else {
        snprintf(t->type, sizeof t->type, "%c%u", h->kind, h->size);
    }
}

static void set_shape(struct tensor *t, const struct npy *h)
{
    int64_t step = 1;

    t->ndim = h->ndim;
    memcpy(t->shape, h->shape, sizeof t->shape);
    tensor_row_major(t);
    for (uint32_t d = 0; h->fortran && d < t->ndim; d++) {
        t->strides[d] = step;
        step *= t->shape[d] > 0 ? t->shape[d] : 1; /* the header's reader has found that the product fits */
    }
}

/* `begin`: of the array's file in the whole file, or in what the compressed entry `packed` unpacks to; `limit`: its end. */
static int add(struct tensor_list *out, const struct npy *h, const char *name, size_t length, uint64_t begin,
               uint64_t limit, int64_t packed, const char *origin, struct error *err)
{
    struct tensor t = {.offset = begin + h->offset, .packed = packed};

    set_type(&t, h);
    set_shape(&t, h);
    return tensor_measure(&t, limit, origin, err) ? -1 : tensor_list_add(out, &t, name, length, err);
}

int npy_list(const struct tensor_source *f, const void *head, size_t size, struct tensor_list *out, struct error *err)
{
    struct npy h;

    if (npy_parse(head, size, f->path, &h, err)) {
        return -1;
    }
    return add(out, &h, "", 0, 0, (uint64_t)f->opened.st_size, -1, f->path, err);
}

static int add_entry(const struct tensor_source *f, struct zipped *zip, const struct zipped_entry *e, void *head,
                     struct tensor_list *out, struct error *err)
{
    const size_t size = e->size < TENSOR_HEAD_SIZE ? (size_t)e->size : TENSOR_HEAD_SIZE;
    uint64_t begin = 0;
    char origin[512];
    struct npy h;

    snprintf(origin, sizeof origin, "%.250s:%.200s", f->path, e->name);
    if ((e->stored && zipped_place(zip, e, &begin, err)) || zipped_read(zip, e, head, size, err) ||
        npy_parse(head, size, origin, &h, err)) {
        return -1;
    }
    return add(out, &h, e->name, strlen(e->name) - strlen(".npy"), begin, begin + e->size, e->stored ? -1 : e->index,
               origin, err);
}

int npz_list(const struct tensor_source *f, struct zipped *zip, struct tensor_list *out, struct error *err)
{
    void *head = malloc(TENSOR_HEAD_SIZE);
    int rc = head ? 0 : error_nomem(err, f->path, TENSOR_HEAD_SIZE);

    for (int64_t i = 0; rc == 0 && i < zipped_count(zip); i++) {
        struct zipped_entry e;
        size_t length;

        rc = zipped_entry(zip, i, &e, err);
        length = rc ? 0 : strlen(e.name);
        if (rc == 0 && length > 4 && strcmp(e.name + length - 4, ".npy") == 0) {
            rc = add_entry(f, zip, &e, head, out, err);
        }
    }
    free(head);
    if (rc == 0 && out->count == 0) {
        return error_set(err, f->path, "name a .npy, .npz, .pt or .safetensors file",
                         "%s is a zip archive without tensors: it holds no data.pkl and no .npy", f->path);
    }
    return rc;
}
