/*
 * format_writers - each format's writer of one tensor, for tensor_write.c. Files appear whole or not at all.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_FORMAT_WRITERS_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_FORMAT_WRITERS_H

#include "orchestrator/tensor_file/tensor.h"

/* bfloat16 and fp8 are written as unsigned integers of their size. */
int npy_write(const char *path, enum dtype type, uint32_t ndim, const int64_t *shape, const void *data,
              struct error *err);

/* As torch.save() of one tensor. */
int pt_write(const char *path, enum dtype type, uint32_t ndim, const int64_t *shape, const void *data,
             struct error *err);

int safetensors_write(const char *path, const char *name, enum dtype type, uint32_t ndim, const int64_t *shape,
                      const void *data, struct error *err);

#endif
