/*
 * made_file - cache/.l3replay.made of a program: what each of its binaries was made of, by content.
 *
 * The stamp says which compilers the binaries were made by, and the Python tools compare it whole; this file is ours,
 * and says which bytes of sources and headers. A binary that is not the one that was put there with it is not known.
 * Format: docs/formats.md, "What binaries were made of".
 */
#ifndef L3R_RANK_WORKER_CACHE_MADE_FILE_H
#define L3R_RANK_WORKER_CACHE_MADE_FILE_H

#include "common/base/error.h"
#include "rank-worker/compile/hashes.h"
#include "rank-worker/compile/made_of.h"

#define MADE_FILE "cache/.l3replay.made"

struct made_entry {
    char *binary;      /* its name in cache/ */
    char *source;      /* path; below the program's directory relative to it */
    struct key object; /* content of the binary */
    struct made_of made;
};

struct made_file {
    size_t count, capacity;
    struct made_entry *items;
};

/* Read that of program directory `dir`. One that is missing, damaged or of another version is empty; -1 without
 * memory. */
int made_file_read(const char *dir, struct made_file *out, struct error *err);
void made_file_free(struct made_file *f); /* a zeroed struct is fine */

/* Append an entry with copies; `source` is an absolute path. */
int made_file_add(struct made_file *f, const char *dir, const char *binary, const char *source, struct key object,
                  const struct made_of *made, struct error *err);

/* Write it, whole or not at all; cache/ must exist. */
int made_file_write(const struct made_file *f, const char *dir, struct error *err);

/* Delete it; one that is not there is fine. */
int made_file_discard(const char *dir, struct error *err);

/* The entry of a binary in cache/, as it was put there: NULL when there is none, or the binary is another one. */
const struct made_entry *made_file_find(const struct made_file *f, const char *dir, const char *binary,
                                        struct hashes *hashes);

/* Whether the `nfile` binaries that lie in the build below `dir`, in cache/ and beside the sources, are those of the
 * file, and are made of what sources and headers are now. */
bool made_file_is_current(const struct made_file *f, const char *dir, size_t nfile, struct hashes *hashes);

/* Absolute path of an entry's source, to be freed; NULL: no memory. */
char *made_entry_source(const struct made_entry *e, const char *dir);

#endif
