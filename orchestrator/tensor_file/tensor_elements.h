/*
 * tensor_elements - some elements of a tensor, as they are wanted in memory: row-major, little-endian.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_ELEMENTS_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_ELEMENTS_H

#include "orchestrator/tensor_file/tensor.h"
#include "orchestrator/tensor_file/tensor_source.h"

/* Can any part of it be read without the rest? No where it is compressed, or not row-major in the file. */
bool tensor_elements_in_pieces(const struct tensor *t);

/* Elements `first` to `first + count` to `dst`; all of them where it cannot be read in pieces. With `round` they are float32
 * and stored as the nearest bfloat16. Any thread. */
int tensor_elements_read(const struct tensor_source *f, const struct tensor *t, uint64_t first, uint64_t count,
                         bool round, void *dst, struct error *err);

#endif
