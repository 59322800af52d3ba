/*
 * dtype - element types, under the three names the stack uses for them.
 *
 * Numbers are the runtime's (docs/formats.md, "Element types"). A type has a
 * metadata name ("fp32"), a runtime name ("FLOAT32", what host_orch.py writes
 * after DataType.), and a numpy descriptor ("<f4"; bfloat16 and the fp8 types
 * have none and travel in .npy files as unsigned integers of their size).
 */
#ifndef L3R_COMMON_PLAN_DTYPE_H
#define L3R_COMMON_PLAN_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

enum dtype {
    DTYPE_FLOAT32 = 0,
    DTYPE_FLOAT16,
    DTYPE_INT32,
    DTYPE_INT16,
    DTYPE_INT8,
    DTYPE_UINT8,
    DTYPE_BFLOAT16,
    DTYPE_INT64,
    DTYPE_UINT64,
    DTYPE_UINT16,
    DTYPE_UINT32,
    DTYPE_BOOL,
    DTYPE_FP8E4M3FN,
    DTYPE_FP8E8M0,
    DTYPE_FP4E2M1,
    DTYPE_FLOAT64, /* torch only: host tensors may have it, no device takes it */
    DTYPE_COUNT,
};

/* Bytes an element takes in host memory; 1 for the sub-byte types. */
size_t dtype_size(enum dtype type);

bool dtype_is_float(enum dtype type);

/* Metadata name: "fp32", "bfloat16", ... ("index" parses as int64). */
const char *dtype_name(enum dtype type);
int dtype_parse(const char *name, enum dtype *type); /* 0, or -1: unknown */

/* Runtime name: "FLOAT32", "BFLOAT16", ... */
const char *dtype_runtime_name(enum dtype type);
int dtype_parse_runtime(const char *name, enum dtype *type); /* 0, or -1: unknown */

/* numpy descriptor written for this type: "<f4", "<u2" for bfloat16, "|b1", ... */
const char *dtype_npy_descr(enum dtype type);

/* Element to and from double, for comparison and generation. 64-bit integers lose bits above 2^53. */
double dtype_load(enum dtype type, const void *element);
void dtype_store(enum dtype type, void *element, double value);

#endif
