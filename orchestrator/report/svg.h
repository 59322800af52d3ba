/*
 * svg - the few shapes that the report's charts are made of, as inline SVG.
 *
 * Colours are classes of the page's style sheet, so that a chart follows the page into the dark. Texts are escaped.
 */
#ifndef L3R_ORCHESTRATOR_REPORT_SVG_H
#define L3R_ORCHESTRATOR_REPORT_SVG_H

#include <stdint.h>
#include <stdio.h>

/* `label` is read to those who do not see the picture. */
void svg_begin(FILE *f, double width, double height, const char *label);
void svg_end(FILE *f);

/* A box with a tooltip. */
void svg_box(FILE *f, double x, double y, double width, double height, const char *classes, const char *tip);
void svg_line(FILE *f, double x1, double y1, double x2, double y2, const char *classes);
void svg_text(FILE *f, double x, double y, const char *anchor, const char *classes, const char *text);
void svg_dot(FILE *f, double x, double y, double radius, const char *classes, const char *tip);

/* A time axis from 0 to `span_ns` between x and x + width: ticks with labels above, grid lines down to y + height. */
void svg_axis(FILE *f, double x, double y, double width, double height, uint64_t span_ns);

#endif
