/*
 * tensor_pool - files that several tensors are wanted from, each opened once.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_POOL_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_POOL_H

#include "orchestrator/tensor_file/tensor_file.h"

struct tensor_pool {
    struct tensor_file **files;
    size_t count, capacity;
};

/* Open what was typed, "FILE" or "FILE:KEY" (a file whose name holds the colon comes first), unless it is open already.
 * Without a KEY it is the file's only tensor, or the one that has one of the two names (`plain_length` bytes of it are
 * the second): none or several left is an error that lists what is there. `*file` and `*tensor` belong to the pool. */
int tensor_pool_open(struct tensor_pool *pool, const char *typed, const char *name, size_t plain_length,
                     const struct tensor_file **file, const struct tensor **tensor, struct error *err);
/* Close the files, whose memory may go then; what they list stays known, and nothing more can be read. */
void tensor_pool_release(struct tensor_pool *pool);
void tensor_pool_close(struct tensor_pool *pool); /* a zeroed struct is fine */

#endif
