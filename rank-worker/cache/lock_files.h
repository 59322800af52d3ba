/*
 * lock_files - which files of a build are locked: docs/formats.md, "Locks of a build".
 */
#ifndef L3R_RANK_WORKER_CACHE_LOCK_FILES_H
#define L3R_RANK_WORKER_CACHE_LOCK_FILES_H

#define LOCK_BUILD_FILE ".l3replay.lock"                /* in the build's root; held over a splice */
#define LOCK_BINARIES_FILE "cache/.binary_context.lock" /* in a program's directory; the stack's */

#endif
