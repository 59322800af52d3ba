/*
 * prepare_references - what the outputs of a replay are compared with: options, data/out, golden.py.
 *
 * golden.py computes from what the segment holds before the first dispatch, so where it is to compute anything, references
 * are opened when the segment is loaded; else as early as they can be.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_PREPARE_REFERENCES_H
#define L3R_ORCHESTRATOR_PREPARE_PREPARE_REFERENCES_H

#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/prepared.h"

/* Once the build is open: open the files that outputs are compared with. References of the build are left out when the user
 * says so, and when they are those of other inputs. */
int prepare_references_choose(const struct run_options *o, struct prepared *p, struct error *err);

/* Once there is a plan, and before the references are bound: whether golden.py may have something to compute. */
bool prepare_references_wait(const struct prepared *p);

/* The same with golden.py's, over the loaded segment. */
int prepare_references_compute(const struct run_options *o, struct prepared *p, struct error *err);

/* Once there is a plan: bind them to its parameters; `verify` and `tolerance` are filled. -1 with `err` (INFRA) when
 * --require-check or --validate ask for more than there is. */
int prepare_references_open(const struct run_options *o, struct prepared *p, struct error *err);

#endif
