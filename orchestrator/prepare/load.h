/*
 * load - what every tensor and window holds when a pass begins.
 *
 * Done before the first pass and again before each later one, so that all begin alike.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_LOAD_H
#define L3R_ORCHESTRATOR_PREPARE_LOAD_H

#include "common/segment/segment.h"
#include "orchestrator/data/inputs.h"

/* Write parameters and the fills of intermediates into a segment that was just created or rewound; windows and the
 * rest are zeros there already. Fails as inputs_fill() does. */
int load_storages(struct segment *seg, const struct inputs *inputs, struct error *err);

#endif
