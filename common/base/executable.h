/*
 * executable - where a program of this host is: by its name on PATH, or at a path.
 *
 * PATH is read as execvp() reads it: an empty entry is the current directory, and what is no regular file or may not be
 * executed by this process is passed over. Where PATH is not set nothing is on it.
 */
#ifndef L3R_COMMON_BASE_EXECUTABLE_H
#define L3R_COMMON_BASE_EXECUTABLE_H

#include "common/base/error.h"

/* `*path`: the first executable `name` on PATH, or `name` itself when it has a slash and is one; to be freed. NULL when
 * there is none, which is no error. -1 with `err` filled only when out of memory. */
int executable_find(const char *name, char **path, struct error *err);

/* The same for what must be there: its absence is an error in `where` (the variable that named it, say) with this
 * `hint`. */
int executable_need(const char *name, const char *where, const char *hint, char **path, struct error *err);

/* One after the other: like executable_find(), in the part of PATH that `*rest` points to, which moves behind the entry
 * of what was found. Begin with getenv("PATH"); `*rest` is NULL at the end. */
int executable_next(const char *name, const char **rest, char **path, struct error *err);

#endif
