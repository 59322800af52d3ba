/*
 * headers_later - precompiled headers that are made when nobody waits.
 *
 * A compile that would have used a header which the store does not have goes on without it and leaves an order in the
 * store, v1/wanted/<hash> (docs/formats.md, "The object store"). When the replay has its verdict, a process of low priority
 * makes what was ordered, so that the next edit finds it. Several such processes share the work through the locks of the
 * store, and each may be killed at any time.
 */
#ifndef L3R_RANK_WORKER_COMPILE_HEADERS_LATER_H
#define L3R_RANK_WORKER_COMPILE_HEADERS_LATER_H

#include <stdbool.h>

#include "rank-worker/compile/compile_session.h"
#include "rank-worker/compile/units.h"

/* Order a header that unit_header() has prepared and whose first lines are in the store. Nothing in a store of this process
 * alone, which goes with it. */
int headers_order(const struct unit *header, const struct unit_env *env, struct error *err);

/* Whether the store may have orders. Opens nothing, makes nothing. */
bool headers_are_ordered(void);

/* Make what was ordered, one at a time. Each order is removed first: one that cannot be made is not tried again before the
 * next compile orders it. `*made` is the number of headers that came to the store. -1 when the store or a compiler cannot be
 * used; a header that does not compile is no error. */
int headers_make_ordered(struct compile_session *session, unsigned *made, struct error *err);

#endif
