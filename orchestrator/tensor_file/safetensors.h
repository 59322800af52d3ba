/*
 * safetensors - the tensors that the header of a .safetensors file names.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_SAFETENSORS_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_SAFETENSORS_H

#include "orchestrator/tensor_file/tensor.h"

/* Append those of a header of `size` bytes, NUL-terminated, in a file of `limit` bytes: at least 8 + size. */
int safetensors_read_header(const char *text, size_t size, const char *origin, uint64_t limit, struct tensor_list *out,
                            struct error *err);

#endif
