#include "orchestrator/report/report_print.h"

#include <inttypes.h>

#include "common/base/xml_text.h"
#include "orchestrator/report/report_charts.h"
#include "orchestrator/report/svg.h"

enum { HTML_STEPS = 500, HTML_DISPATCHES = 2000 };

static const char style[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--dim:#59636e;--line:#d8dee4;--soft:#f6f8fa;--warn:#9a6700;"
    "--warnbg:#fff8c5;--crit:#cf222e;--c0:#4c8bd6;--c1:#3fa56b;--c2:#b07cd8;--c3:#d98a3d;--c4:#3aa6a6;--c5:#c9669b;"
    "--on:#fff;--idle:#e3e8ee}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#30363d;--soft:#161b22;"
    "--warn:#e3b341;--warnbg:#2b2410;--crit:#ff7b72;--c0:#3b6fb0;--c1:#2f8453;--c2:#8a5db3;--c3:#b06d2b;--c4:#2c8585;"
    "--c5:#a34f7c;--on:#fff;--idle:#262c34}}\n"
    "body{margin:0 auto;max-width:1180px;padding:24px 20px 60px;background:var(--bg);color:var(--fg);"
    "font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "h1{font-size:22px;margin:0 0 4px}h2{font-size:17px;margin:36px 0 8px;padding-bottom:4px;border-bottom:1px solid "
    "var(--line)}\n"
    "p{margin:6px 0}.dim{color:var(--dim)}svg{display:block;width:100%;height:auto;font-size:12px;overflow:visible}\n"
    ".cards{display:flex;flex-wrap:wrap;gap:12px;margin:16px 0}.cards div{flex:1 1 150px;background:var(--soft);"
    "border:1px solid var(--line);border-radius:8px;padding:10px 14px}.cards "
    "b{display:block;font-size:20px;font-weight:600}\n"
    ".note{background:var(--warnbg);color:var(--warn);border:1px solid currentColor;border-radius:6px;padding:6px "
    "12px;margin:8px 0}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:4px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}"
    "th{color:var(--dim);font-weight:500}th.l,td.l{text-align:left}td.wrap{white-space:normal}\n"
    "td .miss{color:var(--warn)}tr.sub "
    "td{color:var(--warn);text-align:left;white-space:normal;padding-left:28px;font-size:13px}\n"
    "text{fill:var(--fg)}text.axis,text.small{fill:var(--dim);font-size:11px}text.inside{fill:var(--on);font-size:11px;"
    "pointer-events:none}line.grid{stroke:var(--line)}line.join{stroke:var(--crit);stroke-width:1.5;stroke-dasharray:4 "
    "2}"
    "line.range{stroke:var(--dim);stroke-width:2}\n"
    ".c0{fill:var(--c0);background:var(--c0)}.c1{fill:var(--c1);background:var(--c1)}.c2{fill:var(--c2);background:var("
    "--c2)}"
    ".c3{fill:var(--c3);background:var(--c3)}.c4{fill:var(--c4);background:var(--c4)}.c5{fill:var(--c5);background:var("
    "--c5)}\n"
    "rect.critical{fill:none;stroke:var(--crit);stroke-width:2;pointer-events:none}i.critical{border:2px solid "
    "var(--crit)}\n"
    ".compute,.dot,.oncritical{fill:var(--c0);background:var(--c0)}.onrank,.worst{fill:var(--crit);background:var(--"
    "crit)}"
    ".onhost{fill:var(--c3);background:var(--c3)}.launch{fill:var(--c2);background:var(--c2)}"
    ".profiles{fill:var(--c4);background:var(--c4)}.after{fill:var(--idle);background:var(--idle)}"
    ".kernel{fill:var(--c0);background:var(--c0);opacity:.4}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:4px 18px;color:var(--dim)}.legend "
    "i{display:inline-block;width:11px;height:11px;"
    "margin-right:6px;border-radius:2px;box-sizing:border-box;vertical-align:-1px}i.dot,i.worst{border-radius:50%}\n";

static void cell_time(FILE *f, double ns)
{
    char buf[24];

    fprintf(f, "<td>%s</td>", report_time(ns, buf, sizeof buf));
}

static void cell_text(FILE *f, const char *text)
{
    fputs("<td class=\"l\">", f);
    xml_put_text(f, text);
    fputs("</td>", f);
}

static void cells_stats(FILE *f, const struct stats *s)
{
    fprintf(f, "<td>%zu</td>", s->count);
    if (!s->count) {
        fputs("<td>–</td><td>–</td><td>–</td><td>–</td><td>–</td>", f);
        return;
    }
    cell_time(f, (double)s->min);
    cell_time(f, s->median);
    cell_time(f, s->mean);
    cell_time(f, (double)s->p95);
    cell_time(f, (double)s->max);
}

static const char stats_heads[] = "<th>min</th><th>median</th><th>mean</th><th>p95</th><th>max</th>";

static void put_notes(FILE *f, const struct notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        fputs("<p class=\"note\">", f);
        xml_put_text(f, notes->items[i]);
        fputs("</p>\n", f);
    }
}

static void put_cards(FILE *f, const struct report *r)
{
    char buf[24];
    size_t incomplete = 0;

    for (size_t i = 0; i < r->ndispatch; i++) {
        incomplete += r->dispatches[i].notes.count > 0;
    }
    fputs("<div class=\"cards\">", f);
    if (r->related) {
        fprintf(f, "<div>run<b>%s</b></div>", report_time((double)r->span_ns, buf, sizeof buf));
    }
    if (run_record_oversubscribed(&r->run)) {
        fprintf(f, "<div>cards share cores<b>%u on %u</b></div>", r->run.world_size, r->run.ncore);
    }
    if (r->related && r->run.clocks.count > 1) {
        fprintf(f, "<div>%u clocks aligned to within<b>%s</b></div>", r->run.clocks.count,
                report_time((double)run_clocks_error(&r->run.clocks), buf, sizeof buf));
    }
    fprintf(f, "<div>ranks<b>%zu</b></div><div>dispatches<b>%zu</b></div>", r->nrank, r->ndispatch);
    if (r->straggler != REPORT_NONE) {
        fprintf(f, "<div>straggler<b>rank %u</b></div>", r->straggler);
    }
    if (r->nkernel) {
        fputs("<div>slowest kernel<b>", f);
        xml_put_text(f, r->kernels[0].name);
        fputs("</b></div>", f);
    }
    fprintf(f, "<div>incomplete profiles<b>%zu</b></div></div>\n", incomplete);
}

static void put_ranks(FILE *f, const struct report *r)
{
    fprintf(f, "<h2>Ranks</h2>\n");
    if (r->related) {
        fputs("<p class=\"dim\">What the time of the run went into. A kernel that waits for a signal of another card "
              "counts as "
              "computing.</p>\n",
              f);
        chart_shares(f, r);
    }
    fprintf(f, "<div class=\"scroll\"><table><tr><th>rank</th><th>dispatches</th>%s%s</tr>\n", stats_heads,
            r->related ? "<th>computing</th><th>on ranks</th><th>on host</th><th>profiles</th>"
                         "<th class=\"l\">waited for</th>"
                       : "");
    for (size_t i = 0; i < r->nrank; i++) {
        const struct report_rank *k = &r->ranks[i];
        double span = r->span_ns ? (double)r->span_ns : 1;
        char lane[32], time[24];
        fprintf(f, "<tr><td>%u</td>", k->rank);
        cells_stats(f, &k->dispatches);
        if (r->related && k->rank < r->run.world_size) {
            fprintf(f, "<td>%.1f%%</td><td>%.1f%%</td><td>%.1f%%</td><td>%.1f%%</td><td class=\"l wrap\">",
                    100 * (double)k->computing_ns / span, 100 * (double)k->ranks_ns / span,
                    100 * (double)k->host_ns / span, 100 * (double)k->profiles_ns / span);
            for (size_t w = 0; w < k->nwait; w++) {
                fprintf(f, "%s%s %s", w ? ", " : "", run_record_lane(&r->run, k->waits[w].lane, lane, sizeof lane),
                        report_time((double)k->waits[w].ns, time, sizeof time));
            }
            fputs("</td>", f);
        }
        fputs("</tr>\n", f);
    }
    fputs("</table></div>\n", f);
}

static void put_skew(FILE *f, const struct report *r)
{
    char text[160];

    if (!r->nslot) {
        return;
    }
    fputs("<h2>Skew between ranks</h2>\n<p class=\"dim\">The same dispatch (k-th of its card, same program) on each "
          "rank.</p>\n",
          f);
    if (report_straggler(r, text, sizeof text)) {
        fprintf(f, "<p>%s</p>\n", text);
    }
    chart_slots(f, r);
}

static void put_step(FILE *f, const struct report *r, const struct path_step *s)
{
    static const char *const reasons[] = {
        [PATH_FIRST] = "first", [PATH_EDGE] = "waited for it", [PATH_LANE] = "lane order"};
    const struct run_node *n = &r->run.nodes[s->item];
    const struct report_dispatch *d = report_dispatch_of(r, s->item);
    char lane[32], time[24];

    fprintf(f, "<tr><td>%u</td>", s->item);
    cell_text(f, n->name);
    cell_text(f, run_record_lane(&r->run, n->lane, lane, sizeof lane));
    cell_time(f, (double)s->gap);
    cell_time(f, (double)s->time);
    fprintf(f, "<td class=\"l\">%s</td><td class=\"l wrap\">", reasons[s->reason]);
    for (size_t p = 0; d && p < d->npart; p++) {
        fputs(p ? ", " : "", f);
        xml_put_text(f, r->kernels[d->parts[p].kernel].name);
        fprintf(f, " %s", report_time((double)d->parts[p].ns, time, sizeof time));
    }
    fputs(d && !d->npart ? "<span class=\"miss\">not known</span></td></tr>\n" : "</td></tr>\n", f);
}

static int put_path(FILE *f, const struct report *r, struct error *err)
{
    char a[24], b[24];

    if (!r->related) {
        return 0;
    }
    fprintf(f, "<h2>Critical path through the plan</h2>\n<p>%zu node%s, %s, of which %s between nodes.</p>\n", r->nstep,
            r->nstep == 1 ? "" : "s", report_time((double)r->span_ns, a, sizeof a),
            report_time((double)r->step_gap_ns, b, sizeof b));
    if (chart_lanes(f, r, err)) {
        return -1;
    }
    fputs("<div class=\"scroll\"><table><tr><th>node</th><th class=\"l\">name</th><th class=\"l\">lane</th><th>gap "
          "before</th>"
          "<th>time</th><th class=\"l\">follows since</th><th class=\"l\">kernels on it</th></tr>\n",
          f);
    for (size_t i = 0; i < r->nstep && i < HTML_STEPS; i++) {
        put_step(f, r, &r->steps[i]);
    }
    fputs("</table></div>\n", f);
    if (r->nstep > HTML_STEPS) {
        fprintf(f, "<p class=\"dim\">%zu more steps: <code>--format json</code> has them all.</p>\n",
                r->nstep - HTML_STEPS);
    }
    return 0;
}

static void put_kernels(FILE *f, const struct report *r)
{
    if (!r->nkernel) {
        return;
    }
    fputs("<h2>Slowest kernels over all ranks</h2>\n", f);
    if (report_by_cpu(r)) {
        fputs("<p class=\"dim\">By processor time: cards shared cores, so total has time in it without one.</p>\n", f);
    }
    chart_kernels(f, r);
    fprintf(f,
            "<div class=\"scroll\"><table><tr><th class=\"l\">kernel</th><th class=\"l\">program</th><th "
            "class=\"l\">core</th>"
            "<th>total</th><th>processor time</th><th>tasks</th>%s<th class=\"l\">longest on</th></tr>\n",
            stats_heads);
    for (size_t i = 0; i < r->nkernel && i < 100; i++) {
        const struct report_kernel *k = &r->kernels[i];
        fputs("<tr>", f);
        cell_text(f, k->name);
        cell_text(f, k->program);
        cell_text(f, report_core_name(k->core_type));
        cell_time(f, (double)k->stats.total);
        if (k->has_cpu) {
            cell_time(f, (double)k->cpu_ns);
        } else {
            fputs("<td></td>", f);
        }
        cells_stats(f, &k->stats);
        fprintf(f, "<td class=\"l\">rank %u, %c%u</td></tr>\n", k->slowest_rank, DFX_SLOT(k->slowest_k));
    }
    fputs("</table></div>\n", f);
}

static void put_dispatches(FILE *f, const struct report *r)
{
    fprintf(f,
            "<h2>Dispatches</h2>\n<p class=\"dim\">Statistics of the tasks on the cores of each.</p>\n"
            "<div class=\"scroll\"><table><tr><th class=\"l\">dispatch</th><th "
            "class=\"l\">program</th><th>time</th><th>tasks</th>"
            "%s</tr>\n",
            stats_heads);
    for (size_t i = 0; i < r->ndispatch && i < HTML_DISPATCHES; i++) {
        const struct report_dispatch *d = &r->dispatches[i];
        fprintf(f, "<tr><td class=\"l\">" DFX_DISPATCH "</td>", d->rank, DFX_SLOT(d->k));
        fputs("<td class=\"l\">", f);
        xml_put_text(f, d->program ? d->program : "not known");
        fputs(d->idle ? " <span class=\"miss\">did not run to its end</span></td>" : "</td>", f);
        if (d->timed) {
            cell_time(f, (double)d->time_ns);
        } else {
            fputs("<td>–</td>", f);
        }
        cells_stats(f, &d->tasks);
        fputs("</tr>\n", f);
        for (size_t n = 0; n < d->notes.count; n++) {
            fputs("<tr class=\"sub\"><td colspan=\"9\">", f);
            xml_put_text(f, d->notes.items[n]);
            fputs("</td></tr>\n", f);
        }
    }
    fputs("</table></div>\n", f);
    if (r->ndispatch > HTML_DISPATCHES) {
        fprintf(f, "<p class=\"dim\">%zu more dispatches: <code>--format json</code> has them all.</p>\n",
                r->ndispatch - HTML_DISPATCHES);
    }
}

int report_html(FILE *f, const struct report *r, struct error *err)
{
    fprintf(f,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
            "content=\"width=device-width,initial-scale=1\"><link rel=\"icon\" href=\"data:,\"><title>Replay "
            "report</title>\n"
            "<style>\n%s</style></head><body>\n<h1>Replay report</h1>\n<p class=\"dim\">",
            style);
    xml_put_text(f, r->dir);
    fputs("</p>\n", f);
    put_cards(f, r);
    put_notes(f, &r->notes);
    put_ranks(f, r);
    put_skew(f, r);
    if (put_path(f, r, err)) {
        return -1;
    }
    put_kernels(f, r);
    put_dispatches(f, r);
    fputs("</body></html>\n", f);
    return report_finish(f, err);
}
