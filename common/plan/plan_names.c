#include "common/plan/plan_names.h"

const char *const plan_direction_names[PLAN_DIRECTION_COUNT] = {
    [PLAN_IN] = "In", [PLAN_OUT] = "Out", [PLAN_INOUT] = "InOut"};

const char *const plan_tag_names[PLAN_TAG_COUNT] = {[PLAN_TAG_INPUT] = "in",
                                                    [PLAN_TAG_OUTPUT] = "out",
                                                    [PLAN_TAG_INOUT] = "inout",
                                                    [PLAN_TAG_OUTPUT_EXISTING] = "out_existing",
                                                    [PLAN_TAG_NO_DEP] = "no_dep"};

const char *const plan_tag_runtime_names[PLAN_TAG_COUNT] = {[PLAN_TAG_INPUT] = "INPUT",
                                                            [PLAN_TAG_OUTPUT] = "OUTPUT",
                                                            [PLAN_TAG_INOUT] = "INOUT",
                                                            [PLAN_TAG_OUTPUT_EXISTING] = "OUTPUT_EXISTING",
                                                            [PLAN_TAG_NO_DEP] = "NO_DEP"};
