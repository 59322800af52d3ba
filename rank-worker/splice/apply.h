/*
 * apply - put an assembled unit into the kernels that it feeds.
 *
 * All new files are complete on the disk before the first one takes its place. Kernels come first and the unit's
 * .cpp last, with the time of the .pto: whatever ends the process in between, the unit is still stale.
 */
#ifndef L3R_RANK_WORKER_SPLICE_APPLY_H
#define L3R_RANK_WORKER_SPLICE_APPLY_H

#include <stdbool.h>

#include "rank-worker/splice/unit.h"

/* Called for each kernel in the order of the functions: its path from the build's root, and whether it changed. */
typedef void apply_report_fn(void *context, const char *shown, bool changed);

/* Replace the kernels of `u` and its .cpp. When this fails before the first file takes its place (all that depends on
 * content, permissions and room does), nothing is changed. `report` is called after everything took its place. */
int apply_unit(const struct splice_unit *u, apply_report_fn *report, void *context, struct error *err);

#endif
