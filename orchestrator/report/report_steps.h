/*
 * report_steps - the steps of report_make(), in this order, each of its own file. Private to orchestrator/report.
 */
#ifndef L3R_ORCHESTRATOR_REPORT_REPORT_STEPS_H
#define L3R_ORCHESTRATOR_REPORT_REPORT_STEPS_H

#include "orchestrator/report/report.h"

/* The dispatches of `list`, their kernels and tasks, and the ranks that they ran on. */
int report_collect(struct report *r, const struct dfx_list *list, struct error *err);

/* The k-th dispatches of the ranks beside each other: slots, and the straggler. */
int report_compare(struct report *r, struct error *err);

/* What the record of the run adds: what ranks waited for, and the critical path through the plan. */
int report_relate(struct report *r, struct error *err);

#endif
