/*
 * window_writers - which dispatch wrote last what lies in the windows of a comm domain, for the table of a deadlock.
 *
 * Kernels signal each other through the windows' buffers. What a plan knows of that are the views that dispatches declare: a
 * word that no completed dispatch declares to write was either never written, or written past a view or through the
 * domain's context, which is what to look for.
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_WINDOW_WRITERS_H
#define L3R_ORCHESTRATOR_SUPERVISE_WINDOW_WRITERS_H

#include <stdio.h>

#include "common/segment/segment.h"

/* Words of 4 bytes of the first `nbytes` behind `offset` of a window (a storage of the plan): writers[i] becomes the last
 * node, in plan order, that has completed and declares to write a byte of word i; PLAN_NONE: none does. */
void window_writers_find(const struct segment *seg, uint32_t storage, uint64_t offset, uint64_t nbytes,
                         uint32_t *writers);

/* A domain that `node` uses by a view or by an address among its scalars; PLAN_NONE: none. */
uint32_t window_domain_of(const struct plan *plan, uint32_t node);

/* Log, for each domain that a running lane uses, the buffers of each member's window with their last writers. At most
 * `most` windows. */
void window_writers_print(const struct segment *seg, unsigned most);

#endif
