/*
 * inventory_take - the inventory of a replay that is about to run (inventory.h).
 *
 * Contents are those of the bytes that were compiled, recorded or loaded, as the stages have hashed them; references and
 * files of sub-workers are hashed here, before the first kernel runs. So what is edited from then on is a change for
 * the next replay.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_INVENTORY_TAKE_H
#define L3R_ORCHESTRATOR_PREPARE_INVENTORY_TAKE_H

#include "orchestrator/prepare/inventory.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/prepare.h"

/* Fill `out`, sorted. */
int inventory_take(struct inventory *out, const struct run_options *options, const struct prepared *p,
                   struct error *err);

#endif
