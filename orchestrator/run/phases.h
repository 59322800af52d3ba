/*
 * phases - where the time of a command goes, and what it is doing when it is interrupted.
 */
#ifndef L3R_ORCHESTRATOR_RUN_PHASES_H
#define L3R_ORCHESTRATOR_RUN_PHASES_H

#include <stdint.h>

enum phase { PHASE_OPEN = 0, PHASE_RECORD, PHASE_PLAN, PHASE_COMPILE, PHASE_LOAD, PHASE_RUN, PHASE_VERIFY, PHASE_COUNT };

struct phases {
    enum phase now;
    uint64_t begin_ns;
    uint64_t spent_ns[PHASE_COUNT];
};

/* End the phase that runs, if any, and begin `next`. */
void phases_enter(struct phases *p, enum phase next);

/* End the phase that runs. */
void phases_stop(struct phases *p);

const char *phase_name(enum phase phase);

#endif
