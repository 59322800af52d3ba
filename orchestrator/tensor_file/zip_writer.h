/*
 * zip_writer - a zip archive of uncompressed entries (over libzip), written to a stream.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_ZIP_WRITER_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_ZIP_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/error.h"

struct zip_part {
    const char *name;
    const void *data;
    uint64_t size;
};

/* Write them in this order from the stream's beginning; it must be a file that can be sought in. The stream stays open,
 * also after a failure; `path` is for messages. */
int zip_write(FILE *stream, const char *path, const struct zip_part *parts, size_t count, struct error *err);

#endif
