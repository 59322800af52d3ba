/*
 * inventory - all that decided what one replay did: names and contents, by group.
 *
 * Kept as `.l3replay.last` of the build, so that the next replay can say what has changed (changes.h). Format:
 * docs/formats.md, "Last replay".
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_INVENTORY_H
#define L3R_ORCHESTRATOR_PREPARE_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum inventory_group {
    INVENTORY_SOURCE = 0, /* kernels and orchestrations */
    INVENTORY_READS,      /* which headers each of them read, with their contents, in one hash */
    INVENTORY_HEADER,     /* each header once */
    INVENTORY_PTO_ISA,    /* headers of PTO-ISA */
    INVENTORY_OWN,        /* l3replay itself: its version and headers */
    INVENTORY_COMPILER,
    INVENTORY_PYTHON, /* files of the build that were executed as Python; a saved plan */
    INVENTORY_METADATA,
    INVENTORY_SUB_WORKER,
    INVENTORY_INPUT,
    INVENTORY_REFERENCE,
    INVENTORY_OPTION,
    INVENTORY_GROUPS
};

/* The value of what ran and is not known. */
#define INVENTORY_UNKNOWN "?"

struct inventory_item {
    enum inventory_group group;
    char *name, *value;
};

struct inventory {
    size_t count, capacity;
    struct inventory_item *items; /* after inventory_sort() by group and name */
};

void inventory_free(struct inventory *v); /* a zeroed struct is fine */

/* Append copies. */
int inventory_add(struct inventory *v, enum inventory_group group, const char *name, const char *value,
                  struct error *err);

/* Sort, and keep each name of a group once. */
void inventory_sort(struct inventory *v);

/* The value of a name in a sorted one; NULL: it has none. */
const char *inventory_find(const struct inventory *v, enum inventory_group group, const char *name);

bool inventory_has_group(const struct inventory *v, enum inventory_group group);

/* Read the file at `path` into `out`, sorted. 1 read; 0 it is not there; -1 with `err` when it is another version's,
 * damaged, or cannot be read. */
int inventory_read(const char *path, struct inventory *out, struct error *err);

/* Write it, whole or not at all. */
int inventory_write(const struct inventory *v, const char *path, struct error *err);

#endif
