/*
 * phases - where the time of a command goes, and what it is doing when it is interrupted.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_PHASES_H
#define L3R_ORCHESTRATOR_PREPARE_PHASES_H

#include <stdint.h>

#include "orchestrator/profiles/run_extra.h"

enum phase {
    PHASE_OPEN = 0,
    PHASE_RECORD,
    PHASE_PLAN,
    PHASE_SPLICE, /* edits of .pto files are carried into sources, stale binaries removed */
    PHASE_COMPILE,
    PHASE_LOAD,
    PHASE_GOLDEN,  /* golden.py computes references */
    PHASE_CHANGES, /* what changed since the last replay */
    PHASE_RUN,
    PHASE_VERIFY,
    PHASE_COUNT
};

struct phases {
    enum phase now;
    uint64_t begin_ns;
    uint64_t spent_ns[PHASE_COUNT];
    /* In the order they came, times CLOCK_MONOTONIC; those for which there is no room are left out. */
    struct run_stage stages[RUN_STAGES_MAX];
    uint32_t nstage;
};

/* End the phase that runs, if any, and begin `next`. */
void phases_enter(struct phases *p, enum phase next);

/* End the phase that runs. */
void phases_stop(struct phases *p);

/* Add a stage that is no phase: what comes after the verdict. */
void phases_add(struct phases *p, const char *name, uint64_t begin_ns, uint64_t end_ns);

const char *phase_name(enum phase phase);

#endif
