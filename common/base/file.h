/*
 * file - files that are read whole, and files that appear whole.
 *
 * A written file is made beside its place under a name of its own, flushed to
 * the disk, and renamed: who looks sees the old content or the new, never a
 * part, also after a crash or a full disk. Symlinks that users make are followed and stay. What
 * is not a regular file (a device, a FIFO, /dev/stdout) is never replaced: it is
 * written straight into, and then a failed write may leave a part.
 */
#ifndef L3R_COMMON_BASE_FILE_H
#define L3R_COMMON_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "common/base/error.h"

/* The whole file, with a NUL put after its last byte; `*size` (may be NULL) does not count it. NULL with `err`
 * filled when it cannot be read, is not a regular file, or has more than `max` bytes. The caller frees it. */
char *file_read(const char *path, size_t max, size_t *size, struct error *err);

/* What to do about a failed operation on a file; NULL for an errno that says nothing about it. */
const char *file_errno_hint(int errnum);

bool file_is_regular(const char *path);   /* symlinks followed */
bool file_is_directory(const char *path); /* symlinks followed */

/* 1: `path` is there, and this process may read it (a directory: enter it); 0: it is not. -1 with `err` filled: it is
 * there and shut, a symlink to nothing, or this cannot be found out. For what a user may leave out, but not put there in
 * vain. */
int file_is_there(const char *path, struct error *err);

/* Make a directory and those above it; existing ones are fine. */
int file_make_dirs(const char *path, struct error *err);

/* The same; those that are made get `mode`, less the umask. */
int file_make_dirs_mode(const char *path, mode_t mode, struct error *err);

/* A file being written; all members are file_write.c's but `stream`, to which the caller writes. */
struct file_writer {
    FILE *stream;
    char *path, *target, *beside; /* the last two: NULL when written straight into `path` */
    bool replace;                 /* what is no file may go as well */
    bool unsynced;                /* may be set by the caller: the commit does not wait for the disk */
};

/* Would a write to `path` find its directory there and open to this process? Makes nothing; a full disk or a change
 * until then is found by the write only. */
int file_check_writable(const char *path, struct error *err);

/* The same for a directory that file_make_dirs() is to make, or that is there, and files in it. */
int file_check_makeable(const char *path, struct error *err);

/* Start writing `path`; its directory must exist. A FIFO waits for its reader. */
int file_write_begin(struct file_writer *w, const char *path, struct error *err);

/* Flush, rename to its place, and free `w`; every write error since the start is found here, and then
 * nothing is left behind and an old file of that name is as it was. */
int file_write_commit(struct file_writer *w, struct error *err);

/* Whether `name`, a name without directories, is one that file_write_begin() gives to what it writes: that of the file
 * (`*length` bytes of it), the process and a count. Where nobody writes, a killed process left it. */
bool file_is_unfinished(const char *name, size_t *length);

/* Give up: remove what was written and free `w`. Does nothing after a commit or a failed begin, and to a zeroed one. */
void file_write_abort(struct file_writer *w);

/* The same for files with names of ours, in directories of a build or of profiles: a symlink, FIFO or device in the place
 * is replaced, and an empty directory. Nobody has put it there on purpose, and a link could lead anywhere. */
int file_replace_begin(struct file_writer *w, const char *path, struct error *err);

/* Make room for a file with a name of ours: remove a symlink, FIFO, socket, device or empty directory at `path`. A regular
 * file stays. 0 when such a file can be there now; -1 with errno set: something else is there (a directory that is not
 * empty: ENOTEMPTY), or nothing may be removed. */
int file_clear_place(const char *path);

/* Begin, write and commit in one. */
int file_write(const char *path, const void *data, size_t size, struct error *err);
int file_replace(const char *path, const void *data, size_t size, struct error *err);

/* file_replace() without waiting for the disk: whole for every process, though not after a power cut. For what can be
 * made again. */
int file_write_unsynced(const char *path, const void *data, size_t size, struct error *err);

/* Write all of it to a descriptor. A signal does not end it, and a descriptor that does not block is waited for. Returns how
 * many bytes were taken; fewer than `size` with errno set. Safe in a signal handler. */
size_t file_put(int fd, const void *bytes, size_t size);

/* "<a>/<b>", to be freed; NULL with `err` filled when out of memory. */
char *file_join(const char *a, const char *b, struct error *err);

#endif
