/*
 * tensor - one tensor of a file: what it is called, what its elements are, and where their bytes lie.
 *
 * Nothing here reads a file. Readers of formats add tensors to a list; tensor_read.h reads their elements.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/dtype.h"
#include "common/plan/plan.h"

enum { TENSOR_TYPE_SIZE = 32, TENSOR_SHAPE_SIZE = PLAN_MAX_DIMS * 24 };

struct tensor {
    char *name;                  /* the key in its file; "" in a file of one tensor without a key */
    char type[TENSOR_TYPE_SIZE]; /* of the elements, as the libraries call it: "float32", "complex64" */
    enum dtype dtype;            /* DTYPE_COUNT: one that no parameter has */
    bool bits;       /* unsigned integers or raw bytes, which may be the bits of a type that the format lacks */
    bool big_endian; /* never with one-byte elements */
    uint32_t size;   /* bytes an element */
    uint32_t ndim;
    int64_t shape[PLAN_MAX_DIMS];
    int64_t strides[PLAN_MAX_DIMS]; /* in elements, not negative */
    uint64_t count;                 /* elements, without those that a stride of 0 repeats in the file */
    uint64_t span;                  /* elements in the file from the first to the last one, both included; 0: none */
    uint64_t offset; /* of the first element in the file, in bytes; of a packed one in what it unpacks to */
    int64_t packed;  /* which compressed entry of the archive holds it; -1: the bytes lie in the file */
};

/* Those of one file. */
struct tensor_list {
    struct tensor *items;
    size_t count, capacity;
};

/* Row-major strides for the shape that is there. */
void tensor_row_major(struct tensor *t);

/* Compute `count` and `span` of the shape and strides that are there, and check that the elements from `offset` on are within
 * `limit` bytes. `origin` names file and tensor in errors. */
int tensor_measure(struct tensor *t, uint64_t limit, const char *origin, struct error *err);

/* Do the elements lie in row-major order without gaps? */
bool tensor_is_row_major(const struct tensor *t);

/* Append a copy called `name`, of `length` bytes. */
int tensor_list_add(struct tensor_list *list, const struct tensor *t, const char *name, size_t length,
                    struct error *err);
void tensor_list_free(struct tensor_list *list); /* a zeroed struct is fine */

/* Can its elements be taken as `type` without conversion? */
bool tensor_holds(const struct tensor *t, enum dtype type);

/* Are dtype, shape and byte order the same? */
bool tensor_same_kind(const struct tensor *a, const struct tensor *b);

/* "(4, 128)" in `buf`, as Python prints it. */
const char *tensor_shape_text(uint32_t ndim, const int64_t *shape, char *buf, size_t size);

#endif
