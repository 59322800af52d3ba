/*
 * compare_options - the options of `run` that decide what outputs are compared with, how closely, and where they are kept.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_COMPARE_OPTIONS_H
#define L3R_ORCHESTRATOR_OPTIONS_COMPARE_OPTIONS_H

#include <argp.h>

#include "orchestrator/prepare/options.h"

/* Use as a child parser whose input is a struct run_options. */
extern const struct argp compare_argp;

#endif
