/*
 * mismatch_show - an output that differs, as a person sees it: its first elements, the largest difference, and where the
 * others lie.
 */
#ifndef L3R_ORCHESTRATOR_DATA_MISMATCH_SHOW_H
#define L3R_ORCHESTRATOR_DATA_MISMATCH_SHOW_H

#include "orchestrator/data/compare.h"
#include "orchestrator/data/mismatch_places.h"

/* Log parameter `storage`, which `found` elements of differ. */
void mismatch_show(const struct plan *plan, uint32_t storage, const struct comparison *found,
                   const struct mismatch_places *places, const void *actual, enum dtype expected_type,
                   const void *expected);

#endif
