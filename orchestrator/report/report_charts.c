#include "orchestrator/report/report_charts.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/xml_text.h"
#include "orchestrator/report/svg.h"

enum { ROW = 26, BOX = 18, TOP = 24, CHART_KERNELS = 20, CHART_SLOTS = 60, LEGEND_NAMES = 12 };

static const double plot_width = REPORT_WIDTH - REPORT_MARGIN - 30;

/* Names of nodes in order of first use: equal names, equal numbers. */
struct palette {
    uint32_t *number; /* by node */
    const char **names;
    size_t count, capacity;
};

static int palette_make(struct palette *p, const struct run_record *run)
{
    memset(p, 0, sizeof *p);
    p->number = calloc(run->nnode + 1, sizeof *p->number);
    for (size_t i = 0; p->number && i < run->nnode; i++) {
        size_t k = 0;
        while (k < p->count && strcmp(p->names[k], run->nodes[i].name) != 0) {
            k++;
        }
        if (k == p->count) {
            if (array_room(&p->names, &p->capacity, p->count, sizeof *p->names)) {
                return -1;
            }
            p->names[p->count++] = run->nodes[i].name;
        }
        p->number[i] = (uint32_t)k;
    }
    return p->number ? 0 : -1;
}

static void palette_free(struct palette *p)
{
    free(p->number);
    free(p->names);
}

static void node_tip(const struct report *r, uint32_t node, char *buf, size_t size)
{
    const struct run_node *n = &r->run.nodes[node];
    char lane[32], time[24], start[24];

    snprintf(buf, size, "%s on %s, node %u: %s, from %s", n->name, run_record_lane(&r->run, n->lane, lane, sizeof lane),
             node, report_time((double)(n->end_ns - n->start_ns), time, sizeof time),
             report_time((double)n->start_ns, start, sizeof start));
}

/* Rows of the lanes that have nodes; REPORT_NONE for the others. */
static uint32_t *lane_rows(const struct report *r, uint32_t *nrow)
{
    uint32_t nlane = r->run.nlane;
    uint32_t *rows = malloc(nlane * sizeof *rows);

    *nrow = 0;
    for (uint32_t l = 0; rows && l < nlane; l++) {
        rows[l] = REPORT_NONE;
    }
    for (size_t i = 0; rows && i < r->run.nnode; i++) {
        if (r->run.nodes[i].ran) {
            rows[r->run.nodes[i].lane] = 0;
        }
    }
    for (uint32_t l = 0; rows && l < nlane; l++) {
        if (rows[l] == 0) {
            rows[l] = (*nrow)++;
        }
    }
    return rows;
}

static double at_time(const struct report *r, uint64_t ns)
{
    return REPORT_MARGIN + plot_width * (double)ns / (double)(r->span_ns ? r->span_ns : 1);
}

static void lane_boxes(FILE *f, const struct report *r, const uint32_t *rows, const struct palette *p)
{
    char tip[512], classes[16];
    double *drawn = calloc((size_t)r->run.nlane + 1, sizeof *drawn);

    for (uint32_t i = 0; drawn && i < r->run.nnode; i++) {
        const struct run_node *n = &r->run.nodes[i];
        double x = at_time(r, n->start_ns), width = at_time(r, n->end_ns) - x;
        /* What is finer than the picture is left out, so that a long run makes no page that no browser opens. */
        if (!n->ran || x + width < drawn[n->lane] + 0.3) {
            continue;
        }
        drawn[n->lane] = x + width;
        snprintf(classes, sizeof classes, "c%u", p->number[i] % REPORT_COLOURS);
        node_tip(r, i, tip, sizeof tip);
        svg_box(f, x, TOP + rows[n->lane] * ROW + (ROW - BOX) / 2.0, width > 1 ? width : 1, BOX, classes, tip);
        if (width > 8.0 * (double)strlen(n->name)) {
            svg_text(f, x + width / 2, TOP + rows[n->lane] * ROW + ROW / 2.0 + 4, "middle", "inside", n->name);
        }
    }
    free(drawn);
}

