/*
 * tensor_source - an open file that tensors are read from.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_SOURCE_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_SOURCE_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/base/error.h"

struct tensor_source {
    char *path;         /* as it was opened, for messages */
    int fd;             /* -1: closed */
    struct stat opened; /* what the file was when it was opened */
};

/* Open `path`, a regular file. After a failure there is nothing to close. */
int tensor_source_open(struct tensor_source *s, const char *path, struct error *err);
void tensor_source_release(struct tensor_source *s); /* closes the file; its path stays */
void tensor_source_close(struct tensor_source *s);

/* `size` bytes from `offset` on; -1 with `err` also when the file has become too short for them. Any thread. */
int tensor_source_bytes(const struct tensor_source *s, void *dst, uint64_t size, uint64_t offset, struct error *err);

/* -1 with `err` when the file was written to since it was opened. */
int tensor_source_unchanged(const struct tensor_source *s, struct error *err);

#endif
