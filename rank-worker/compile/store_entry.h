/*
 * store_entry - entries of the object store that were not written by us, or not as they are now.
 *
 * Whatever lies under an entry's name was found there: it may be cut, of zero bytes, overwritten, a FIFO, a link to a
 * device, a directory. Entries therefore end in a seal, a line with a hash of the bytes before it, which a loader of
 * ELF files does not look at. What has no right seal counts as not there, so that it is made again, and what stands in
 * the place is removed. Nothing here waits for a FIFO's other end.
 */
#ifndef L3R_RANK_WORKER_COMPILE_STORE_ENTRY_H
#define L3R_RANK_WORKER_COMPILE_STORE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum { STORE_SEAL_SIZE = 48 }; /* of its text, with a NUL */

/* Open a file of the store. With O_CREAT in `flags`, what is at `path` and no regular file is removed first. -1 with
 * errno set; a FIFO, device or directory that may not be replaced is EINVAL. */
int store_open_file(const char *path, int flags);

/* Remove what is at `path`, a directory with all that is in it. Nothing is left there, or the next use of the name fails. */
void store_clear(const char *path);

/* Append the seal to a finished file that is not yet in its place. */
int store_seal(const char *path, struct error *err);

/* Whether a compiler wrote a whole ELF file there. */
bool store_is_elf(const char *path);

/* Whether a sealed ELF file is there, as it was sealed. */
bool store_has_object(const char *path);

/* Whether a compiler wrote a file there: regular and not empty. */
bool store_is_file(const char *path);

/* Precompiled headers: clang would take a seal behind them for a part of them, so it is a file of its own. Its path, to be
 * freed (NULL: out of memory); its text, of a finished file that is not yet in its place; and whether the file `path` is
 * there as that seal says. */
char *store_seal_path(const char *path);
int store_seal_text(const char *path, char text[STORE_SEAL_SIZE], struct error *err);
bool store_has_file(const char *path);

/* A text with its seal, `*sealed_nbytes` long; NULL when out of memory. And the text of a sealed file; NULL when it is not
 * there or not whole. The caller frees both. */
char *store_sealed_text(const char *text, size_t nbytes, size_t *sealed_nbytes);
char *store_kept_text(const char *path);

/* What to do about a failed operation in the store, by errno. */
const char *store_hint(int errnum);

#endif