static void path_outline(FILE *f, const struct report *r, const uint32_t *rows)
{
    char tip[512];

    for (size_t i = 0; i < r->nstep && i < 2000; i++) {
        const struct run_node *n = &r->run.nodes[r->steps[i].item];
        double x = at_time(r, n->start_ns), width = at_time(r, n->end_ns) - x, y = TOP + rows[n->lane] * ROW;
        node_tip(r, r->steps[i].item, tip, sizeof tip);
        svg_box(f, x, y + (ROW - BOX) / 2.0, width > 1 ? width : 1, BOX, "critical", tip);
        if (i > 0) {
            const struct run_node *before = &r->run.nodes[r->steps[i - 1].item];
            svg_line(f, at_time(r, before->end_ns), TOP + rows[before->lane] * ROW + ROW / 2.0, x, y + ROW / 2.0,
                     "join");
        }
    }
}

static void legend_lanes(FILE *f, const struct palette *p)
{
    fputs("<p class=\"legend\">", f);
    for (unsigned k = 0; k < p->count && k < LEGEND_NAMES; k++) {
        fprintf(f, "<span><i class=\"c%u\"></i>", k % REPORT_COLOURS);
        xml_put_text(f, p->names[k]);
        fputs("</span> ", f);
    }
    fputs("<span><i class=\"critical\"></i>critical path</span></p>\n", f);
}

int chart_lanes(FILE *f, const struct report *r, struct error *err)
{
    uint32_t nrow;
    uint32_t *rows = lane_rows(r, &nrow);
    struct palette palette;
    char lane[32];

    if (palette_make(&palette, &r->run) || !rows) {
        palette_free(&palette);
        free(rows);
        return error_nomem(err, "chart", r->run.nnode * sizeof *rows);
    }
    svg_begin(f, REPORT_WIDTH, TOP + nrow * ROW + 6, "Nodes of the plan over time, a row a lane");
    svg_axis(f, REPORT_MARGIN, TOP, plot_width, nrow * ROW, r->span_ns);
    for (uint32_t l = 0; l < r->run.nlane; l++) {
        if (rows[l] != REPORT_NONE) {
            svg_text(f, REPORT_MARGIN - 10, TOP + rows[l] * ROW + ROW / 2.0 + 4, "end", "label",
                     run_record_lane(&r->run, l, lane, sizeof lane));
        }
    }
    lane_boxes(f, r, rows, &palette);
    path_outline(f, r, rows);
    svg_end(f);
    legend_lanes(f, &palette);
    palette_free(&palette);
    free(rows);
    return 0;
}

void chart_shares(FILE *f, const struct report *r)
{
    enum { SHARES = 6 };
    static const char *const names[SHARES] = {"computing", "waiting on ranks", "waiting on the host",
                                              "launch",    "profiles",         "after its last dispatch"};
    static const char *const classes[SHARES] = {"compute", "onrank", "onhost", "launch", "profiles", "after"};
    char tip[160], time[24], label[32];

    svg_begin(f, REPORT_WIDTH, TOP + (double)r->run.world_size * ROW + 6, "What the time of each rank went into");
    svg_axis(f, REPORT_MARGIN, TOP, plot_width, (double)r->run.world_size * ROW, r->span_ns);
    for (uint32_t i = 0; i < r->run.world_size; i++) {
        const struct report_rank *k = &r->ranks[i];
        const uint64_t parts[SHARES] = {k->computing_ns, k->ranks_ns,    k->host_ns,
                                        k->launch_ns,    k->profiles_ns, k->after_ns};
        uint64_t sum = 0;
        snprintf(label, sizeof label, "rank %u", k->rank);
        svg_text(f, REPORT_MARGIN - 10, TOP + i * ROW + ROW / 2.0 + 4, "end", "label", label);
        for (int p = 0; p < SHARES; sum += parts[p++]) {
            if (!parts[p]) {
                continue;
            }
            snprintf(tip, sizeof tip, "rank %u, %s: %s", k->rank, names[p],
                     report_time((double)parts[p], time, sizeof time));
            svg_box(f, at_time(r, sum), TOP + i * ROW + (ROW - BOX) / 2.0, at_time(r, sum + parts[p]) - at_time(r, sum),
                    BOX, classes[p], tip);
        }
    }
    svg_end(f);
    fputs("<p class=\"legend\">", f);
    for (int p = 0; p < SHARES; p++) {
        fprintf(f, "<span><i class=\"%s\"></i>%s</span> ", classes[p], names[p]);
    }
    fputs("</p>\n", f);
}

