/*
 * tensor_write - one tensor to a file of its own.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_WRITE_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_WRITE_H

#include "orchestrator/tensor_file/tensor_file.h"

/* Write `data`, row-major, whole or not at all. `name` is the tensor's key in a .safetensors file. Types that a format lacks
 * are written as unsigned integers of their size. `format` is one that tensor_format_parse() gives. */
int tensor_write(const char *path, enum tensor_format format, const char *name, enum dtype type, uint32_t ndim,
                 const int64_t *shape, const void *data, struct error *err);

#endif
