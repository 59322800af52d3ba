/*
 * npy - numpy's array files, version 1, 2 and 3.
 *
 * Format: docs/formats.md, ".npy files". Read arrays come out in row-major order and
 * little-endian whatever the file says; structured and object arrays are refused.
 */
#ifndef L3R_ORCHESTRATOR_NPY_NPY_H
#define L3R_ORCHESTRATOR_NPY_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "common/base/error.h"
#include "common/plan/dtype.h"
#include "orchestrator/npy/npy_header.h"

/* Header of the file, with the check that its elements are all there. */
int npy_open(const char *path, struct npy *out, struct error *err);

/* A file that is kept open: what is read is what was there when it was opened, also when its name has gone or stands for
 * another file since. */
struct npy_file {
    int fd; /* -1: closed */
    struct npy header;
    off_t nbytes;
    struct timespec changed; /* when it was written to last */
};

int npy_file_open(struct npy_file *f, const char *path, struct error *err);
void npy_file_close(struct npy_file *f);

/* The elements, `header.count * header.size` bytes, row-major and little-endian, to `dst`; `path` is for messages. Fails
 * when the file was written to since it was opened. */
int npy_file_read(const struct npy_file *f, const char *path, void *dst, struct error *err);

/* Whether two files hold the same array, byte by byte; `path_a` and `path_b` are for messages. */
int npy_file_equal(const struct npy_file *a, const char *path_a, const struct npy_file *b, const char *path_b,
                   bool *equal, struct error *err);

/* Can elements of this array be taken as `type` without conversion? */
bool npy_holds(const struct npy *header, enum dtype type);

/* What the array's elements are called ("float32", "uint16", ...), in `buf`. */
const char *npy_type_name(const struct npy *header, char *buf, size_t size);

/* "(4, 128)" in `buf`, as numpy prints it. */
const char *npy_shape_text(uint32_t ndim, const int64_t *shape, char *buf, size_t size);

/* Write an array, whole or not at all. bfloat16 and fp8 are written as unsigned integers of their size. */
int npy_write(const char *path, enum dtype type, uint32_t ndim, const int64_t *shape, const void *data,
              struct error *err);

#endif
