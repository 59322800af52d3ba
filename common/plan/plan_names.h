/*
 * plan_names - how directions of parameters and tags of arguments are spelled in files and messages.
 */
#ifndef L3R_COMMON_PLAN_PLAN_NAMES_H
#define L3R_COMMON_PLAN_PLAN_NAMES_H

#include "common/plan/plan.h"

enum { PLAN_DIRECTION_COUNT = PLAN_INOUT + 1 };

/* By enum plan_direction: "In", "Out", "InOut", as builds and plans spell them. */
extern const char *const plan_direction_names[PLAN_DIRECTION_COUNT];

/* By enum plan_tag: "in", "out", "inout", "out_existing", "no_dep", as plans spell them. */
extern const char *const plan_tag_names[PLAN_TAG_COUNT];

/* By enum plan_tag: "INPUT", "OUTPUT", "INOUT", "OUTPUT_EXISTING", "NO_DEP", as the runtime and its profiles spell them. */
extern const char *const plan_tag_runtime_names[PLAN_TAG_COUNT];

#endif
