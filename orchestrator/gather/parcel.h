/*
 * parcel - pieces of files, packed into one message.
 *
 * A parcel holds pieces one after the other: small files are whole pieces, many in a parcel; a large file is spread
 * over many parcels, a piece in each. The pieces of one file follow each other in order, with none of another between
 * them; the last one brings the checksum of the whole file, or says that the rest of it is lost and why.
 *
 * Format: docs/formats.md, "Parcels". Parcels live for one message between processes of one build of this program.
 */
#ifndef L3R_ORCHESTRATOR_GATHER_PARCEL_H
#define L3R_ORCHESTRATOR_GATHER_PARCEL_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum { PARCEL_NBYTES = 1 << 20, PARCEL_PATH_MAX = 1024 };

enum parcel_end {
    PARCEL_MORE = 0, /* of this file, there is more to come */
    PARCEL_LAST,     /* this was the rest */
    PARCEL_LOST,     /* the sender could not read the rest; the data are a text that says why */
};

struct parcel_piece {
    char path[PARCEL_PATH_MAX]; /* relative, without "." and ".." */
    uint64_t offset;            /* of the data in the file */
    uint64_t checksum;          /* PARCEL_LAST: XXH3 (64 bits) of the whole file */
    enum parcel_end end;
    uint32_t nbytes;
    const void *data; /* in the parcel */
};

struct parcel {
    unsigned char *bytes; /* PARCEL_NBYTES */
    size_t used;
};

int parcel_open(struct parcel *p, struct error *err);
void parcel_close(struct parcel *p); /* a zeroed struct is fine */

/* Where the data of a piece of `path` may be put, and in `*room` how many bytes of it; NULL when not even one byte
 * fits any more, or when `path` is no path that a parcel can hold (never the case after parcel_path_check()). */
void *parcel_room(struct parcel *p, const char *path, size_t *room);

/* Add the piece whose `nbytes` of data were put where parcel_room() said. */
void parcel_add(struct parcel *p, const char *path, uint64_t offset, uint32_t nbytes, enum parcel_end end,
                uint64_t checksum);

/* Is `path` one that a parcel may hold: relative, shorter than PARCEL_PATH_MAX, without empty, "." and ".." parts? */
int parcel_path_check(const char *path, struct error *err);

/* Take the piece at `*at` of a parcel of `nbytes` that was received, and move `*at` behind it: 1, 0 at the end, or -1
 * when these bytes are no parcel. */
int parcel_next(const void *bytes, size_t nbytes, size_t *at, struct parcel_piece *piece, struct error *err);

#endif
