/*
 * shared_file - memory that a Python of the user's and this process both use, as a file without a name.
 *
 * A memfd: it is gone with the processes that have it open. Both sides open it by a path in /proc.
 */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_SHARED_FILE_H
#define L3R_ORCHESTRATOR_USER_PYTHON_SHARED_FILE_H

#include <stddef.h>

#include "common/base/error.h"

/* An empty one: its descriptor, to be closed, or -1. */
int shared_file_make(struct error *err);

/* A path by which this process and its children open what `fd` is, as long as this process has it open; to be freed. */
char *shared_file_path(int fd, struct error *err);

#endif
