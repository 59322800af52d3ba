/*
 * kept_recording - the recorder's lines of an earlier replay, from the object store.
 *
 * Starting Python takes most of a replay in which nothing changed. What the recorder printed is kept under a hash of the request, of
 * the recorder and its interpreter, with the files of the build that were executed (kept_files.h); it counts as long as
 * these are what they were. Kept is only what comes out the same each time: the recorder says when host_orch.py or a kernel_config.py
 * uses something that may give another result (recorder/repeatable.py). Format: docs/formats.md, "Kept recordings".
 */
#ifndef L3R_ORCHESTRATOR_RECORD_KEPT_RECORDING_H
#define L3R_ORCHESTRATOR_RECORD_KEPT_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "common/base/args.h"
#include "orchestrator/open/build_info.h"
#include "rank-worker/compile/store.h"

/* Lines of more bytes are not kept. */
enum { KEPT_RECORDING_MAX = 64 << 20 };

struct kept_recording {
    struct store store;
    char *path; /* of the entry; NULL: the store cannot be used */
    struct timespec begun;
};

/* Where the recording of `request` (what the recorder is sent) by the interpreter `python` would be. Without a usable store
 * there is nothing to find, and nothing is kept. Call it before the recorder starts. */
void kept_recording_open(struct kept_recording *k, const struct build *build, const char *request, const char *python);
void kept_recording_close(struct kept_recording *k); /* a zeroed one is fine */

/* The lines of an entry that is still true, each with its newline, to be freed; NULL: there is none. */
char *kept_recording_find(struct kept_recording *k);

/* Keep `lines`, which the files at `paths` decided. A failure is logged: the replay needs nothing of it. */
void kept_recording_keep(struct kept_recording *k, const char *lines, size_t nbytes, const struct args *paths);

#endif
