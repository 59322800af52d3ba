/*
 * python_options - the options that say which Python of the build is run, and how: golden.py, debug/run.py. Shared by `run`
 * and `plan`.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_PYTHON_OPTIONS_H
#define L3R_ORCHESTRATOR_OPTIONS_PYTHON_OPTIONS_H

#include <argp.h>

#include "orchestrator/prepare/options.h"

/* Use as a child parser whose input is a struct run_options. */
extern const struct argp python_argp;

#endif
