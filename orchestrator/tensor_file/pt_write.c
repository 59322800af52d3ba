/* .pt files of one tensor: a zip archive, stored, as torch.save() makes. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/tensor_file/element_types.h"
#include "orchestrator/tensor_file/format_writers.h"
#include "orchestrator/tensor_file/zip_writer.h"

/* --- the pickle --------------------------------------------------------------- */

static void put_number(FILE *f, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        fputc((int)(value >> 8 * i & 0xff), f);
    }
}

static void put_text(FILE *f, const char *text)
{
    fputc('X', f);
    put_number(f, strlen(text), 4);
    fputs(text, f);
}

static void put_global(FILE *f, const char *module, const char *name)
{
    fprintf(f, "c%s\n%s\n", module, name);
}

/* Eight bytes and their count: sizes of large tensors have more than 31 bits. */
static void put_size(FILE *f, uint64_t value)
{
    fputs("\x8a\x08", f);
    put_number(f, value, 8);
}

static void put_sizes(FILE *f, uint32_t ndim, const int64_t *sizes)
{
    fputc('(', f);
    for (uint32_t i = 0; i < ndim; i++) {
        put_size(f, (uint64_t)sizes[i]);
    }
    fputc('t', f);
}

/* _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks), or _v3 with the dtype at the end for types
 * that have no storage class of their own. */
static void put_tensor(FILE *f, const struct element_type *type, const struct tensor *t)
{
    const uint64_t nbytes = t->count * t->size;

    fputs("\x80\x02", f);
    put_global(f, "torch._utils", type->storage ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    fputs("((", f);
    put_text(f, "storage");
    put_global(f, type->storage ? "torch" : "torch.storage", type->storage ? type->storage : "UntypedStorage");
    put_text(f, "0");
    put_text(f, "cpu");
    put_size(f, type->storage ? t->count : nbytes);
    fputs("tQ", f);
    put_size(f, 0);
    put_sizes(f, t->ndim, t->shape);
    put_sizes(f, t->ndim, t->strides);
    fputc(0x89, f);
    put_global(f, "collections", "OrderedDict");
    fputs(")R", f);
    if (!type->storage) {
        put_global(f, "torch", type->torch);
    }
    fputs("tR.", f);
}

static int make_pickle(const struct element_type *type, const struct tensor *t, char **bytes, size_t *size,
                       struct error *err)
{
    FILE *f;

    *bytes = NULL;
    f = open_memstream(bytes, size);
    if (!f) {
        return error_nomem(err, "pickle", 512);
    }
    put_tensor(f, type, t);
    return ferror(f) | fclose(f) ? error_nomem(err, "pickle", 512) : 0;
}

/* --- the archive ---------------------------------------------------------------- */

int pt_write(const char *path, enum dtype type, uint32_t ndim, const int64_t *shape, const void *data,
             struct error *err)
{
    const struct element_type *element = element_type_of(type);
    struct tensor t = {.ndim = ndim};
    struct file_writer w;
    size_t size = 0;
    char *pickle;
    int rc;

    element_type_set(&t, element);
    if (ndim) {
        memcpy(t.shape, shape, ndim * sizeof *shape);
    }
    tensor_row_major(&t);
    if (tensor_measure(&t, UINT64_MAX, path, err)) {
        return -1;
    }
    rc = make_pickle(element, &t, &pickle, &size, err);
    if (rc == 0 && (rc = file_write_begin(&w, path, err)) == 0) {
        const struct zip_part parts[] = {{"archive/data.pkl", pickle, size},
                                         {"archive/byteorder", "little", strlen("little")},
                                         {"archive/data/0", data, t.count * t.size},
                                         {"archive/version", "3\n", strlen("3\n")}};
        rc = zip_write(w.stream, path, parts, sizeof parts / sizeof *parts, err);
        if (rc == 0) {
            rc = file_write_commit(&w, err);
        } else {
            file_write_abort(&w);
        }
    }
    free(pickle);
    return rc;
}
