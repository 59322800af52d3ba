/* report_charts - the charts of the HTML report; report_html.c puts the page together. Width of all charts: REPORT_WIDTH. */
#ifndef L3R_ORCHESTRATOR_REPORT_REPORT_CHARTS_H
#define L3R_ORCHESTRATOR_REPORT_REPORT_CHARTS_H

#include <stdio.h>

#include "orchestrator/report/report.h"

enum { REPORT_WIDTH = 1100, REPORT_MARGIN = 110, REPORT_COLOURS = 6 };

/* Lanes over time, a box a node, the critical path outlined and joined. Needs the run. -1: out of memory. */
int chart_lanes(FILE *f, const struct report *r, struct error *err);

/* A bar a rank: what its time went into. Needs the run. */
void chart_shares(FILE *f, const struct report *r);

/* A line a slot from the fastest to the slowest rank, a dot a rank. Needs slots. */
void chart_slots(FILE *f, const struct report *r);

/* A bar a kernel, longest total first; what lies on the critical path is darker. */
void chart_kernels(FILE *f, const struct report *r);

#endif
