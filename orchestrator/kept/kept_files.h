/*
 * kept_files - the files that decided a result of Python's which is kept in the object store, and whether they are what they were.
 *
 * A result is true as long as they are. Contents count up to 16 MB, beyond that size and times. In JSON: a list "files" of
 * {"path", "is"} (docs/formats.md, "Results of golden.py").
 */
#ifndef L3R_ORCHESTRATOR_KEPT_KEPT_FILES_H
#define L3R_ORCHESTRATOR_KEPT_KEPT_FILES_H

#include <stdbool.h>
#include <time.h>

#include "common/base/args.h"
#include "common/base/json.h"
#include "common/base/json_write.h"

/* More make no list: who gave them may have left some out. */
enum { KEPT_FILES_MAX = 4096 };

/* Now, by the clock that files have their times of: taken before anything is read. */
struct timespec kept_files_clock(void);

/* None of them was written since `begun`: then what they hold is what was read. False for KEPT_FILES_MAX and more. */
bool kept_files_are_old(const struct args *paths, struct timespec begun);

/* Add "files" to `object`. */
void kept_files_put(struct json_writer *w, cJSON *object, const struct args *paths);

/* Whether all files of the list in `object` are what they were; their paths are added to `paths`. */
bool kept_files_same(const struct json_source *src, const cJSON *object, struct args *paths);

/* Whether an entry is a file of this user or root, and no link. */
bool kept_file_is_ours(const char *path);

#endif
