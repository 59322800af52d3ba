/*
 * report_print - a report in the forms that are printed. Meanings: docs/formats.md, "Report document".
 */
#ifndef L3R_ORCHESTRATOR_REPORT_REPORT_PRINT_H
#define L3R_ORCHESTRATOR_REPORT_REPORT_PRINT_H

#include <stdio.h>

#include "orchestrator/report/report.h"

/* All return -1 when `f` cannot be written. */
int report_text(FILE *f, const struct report *r, struct error *err);
int report_short(FILE *f, const struct report *r, struct error *err); /* a few lines: what stands out */
int report_json(FILE *f, const struct report *r, struct error *err);
int report_html(FILE *f, const struct report *r, struct error *err);

/* Flush, and turn a stream's error into one of ours. */
int report_finish(FILE *f, struct error *err);

#endif
