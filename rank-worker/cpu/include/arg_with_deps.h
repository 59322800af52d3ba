/*
 * arg_with_deps - the name since August 2026 of pto_arg_with_deps, which it includes.
 */
#ifndef L3R_ARG_WITH_DEPS_H
#define L3R_ARG_WITH_DEPS_H

#include "pto_arg_with_deps.h"

#endif
