/*
 * watch_files - whether something happened to a file that may decide a replay (over inotify).
 *
 * Below the build every file counts whose name looks like a source, data, Python or metadata, but those of directories that
 * replays and compilers write (cache/, dfx_outputs/, passes_dump/, report/, __pycache__/, hidden ones) and the files that
 * editors make on the way. Outside of the build the files count that were named (headers, inputs, references). That a file counts only
 * starts a replay; the replay itself compares contents and reports what has changed.
 */
#ifndef L3R_ORCHESTRATOR_WATCH_WATCH_FILES_H
#define L3R_ORCHESTRATOR_WATCH_WATCH_FILES_H

#include <stdbool.h>

#include "common/base/error.h"

struct watch_files;

/* Watch the directory `build` (real path) with all below it. -1 with `err`: inotify's limits. */
int watch_files_open(struct watch_files **out, const char *build, struct error *err);
void watch_files_close(struct watch_files *w); /* NULL is fine */

/* Becomes readable when something happens. */
int watch_files_fd(const struct watch_files *w);

/* Watch a file outside of the build, by its absolute path; it need not be there. Nothing for one below the build. */
int watch_files_add(struct watch_files *w, const char *path, struct error *err);

/* What is below `path` counts no longer: a replay writes there. */
int watch_files_ignore(struct watch_files *w, const char *path, struct error *err);

/* Read what has happened, without blocking: whether it concerns a replay. Directories that are new are watched too. */
bool watch_files_read(struct watch_files *w);

#endif
