/*
 * real_paths - realpath() of many files that lie in few directories: each directory is resolved once.
 *
 * The headers of a build are some hundred files, and realpath() looks at each part of each path.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_REAL_PATHS_H
#define L3R_ORCHESTRATOR_PREPARE_REAL_PATHS_H

#include "common/base/args.h"

struct real_paths {
    struct args dirs, real; /* as asked for; what they are. Zeroed: none so far */
};

/* As realpath(path, NULL): to be freed; NULL when it is not there. */
char *real_path(struct real_paths *r, const char *path);
void real_paths_free(struct real_paths *r);

#endif
