/*
 * format_readers - what each format's reader gives tensor_file.c: the tensors of an open file.
 *
 * The reader appends to `out`, which the caller frees also after a failure. `head` is the file's beginning, `size` bytes of
 * it.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_FORMAT_READERS_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_FORMAT_READERS_H

#include "orchestrator/tensor_file/tensor.h"
#include "orchestrator/tensor_file/tensor_source.h"
#include "orchestrator/tensor_file/zipped.h"

enum { TENSOR_HEAD_SIZE = 65536 };

int npy_list(const struct tensor_source *f, const void *head, size_t size, struct tensor_list *out, struct error *err);
int npz_list(const struct tensor_source *f, struct zipped *zip, struct tensor_list *out, struct error *err);
int pt_list(const struct tensor_source *f, struct zipped *zip, struct tensor_list *out, struct error *err);
int safetensors_list(const struct tensor_source *f, const void *head, struct tensor_list *out,
                     struct error *err); /* at least 8 bytes of it */

#endif
