/*
 * unit - one ptoas/<unit>.pto of a program, and what becomes of it.
 *
 * Found first, assembled next (any number at a time, nothing visible changes), applied last (one at a time).
 */
#ifndef L3R_RANK_WORKER_SPLICE_UNIT_H
#define L3R_RANK_WORKER_SPLICE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "common/base/error.h"
#include "rank-worker/cache/subbuilds.h"

enum { UNIT_FILE_MAX = 64 << 20 }; /* bytes of a source that are still taken for one */

struct splice_unit {
    const struct subbuild *program;
    char *name;             /* <unit> */
    char *pto, *cpp;        /* absolute paths */
    char *shown;            /* the .pto, from the build's root */
    struct timespec edited; /* the .pto's time of change, before it was assembled */
    char *raw, *body;       /* what ptoas wrote, and the same cleaned up; NULL until assembled */
    size_t raw_size, body_size;
};

struct splice_units {
    struct splice_unit *items; /* by program, then name */
    size_t count, capacity;
    bool any_stage; /* some program has a ptoas/ directory */
};

/* List the stale units: whose .cpp is missing or older than the .pto, by nanoseconds. Reads only. */
int splice_units_find(const struct subbuilds *programs, struct splice_units *out, struct error *err);
void splice_units_free(struct splice_units *u);

/* Run `ptoas` and check what comes out. Leaves nothing on the disk, whatever happens. */
int splice_unit_assemble(struct splice_unit *u, const char *ptoas, int timeout, struct error *err);

/* Give back the memory of the texts. */
void splice_unit_forget(struct splice_unit *u);

/* Remove what killed processes left in a program's directory; the caller holds the build's lock. */
void splice_leftovers_remove(const char *program);

#endif
