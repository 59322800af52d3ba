/*
 * stack_options - options and environment variables of the stack's own tools that a script may pass on: other names for what
 * we have, and what has no effect here, which is checked and noted.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_STACK_OPTIONS_H
#define L3R_ORCHESTRATOR_OPTIONS_STACK_OPTIONS_H

#include <argp.h>

#include "orchestrator/prepare/options.h"

/* Use as a child parser whose input is a struct run_options. */
extern const struct argp stack_argp;

#endif