void chart_slots(FILE *f, const struct report *r)
{
    size_t n = r->nslot < CHART_SLOTS ? r->nslot : CHART_SLOTS;
    const double margin = REPORT_MARGIN + 90, width = plot_width - 90;
    uint64_t longest = 1;
    char text[320], time[24];

    for (size_t i = 0; i < n; i++) {
        longest = r->slots[i].max_ns > longest ? r->slots[i].max_ns : longest;
    }
    svg_begin(f, REPORT_WIDTH, TOP + (double)n * ROW + 6, "Times of the same dispatch on each rank");
    svg_axis(f, margin, TOP, width, (double)n * ROW, longest);
    for (size_t i = 0; i < n; i++) {
        const struct report_slot *s = &r->slots[i];
        double y = TOP + (double)i * ROW + ROW / 2.0;
        snprintf(text, sizeof text, "%c%u %.20s", DFX_SLOT(s->k), s->program);
        svg_text(f, margin - 10, y + 4, "end", "label", text);
        svg_line(f, margin + width * (double)s->min_ns / (double)longest, y,
                 margin + width * (double)s->max_ns / (double)longest, y, "range");
        for (size_t t = s->first; t < s->first + s->count; t++) {
            const struct report_slot_time *x = &r->slot_times[t];
            snprintf(text, sizeof text, "rank %u: %s", x->rank, report_time((double)x->ns, time, sizeof time));
            svg_dot(f, margin + width * (double)x->ns / (double)longest, y, 4.5,
                    x->rank == s->slowest ? "worst" : "dot", text);
        }
        snprintf(text, sizeof text, "rank %u", s->slowest);
        if (s->max_ns > s->min_ns && s->max_ns > longest - longest / 10) {
            svg_text(f, margin + width * (double)s->max_ns / (double)longest - 9, y - 5, "end", "small", text);
        } else if (s->max_ns > s->min_ns) {
            svg_text(f, margin + width * (double)s->max_ns / (double)longest + 9, y + 4, "start", "small", text);
        }
    }
    svg_end(f);
    fputs("<p class=\"legend\"><span><i class=\"dot\"></i>a rank</span> <span><i class=\"worst\"></i>the slowest "
          "rank</span></p>\n",
          f);
}

void chart_kernels(FILE *f, const struct report *r)
{
    size_t n = r->nkernel < CHART_KERNELS ? r->nkernel : CHART_KERNELS;
    const double margin = REPORT_MARGIN + 120, width = plot_width - 120;
    const bool by_cpu = report_by_cpu(r);
    uint64_t longest = n && report_kernel_ns(r, &r->kernels[0]) ? report_kernel_ns(r, &r->kernels[0]) : 1;
    char tip[512], a[24], b[24];

    svg_begin(f, REPORT_WIDTH, TOP + (double)n * ROW + 6,
              by_cpu ? "Processor time of each kernel over all ranks" : "Total time of each kernel over all ranks");
    svg_axis(f, margin, TOP, width, (double)n * ROW, longest);
    for (size_t i = 0; i < n; i++) {
        const struct report_kernel *k = &r->kernels[i];
        double y = TOP + (double)i * ROW + (ROW - BOX) / 2.0,
               full = width * (double)report_kernel_ns(r, k) / (double)longest;
        /* A task whose kernel is not known: its program and core are all that distinguishes it. */
        if (strcmp(k->name, "task") == 0) {
            snprintf(tip, sizeof tip, "task of %.16s, %s", k->program, report_core_name(k->core_type));
        } else {
            snprintf(tip, sizeof tip, "%.28s", k->name);
        }
        svg_text(f, margin - 10, y + BOX / 2.0 + 4, "end", "label", tip);
        snprintf(tip, sizeof tip, "%s of %s: %s in %zu tasks, %s on the critical path", k->name, k->program,
                 report_time((double)k->stats.total, a, sizeof a), k->stats.count,
                 r->related ? report_time((double)k->critical_ns, b, sizeof b) : "unknown time");
        svg_box(f, margin, y, full > 1 ? full : 1, BOX, "kernel", tip);
        if (k->critical_ns && !by_cpu) { /* the path is wall time */
            svg_box(f, margin, y, width * (double)k->critical_ns / (double)longest, BOX, "oncritical", tip);
        }
    }
    svg_end(f);
    fputs("<p class=\"legend\"><span><i class=\"kernel\"></i>all ranks together</span>", f);
    fputs(r->related && !by_cpu ? " <span><i class=\"oncritical\"></i>of it on the critical path</span></p>\n"
                                : "</p>\n",
          f);
}
