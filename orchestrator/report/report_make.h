/*
 * report_make - from a directory of profiles to the numbers of a report.
 */
#ifndef L3R_ORCHESTRATOR_REPORT_REPORT_MAKE_H
#define L3R_ORCHESTRATOR_REPORT_REPORT_MAKE_H

#include "orchestrator/report/report.h"

/* `list` stays the caller's and must outlive `r`. To be freed with report_free() in every case. */
int report_make(struct report *r, const struct dfx_list *list, struct error *err);

#endif
