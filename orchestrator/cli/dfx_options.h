/*
 * dfx_options - the options that ask for profiles, with the spellings that older scripts pass.
 */
#ifndef L3R_ORCHESTRATOR_CLI_DFX_OPTIONS_H
#define L3R_ORCHESTRATOR_CLI_DFX_OPTIONS_H

#include <argp.h>

/* Use as a child parser whose input is a struct dfx_options (orchestrator/prepare/profile_dirs.h). */
extern const struct argp dfx_argp;

#endif
