/*
 * dfx_options - the options that ask for profiles, with the spellings that older scripts pass.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_DFX_OPTIONS_H
#define L3R_ORCHESTRATOR_OPTIONS_DFX_OPTIONS_H

#include <argp.h>

#include "common/segment/dfx.h"

enum { DFX_OPTION_NAMES_SIZE = 128 };

/* The options that ask for what `dfx` holds, as "--swimlane, --pmu" in `buf`. */
const char *dfx_option_names(const struct dfx *dfx, char *buf, size_t size);

/* Use as a child parser whose input is a struct dfx_options (orchestrator/prepare/profile_dirs.h). */
extern const struct argp dfx_argp;

#endif
