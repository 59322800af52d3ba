#include "orchestrator/npy/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are handed on as they lie in memory");

/* Plain arrays have headers of about 100 bytes; larger ones describe records. */
enum { HEADER_MAX = 65536 };

static int read_at(int fd, void *buf, size_t size, uint64_t offset, size_t *got)
{
    for (*got = 0; *got < size;) {
        ssize_t n = pread(fd, (char *)buf + *got, size - *got, (off_t)(offset + *got));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        if (n == 0) {
            return 0;
        }
        *got += (size_t)n;
    }
    return 0;
}

static int stat_file(int fd, const char *path, struct stat *st, struct error *err)
{
    return fstat(fd, st) ? error_errno(err, path, file_errno_hint(errno), "cannot examine %s", path) : 0;
}

static int read_header(int fd, const char *path, struct npy *out, struct error *err)
{
    unsigned char *buf;
    struct stat st;
    size_t got;
    int rc;

    if (stat_file(fd, path, &st, err)) {
        return -1;
    }
    if (!S_ISREG(st.st_mode)) {
        return error_set(err, path, "name a .npy file", "%s is not a regular file", path);
    }
    buf = malloc(HEADER_MAX);
    if (!buf) {
        return error_nomem(err, path, HEADER_MAX);
    }
    rc = read_at(fd, buf, HEADER_MAX, 0, &got) ? error_errno(err, path, file_errno_hint(errno), "cannot read %s", path)
                                               : npy_parse(buf, got, path, out, err);
    free(buf);
    if (rc == 0 && (uint64_t)st.st_size - out->offset < out->count * out->size) {
        rc = error_set(err, path, "save or copy the array again",
                       "%s is cut short: its header promises %llu bytes of elements, it has %llu", path,
                       (unsigned long long)(out->count * out->size),
                       (unsigned long long)((uint64_t)st.st_size - out->offset));
    }
    return rc;
}

