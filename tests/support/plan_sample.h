/* plan_sample - a plan as a stream of JSON lines, and the reading of such lines. */
#ifndef L3R_TESTS_SUPPORT_PLAN_SAMPLE_H
#define L3R_TESTS_SUPPORT_PLAN_SAMPLE_H

#include <stddef.h>

#include "common/plan/plan.h"

enum { PLAN_SAMPLE = 15 };

/* Every kind of record once, and every form of view and scalar; the header first, the end record last. */
extern const char *const plan_sample[PLAN_SAMPLE];

/* Read `count` lines, whose errors name "origin". Returns 0 and the plan, or -1 with `err` filled. */
int plan_sample_read(const char *const *lines, size_t count, struct plan *out, struct error *err);

#endif
