/*
 * manifest - the list of builds of a batch. Format: docs/formats.md, "Batch manifest".
 *
 * The file is input, and one bad entry must not take the others with it: what is wrong with an entry stays with it, and only
 * a file that is no list at all is an error.
 */
#ifndef L3R_ORCHESTRATOR_BATCH_MANIFEST_H
#define L3R_ORCHESTRATOR_BATCH_MANIFEST_H

#include <stddef.h>

#include "common/base/error.h"

struct batch_entry {
    char *work_dir;              /* as written; of an entry without one "entry-<number>" */
    char *platform, *device_ids; /* NULL: the build's; device_ids as --device-ids takes it */
    char *device_id;             /* as --device-id takes it; NULL: not given */
    struct error fault;          /* what is wrong with it; `what` is "" when it can be run */
};

struct manifest {
    struct batch_entry *entries;
    size_t count;
    char content[40]; /* hash of the file, for the journal */
};

/* Read the file. -1 with `err` (INFRA): it cannot be read, or is no list. */
int manifest_read(struct manifest *m, const char *path, struct error *err);

/* A manifest of one entry. `platform` and `device_id` may be NULL. */
int manifest_of_one(struct manifest *m, const char *work_dir, const char *platform, const char *device_id,
                    struct error *err);

void manifest_free(struct manifest *m); /* a zeroed struct is fine */

#endif
