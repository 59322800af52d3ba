/*
 * pt - the tensors that the pickle of a .pt file describes.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_PT_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_PT_H

#include "orchestrator/tensor_file/tensor.h"

/* Where the bytes of the storage called `key` lie. */
struct pt_storage {
    uint64_t offset, nbytes;
    int64_t packed; /* as struct tensor */
};

/* Finds a storage: 0, or -1 with `err` when there is none. */
typedef int pt_find_storage(void *context, const char *key, struct pt_storage *out, struct error *err);

/* Append the tensors of a pickle of `size` bytes: the one that it holds, without a name, or those of dicts and lists, each
 * by its keys and indices with dots between them. Other values in them are passed over. */
int pt_read_pickle(const void *pickle, size_t size, const char *origin, pt_find_storage *find, void *context,
                   struct tensor_list *out, struct error *err);

#endif
