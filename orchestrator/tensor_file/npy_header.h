/*
 * npy_header - what the header of a .npy file says about its elements.
 *
 * Format: docs/formats.md, "Tensor files". Structured and object arrays are refused.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_NPY_HEADER_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/plan.h"

struct npy {
    char kind;       /* numpy's letter: 'f', 'i', 'u', 'b', 'V', 'c', ... */
    uint32_t size;   /* bytes an element */
    bool big_endian; /* never with one-byte elements */
    bool fortran;    /* first index fastest */
    uint32_t ndim;
    int64_t shape[PLAN_MAX_DIMS];
    uint64_t count;  /* elements */
    uint64_t offset; /* of the first element in the file */
};

/* Header from the first `size` bytes of a file; `origin` is named in errors. */
int npy_parse(const void *bytes, size_t size, const char *origin, struct npy *out, struct error *err);

#endif
