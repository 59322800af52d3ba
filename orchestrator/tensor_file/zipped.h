/*
 * zipped - a zip archive on an open descriptor (over libzip): its entries, and where their bytes lie.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_ZIPPED_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_ZIPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct zipped;

struct zipped_entry {
    const char *name; /* the archive's */
    uint64_t size;    /* bytes, unpacked */
    int64_t index;
    bool stored; /* not compressed: the bytes lie in the file */
};

/* `fd` stays the caller's and must stay open; its offset is not used. `path` is for messages and not kept. */
int zipped_open(struct zipped **out, int fd, const char *path, struct error *err);
void zipped_close(struct zipped *z); /* NULL is fine */

int64_t zipped_count(const struct zipped *z);

/* Entry number `index`; -1 with `err` when it is encrypted or cannot be read. */
int zipped_entry(struct zipped *z, int64_t index, struct zipped_entry *out, struct error *err);

/* The entry called `name`: 1 found, 0 there is none, -1 with `err`. */
int zipped_find(struct zipped *z, const char *name, struct zipped_entry *out, struct error *err);

/* Where a stored entry's bytes begin in the file; all of them are there. */
int zipped_place(struct zipped *z, const struct zipped_entry *entry, uint64_t *offset, struct error *err);

/* The first `size` bytes of an entry, unpacked; with its checksum when that is all of it. */
int zipped_read(struct zipped *z, const struct zipped_entry *entry, void *dst, uint64_t size, struct error *err);

#endif
