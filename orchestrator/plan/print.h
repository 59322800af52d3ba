/*
 * print - the plan for people: `l3replay plan --format text|dot` (json is common/plan/plan_stream.h).
 */
#ifndef L3R_ORCHESTRATOR_PLAN_PRINT_H
#define L3R_ORCHESTRATOR_PLAN_PRINT_H

#include <stdio.h>

#include "common/plan/plan.h"

/* Nodes in submit order with lane, arguments, and each edge with its reason and storage. -1 on a write error. */
int plan_print_text(const struct plan *plan, FILE *f, struct error *err);

/* Graphviz: a cluster a lane, edges labelled with their reason. */
int plan_print_dot(const struct plan *plan, FILE *f, struct error *err);

#endif