int npy_file_open(struct npy_file *f, const char *path, struct error *err)
{
    struct stat st;

    *f = (struct npy_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (f->fd < 0) {
        return error_errno(err, path, file_errno_hint(errno), "cannot open %s", path);
    }
    if (read_header(f->fd, path, &f->header, err) || stat_file(f->fd, path, &st, err)) {
        npy_file_close(f);
        return -1;
    }
    f->nbytes = st.st_size;
    f->changed = st.st_mtim;
    return 0;
}

void npy_file_close(struct npy_file *f)
{
    if (f->fd >= 0) {
        close(f->fd);
    }
    f->fd = -1;
}

int npy_open(const char *path, struct npy *out, struct error *err)
{
    struct npy_file f;

    if (npy_file_open(&f, path, err)) {
        return -1;
    }
    *out = f.header;
    npy_file_close(&f);
    return 0;
}

/* --- conversion --------------------------------------------------------- */

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

/* `src` has the first index fastest; walk `dst` in its order and step through `src`. */
static void from_fortran(unsigned char *dst, const unsigned char *src, const struct npy *h)
{
    uint64_t step[PLAN_MAX_DIMS], index[PLAN_MAX_DIMS] = {0}, at = 0, stride = h->size;

    for (uint32_t d = 0; d < h->ndim; d++) {
        step[d] = stride;
        stride *= (uint64_t)h->shape[d];
    }
    for (uint64_t i = 0; i < h->count; i++, dst += h->size) {
        memcpy(dst, src + at, h->size);
        for (uint32_t d = h->ndim; d-- > 0;) {
            at += step[d];
            if (++index[d] < (uint64_t)h->shape[d]) {
                break;
            }
            at -= step[d] * (uint64_t)h->shape[d];
            index[d] = 0;
        }
    }
}

static int read_elements(int fd, const char *path, const struct npy *h, void *dst, struct error *err)
{
    size_t nbytes = h->count * h->size, got;
    void *raw = dst;
    int rc = 0;

    if (h->fortran && h->ndim > 1) {
        raw = malloc(nbytes ? nbytes : 1);
        if (!raw) {
            return error_nomem(err, path, nbytes);
        }
    }
    if (read_at(fd, raw, nbytes, h->offset, &got)) {
        rc = error_errno(err, path, file_errno_hint(errno), "cannot read %s", path);
    } else if (got != nbytes) {
        rc = error_set(err, path, "try again when nothing writes to it", "%s became shorter while it was read", path);
    }
    if (rc == 0 && h->big_endian) {
        swap_bytes(raw, h->count, h->size);
    }
    if (raw != dst) {
        if (rc == 0) {
            from_fortran(dst, raw, h);
        }
        free(raw);
    }
    return rc;
}

int npy_file_read(const struct npy_file *f, const char *path, void *dst, struct error *err)
{
    struct stat now;

    if (read_elements(f->fd, path, &f->header, dst, err) || stat_file(f->fd, path, &now, err)) {
        return -1;
    }
    if (now.st_size != f->nbytes || now.st_mtim.tv_sec != f->changed.tv_sec ||
        now.st_mtim.tv_nsec != f->changed.tv_nsec) {
        return error_set(err, path, "replay again when nothing writes to it", "%s was changed during the replay", path);
    }
    return 0;
}

static bool same_header(const struct npy *a, const struct npy *b)
{
    return a->kind == b->kind && a->size == b->size && a->big_endian == b->big_endian && a->fortran == b->fortran &&
           a->ndim == b->ndim && memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0;
}

int npy_file_equal(const struct npy_file *a, const char *path_a, const struct npy_file *b, const char *path_b,
                   bool *equal, struct error *err)
{
    unsigned char one[8192], other[sizeof one];
    uint64_t nbytes = a->header.count * a->header.size, at = 0;

    *equal = same_header(&a->header, &b->header);
    while (*equal && at < nbytes) {
        size_t n = nbytes - at < sizeof one ? (size_t)(nbytes - at) : sizeof one, got_one, got_other;

        if (read_at(a->fd, one, n, a->header.offset + at, &got_one)) {
            return error_errno(err, path_a, file_errno_hint(errno), "cannot read %s", path_a);
        }
        if (read_at(b->fd, other, n, b->header.offset + at, &got_other)) {
            return error_errno(err, path_b, file_errno_hint(errno), "cannot read %s", path_b);
        }
        *equal = got_one == n && got_other == n && memcmp(one, other, n) == 0;
        at += n;
    }
    return 0;
}

/* --- types -------------------------------------------------------------- */

bool npy_holds(const struct npy *header, enum dtype type)
{
    const char *descr = dtype_npy_descr(type);

    if (header->size != dtype_size(type)) {
        return false;
    }
    if (header->kind == descr[1]) {
        return true;
    }
    /* numpy has no such types; ml_dtypes saves them as raw bytes. */
    return header->kind == 'V' &&
           (type == DTYPE_BFLOAT16 || type == DTYPE_FP8E4M3FN || type == DTYPE_FP8E8M0 || type == DTYPE_FP4E2M1);
}

const char *npy_type_name(const struct npy *header, char *buf, size_t size)
{
    const char *word = header->kind == 'f'   ? "float"
                       : header->kind == 'i' ? "int"
                       : header->kind == 'u' ? "uint"
                       : header->kind == 'c' ? "complex"
                                             : NULL;

    if (word) {
        snprintf(buf, size, "%s%u", word, header->size * 8);
    } else if (header->kind == 'b') {
        snprintf(buf, size, "bool");
    } else {
        snprintf(buf, size, "%c%u", header->kind, header->size);
    }
    return buf;
}

const char *npy_shape_text(uint32_t ndim, const int64_t *shape, char *buf, size_t size)
{
    size_t used = (size_t)snprintf(buf, size, "(");

    for (uint32_t i = 0; i < ndim && used < size; i++) {
        used += (size_t)snprintf(buf + used, size - used, "%s%lld", i ? ", " : "", (long long)shape[i]);
    }
    if (used < size) {
        snprintf(buf + used, size - used, ndim == 1 ? ",)" : ")");
    }
    return buf;
}

/* --- writing ------------------------------------------------------------ */

int npy_write(const char *path, enum dtype type, uint32_t ndim, const int64_t *shape, const void *data,
              struct error *err)
{
    char dims[PLAN_MAX_DIMS * 24], dict[sizeof dims + 128];
    unsigned char prefix[10] = "\x93NUMPY\x01\x00";
    uint64_t nbytes = dtype_size(type);
    struct file_writer w;
    size_t length;

    for (uint32_t i = 0; i < ndim; i++) {
        nbytes *= (uint64_t)shape[i];
    }
    length = (size_t)snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                              dtype_npy_descr(type), npy_shape_text(ndim, shape, dims, sizeof dims));
    /* Prefix and header together are a multiple of 64 bytes, padded with blanks, and end in a newline. */
    while ((sizeof prefix + length + 1) % 64) {
        dict[length++] = ' ';
    }
    dict[length++] = '\n';
    prefix[8] = (unsigned char)(length & 0xff);
    prefix[9] = (unsigned char)(length >> 8);
    if (file_write_begin(&w, path, err)) {
        return -1;
    }
    errno = 0;
    /* Short writes are found by ferror() in the commit. */
    fwrite(prefix, 1, sizeof prefix, w.stream);
    fwrite(dict, 1, length, w.stream);
    fwrite(data, 1, nbytes, w.stream);
    return file_write_commit(&w, err);
}
