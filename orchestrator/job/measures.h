/*
 * measures - what a replay of many rounds gives: times of `l3replay bench`, differences of `l3replay ab`.
 */
#ifndef L3R_ORCHESTRATOR_JOB_MEASURES_H
#define L3R_ORCHESTRATOR_JOB_MEASURES_H

#include "orchestrator/bench/measured.h"
#include "orchestrator/bench/pairs.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/prepared.h"

/* Zeroed: nothing. */
struct measures {
    struct measured *measured; /* bench; NULL: there are none */
    struct pairs *pairs;       /* ab, filled while passes run; else NULL */
    bool agree, same_bits;     /* ab: outputs are close; are the same bits */
};

/* After the rounds, with outputs compared with references: take the times and write the CSV; of two builds compare the outputs. -1
 * with `err`: there are no times, outputs of the builds differ (FAIL), or the file cannot be written. */
int measures_take(struct measures *m, const struct run_options *options, const struct prepared *p, struct error *err);

/* To stdout, as the options say; nothing where there is nothing. */
void measures_print(const struct measures *m, const struct run_options *options, const struct prepared *p);
void measures_free(struct measures *m);

#endif
