/*
 * tensor_read - elements of tensors, from their files straight to where they are used.
 *
 * Row-major and little-endian whatever the file holds. Many tensors are read at once, large ones in pieces, by several
 * threads. What two places need is read once and copied.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_READ_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_READ_H

#include "orchestrator/tensor_file/tensor_file.h"

struct tensor_job {
    const struct tensor_file *file;
    const struct tensor *tensor; /* of the file */
    void *dst;                   /* count * size bytes; half of it with `round` */
    bool round;                  /* the elements are float32; the nearest bfloat16 is stored, ties to even */
};

/* Read all of them. Fails when a file was written to since it was opened. */
int tensor_read_all(const struct tensor_job *jobs, size_t count, struct error *err);

/* One tensor. */
int tensor_read(const struct tensor_file *f, const struct tensor *t, void *dst, struct error *err);

/* Whether two hold the same elements in the same shape, bit by bit. */
int tensor_equal(const struct tensor_file *fa, const struct tensor *a, const struct tensor_file *fb,
                 const struct tensor *b, bool *equal, struct error *err);

#endif
