#include "orchestrator/report/svg.h"

#include <math.h>

#include "common/base/xml_text.h"
#include "orchestrator/report/report.h"

void svg_begin(FILE *f, double width, double height, const char *label)
{
    fprintf(f, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", width, height);
    xml_put_text(f, label);
    fputs("\">\n", f);
}

void svg_end(FILE *f)
{
    fputs("</svg>\n", f);
}

static void tip_end(FILE *f, const char *tip, const char *tag)
{
    fputs("><title>", f);
    xml_put_text(f, tip);
    fprintf(f, "</title></%s>\n", tag);
}

void svg_box(FILE *f, double x, double y, double width, double height, const char *classes, const char *tip)
{
    fprintf(f, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" rx=\"%.1f\" class=\"%s\"", x, y, width,
            height, width > 6 ? 2.0 : 0.0, classes);
    tip_end(f, tip, "rect");
}

void svg_line(FILE *f, double x1, double y1, double x2, double y2, const char *classes)
{
    fprintf(f, "<line x1=\"%.2f\" y1=\"%.1f\" x2=\"%.2f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, classes);
}

void svg_text(FILE *f, double x, double y, const char *anchor, const char *classes, const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor, classes);
    xml_put_text(f, text);
    fputs("</text>\n", f);
}

void svg_dot(FILE *f, double x, double y, double radius, const char *classes, const char *tip)
{
    fprintf(f, "<circle cx=\"%.2f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"", x, y, radius, classes);
    tip_end(f, tip, "circle");
}

/* The largest of 1, 2 and 5 times a power of ten that makes at least four steps. */
static double round_step(double span)
{
    double power = pow(10, floor(log10(span / 4)));
    double scaled = span / 4 / power;

    return (scaled >= 5 ? 5 : scaled >= 2 ? 2 : 1) * power;
}

void svg_axis(FILE *f, double x, double y, double width, double height, uint64_t span_ns)
{
    double span = span_ns ? (double)span_ns : 1, step = round_step(span);
    int ntick = (int)(span / step) + 1;
    char label[24];

    for (int i = 0; i < ntick; i++) {
        double at = i * step, px = x + width * at / span;
        svg_line(f, px, y, px, y + height, "grid");
        svg_text(f, px, y - 5, "middle", "axis", report_time(at, label, sizeof label));
    }
}
