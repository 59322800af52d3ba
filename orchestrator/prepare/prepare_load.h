/* prepare_load - the segment of a prepared replay filled, before the first pass and each one after it. */
#ifndef L3R_ORCHESTRATOR_PREPARE_PREPARE_LOAD_H
#define L3R_ORCHESTRATOR_PREPARE_PREPARE_LOAD_H

#include "orchestrator/prepare/prepared.h"

/* Fill the storages of the segment, which is created or rewound: inputs, and what the second of two builds has of them. */
int prepare_load(struct prepared *p, struct error *err);

#endif
