/*
 * relate - after the verdict of a run with profiles: what relates the profiles of all cards, and what they say.
 */
#ifndef L3R_ORCHESTRATOR_JOB_RELATE_H
#define L3R_ORCHESTRATOR_JOB_RELATE_H

#include "orchestrator/job/outcome.h"
#include "orchestrator/job/participant.h"
#include "orchestrator/prepare/prepare.h"

/* Write l3_run.json and the timelines, and print the short report. Faults here are reported and change nothing. */
void relate_profiles(const struct participant *me, const struct outcome *out, const struct prepared *p);

#endif
