#include "orchestrator/tensor_file/tensor_elements.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/tensor_file/zipped.h"

bool tensor_elements_in_pieces(const struct tensor *t)
{
    return t->packed < 0 && tensor_is_row_major(t);
}

static void swap_bytes(unsigned char *data, uint64_t count, uint32_t size)
{
    for (uint64_t i = 0; i < count; i++, data += size) {
        for (uint32_t a = 0, b = size - 1; a < b; a++, b--) {
            unsigned char t = data[a];
            data[a] = data[b];
            data[b] = t;
        }
    }
}

static void round_elements(const float *wide, uint64_t count, unsigned char *dst)
{
    for (uint64_t i = 0; i < count; i++) {
        dtype_store(DTYPE_BFLOAT16, dst + i * dtype_size(DTYPE_BFLOAT16), (double)wide[i]);
    }
}

/* Walk `dst` in its order and step through `src`, where the elements lie with the tensor's strides. */
static void gather(const struct tensor *t, const char *src, char *dst)
{
    uint64_t index[PLAN_MAX_DIMS] = {0}, at = 0;

    for (uint64_t i = 0; i < t->count; i++, dst += t->size) {
        memcpy(dst, src + at * t->size, t->size);
        for (uint32_t d = t->ndim; d-- > 0;) {
            at += (uint64_t)t->strides[d];
            if (++index[d] < (uint64_t)t->shape[d]) {
                break;
            }
            at -= (uint64_t)t->strides[d] * (uint64_t)t->shape[d];
            index[d] = 0;
        }
    }
}

/* `span` elements that lie compressed: what is before them is unpacked too, and nothing behind them. */
static int unpack(const struct tensor_source *f, const struct tensor *t, char *dst, struct error *err)
{
    const uint64_t nbytes = t->span * t->size;
    struct zipped_entry e;
    struct zipped *zip;
    char *all = NULL;
    int rc = zipped_open(&zip, f->fd, f->path, err);

    if (rc == 0 && (rc = zipped_entry(zip, t->packed, &e, err)) == 0) {
        all = malloc(t->offset + nbytes);
        rc = all ? zipped_read(zip, &e, all, t->offset + nbytes, err) : error_nomem(err, f->path, t->offset + nbytes);
    }
    if (rc == 0) {
        memcpy(dst, all + t->offset, nbytes);
    }
    free(all);
    zipped_close(zip);
    return rc;
}

/* `count` elements as they lie in the file, from the first one on that is not before `first`. */
static int read_raw(const struct tensor_source *f, const struct tensor *t, uint64_t first, uint64_t count, void *dst,
                    struct error *err)
{
    int rc = t->packed >= 0 ? unpack(f, t, dst, err)
                            : tensor_source_bytes(f, dst, count * t->size, t->offset + first * t->size, err);

    if (rc == 0 && t->big_endian) {
        swap_bytes(dst, count, t->size);
    }
    return rc;
}

static int read_gathered(const struct tensor_source *f, const struct tensor *t, char *dst, struct error *err)
{
    char *raw = malloc(t->span * t->size);
    int rc = raw ? read_raw(f, t, 0, t->span, raw, err) : error_nomem(err, f->path, t->span * t->size);

    if (rc == 0) {
        gather(t, raw, dst);
    }
    free(raw);
    return rc;
}

static int read_elements(const struct tensor_source *f, const struct tensor *t, uint64_t first, uint64_t count,
                         void *dst, struct error *err)
{
    return tensor_is_row_major(t) ? read_raw(f, t, first, count, dst, err) : read_gathered(f, t, dst, err);
}

int tensor_elements_read(const struct tensor_source *f, const struct tensor *t, uint64_t first, uint64_t count,
                         bool round, void *dst, struct error *err)
{
    float *wide;
    int rc;

    if (count == 0) {
        return 0;
    }
    if (!round) {
        return read_elements(f, t, first, count, dst, err);
    }
    wide = malloc(count * sizeof *wide);
    rc = wide ? read_elements(f, t, first, count, wide, err) : error_nomem(err, f->path, count * sizeof *wide);
    if (rc == 0) {
        round_elements(wide, count, dst);
    }
    free(wide);
    return rc;
}
