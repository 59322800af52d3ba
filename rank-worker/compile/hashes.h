/*
 * hashes - content hashes of files, each file read once per run.
 *
 * Hundreds of headers are shared by all sources of a build. A file is examined
 * once between two calls of hashes_refresh(), and read again only when its
 * size, inode or times changed since.
 */
#ifndef L3R_RANK_WORKER_COMPILE_HASHES_H
#define L3R_RANK_WORKER_COMPILE_HASHES_H

#include <time.h>

#include "rank-worker/compile/store.h"

struct hashes;

struct hashes *hashes_new(void); /* NULL: no memory */
void hashes_free(struct hashes *h);

/* Files may have changed: examine them again from now on. */
void hashes_refresh(struct hashes *h);

/* Content hash of the file, and, when `newest` is not NULL, the later one of it and the file's last change. -1
 * when it cannot be read. */
int hashes_file(struct hashes *h, const char *path, struct key *key, struct timespec *newest);

#endif
