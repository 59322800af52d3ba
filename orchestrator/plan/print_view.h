/*
 * print_view - pieces that the printers share, above all a view as a person
 * would write it: x[0:64, 128:192].
 *
 * A view that picks rows, columns or single entries of its storage's shape is
 * written as that slice; a window's view names the buffer that it lies in; any
 * other is written with its offset, shape and strides in elements.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_PRINT_VIEW_H
#define L3R_ORCHESTRATOR_PLAN_PRINT_VIEW_H

#include <stddef.h>
#include <stdio.h>

#include "common/plan/plan.h"

enum { PRINT_VIEW_SIZE = 1024 };

/* NUL-terminated, cut and ending in "..." when it does not fit. Returns `buf`. */
const char *print_view(const struct plan *p, uint32_t view, char *buf, size_t size);

/* "card 3", "host", "sub-worker". Returns `buf`. */
const char *print_lane(const struct plan *p, uint32_t lane, char *buf, size_t size);

/* 0 when everything has reached `f`'s file. */
int print_written(FILE *f, struct error *err);

#endif
