#include "orchestrator/report/report_print.h"

#include <inttypes.h>

enum { TEXT_KERNELS = 20, TEXT_STEPS = 200 };

static void put_stats(FILE *f, const struct stats *s)
{
    char buf[5][24];

    if (!s->count) {
        fprintf(f, "%5d  %9s %9s %9s %9s %9s", 0, "-", "-", "-", "-", "-");
        return;
    }
    fprintf(f, "%5zu  %9s %9s %9s %9s %9s", s->count, report_time((double)s->min, buf[0], 24),
            report_time(s->median, buf[1], 24), report_time(s->mean, buf[2], 24),
            report_time((double)s->p95, buf[3], 24), report_time((double)s->max, buf[4], 24));
}

static void put_ranks(FILE *f, const struct report *r)
{
    fprintf(f, "\nranks (times of their dispatches)\n  rank  count        min    median      mean       p95       "
               "max\n");
    for (size_t i = 0; i < r->nrank; i++) {
        fprintf(f, "  %4u  ", r->ranks[i].rank);
        put_stats(f, &r->ranks[i].dispatches);
        putc('\n', f);
    }
}

static void put_waits(FILE *f, const struct report *r, const struct report_rank *rank)
{
    char lane[32], time[24];
    const char *comma = " (";

    for (size_t i = 0; i < rank->nwait; i++) {
        fprintf(f, "%s%s %s", comma, run_record_lane(&r->run, rank->waits[i].lane, lane, sizeof lane),
                report_time((double)rank->waits[i].ns, time, sizeof time));
        comma = ", ";
    }
    fputs(comma[0] == ',' ? ")\n" : "\n", f);
}

static void put_shares(FILE *f, const struct report *r)
{
    char time[24];

    fprintf(f, "\nshares of the run (%s)\n  rank  computing  on ranks  on host   launch  profiles    after\n",
            report_time((double)r->span_ns, time, sizeof time));
    for (size_t i = 0; i < r->nrank && i < r->run.world_size; i++) {
        const struct report_rank *k = &r->ranks[i];
        fprintf(f, "  %4u    %6.1f%%   %6.1f%%  %6.1f%%  %6.1f%%   %6.1f%%  %6.1f%%", k->rank,
                report_percent(k->computing_ns, r->span_ns), report_percent(k->ranks_ns, r->span_ns),
                report_percent(k->host_ns, r->span_ns), report_percent(k->launch_ns, r->span_ns),
                report_percent(k->profiles_ns, r->span_ns), report_percent(k->after_ns, r->span_ns));
        put_waits(f, r, k);
    }
}

static void put_slots(FILE *f, const struct report *r)
{
    char a[24], b[24], c[24], d[24], text[160];

    if (!r->nslot) {
        return;
    }
    fprintf(f,
            "\nskew between ranks (the same dispatch of several ranks)\n"
            "     k  ranks    fastest   slowest  slowest rank%s  program\n",
            r->related ? "  starts within  ends within" : "");
    for (size_t i = 0; i < r->nslot; i++) {
        const struct report_slot *s = &r->slots[i];
        fprintf(f, "  %3s%u  %5u  %9s %9s  %12u", s->k & DFX_OTHER ? "c" : "d", s->k & ~DFX_OTHER, s->nrank,
                report_time((double)s->min_ns, a, sizeof a), report_time((double)s->max_ns, b, sizeof b), s->slowest);
        if (r->related) {
            fprintf(f, "  %13s  %11s", report_time((double)s->start_spread_ns, c, sizeof c),
                    report_time((double)s->end_spread_ns, d, sizeof d));
        }
        fprintf(f, "  %s\n", s->program);
    }
    if (report_straggler(r, text, sizeof text)) {
        fprintf(f, "  %s\n", text);
    }
}

static void put_parts(FILE *f, const struct report *r, const struct report_dispatch *d)
{
    char time[24];

    if (!d) {
        return;
    }
    if (!d->npart) {
        fputs("            its kernels are not known\n", f);
        return;
    }
    for (size_t p = 0; p < d->npart; p++) {
        fprintf(f, "            %9s  %s, %u task%s\n", report_time((double)d->parts[p].ns, time, sizeof time),
                r->kernels[d->parts[p].kernel].name, d->parts[p].ntask, d->parts[p].ntask == 1 ? "" : "s");
    }
}

static void put_path(FILE *f, const struct report *r)
{
    static const char *const reasons[] = {[PATH_FIRST] = "first", [PATH_EDGE] = "waited", [PATH_LANE] = "lane order"};
    char time[24], gap[24], lane[32];

    if (!r->related) {
        return;
    }
    fprintf(f, "\ncritical path through the plan: %zu node%s, %s, of which %s between nodes\n", r->nstep,
            r->nstep == 1 ? "" : "s", report_time((double)r->span_ns, time, sizeof time),
            report_time((double)r->step_gap_ns, gap, sizeof gap));
    for (size_t i = 0; i < r->nstep && i < TEXT_STEPS; i++) {
        const struct path_step *s = &r->steps[i];
        const struct run_node *n = &r->run.nodes[s->item];
        fprintf(f, "  %9s  %s on %s, node %u%s (%s%s%s)\n", report_time((double)s->time, time, sizeof time), n->name,
                run_record_lane(&r->run, n->lane, lane, sizeof lane), s->item, n->kind == PLAN_DISPATCH ? "" : ", host",
                reasons[s->reason], s->gap ? ", after " : "",
                s->gap ? report_time((double)s->gap, gap, sizeof gap) : "");
        if (n->kind == PLAN_DISPATCH) {
            put_parts(f, r, report_dispatch_of(r, s->item));
        }
    }
    if (r->nstep > TEXT_STEPS) {
        fprintf(f, "  ... %zu more: --format json has them all\n", r->nstep - TEXT_STEPS);
    }
}

static void put_kernels(FILE *f, const struct report *r)
{
    char total[24], cpu[24], critical[24], worst[24];

    if (!r->nkernel) {
        return;
    }
    fprintf(
        f,
        "\nslowest kernels over all ranks%s\n      total   cpu time  critical  core  tasks        min    median      "
        "mean       p95       max  kernel\n",
        report_by_cpu(r) ? ", by processor time: cards shared cores" : "");
    for (size_t i = 0; i < r->nkernel && i < TEXT_KERNELS; i++) {
        const struct report_kernel *k = &r->kernels[i];
        fprintf(f, "  %9s  %9s %9s  %-4s  ", report_time((double)k->stats.total, total, sizeof total),
                k->has_cpu ? report_time((double)k->cpu_ns, cpu, sizeof cpu) : "-",
                k->critical_ns ? report_time((double)k->critical_ns, critical, sizeof critical) : "-",
                report_core_name(k->core_type));
        put_stats(f, &k->stats);
        fprintf(f, "  %s of %s (longest %s on rank %u, %c%u)\n", k->name, k->program,
                report_time((double)k->slowest_ns, worst, sizeof worst), k->slowest_rank, DFX_SLOT(k->slowest_k));
    }
    if (r->nkernel > TEXT_KERNELS) {
        fprintf(f, "  ... %zu more: --format json has them all\n", r->nkernel - TEXT_KERNELS);
    }
}

static void put_dispatches(FILE *f, const struct report *r)
{
    char time[24];

    fprintf(f, "\ndispatches (times of their tasks)\n  dispatch        time  tasks        min    median      mean      "
               " p95"
               "       max  program\n");
    for (size_t i = 0; i < r->ndispatch; i++) {
        const struct report_dispatch *d = &r->dispatches[i];
        char name[40];
        snprintf(name, sizeof name, DFX_DISPATCH, d->rank, DFX_SLOT(d->k));
        fprintf(f, "  %-10s %9s  ", name, d->timed ? report_time((double)d->time_ns, time, sizeof time) : "-");
        put_stats(f, &d->tasks);
        fprintf(f, "  %s%s\n", d->program ? d->program : "(program not known)",
                d->idle ? " (did not run to its end)" : "");
        for (size_t n = 0; n < d->notes.count; n++) {
            fprintf(f, "    ! %s\n", d->notes.items[n]);
        }
    }
}

int report_text(FILE *f, const struct report *r, struct error *err)
{
    char time[24];

    fprintf(f, "profiles     %s\n", r->dir);
    fprintf(f, "dispatches   %zu on %zu rank%s\n", r->ndispatch, r->nrank, r->nrank == 1 ? "" : "s");
    if (run_record_oversubscribed(&r->run)) {
        fprintf(f, "cores        %u for %u cards: they took turns, so times have time in them without a core\n",
                r->run.ncore, r->run.world_size);
    }
    if (r->related && r->run.clocks.count > 1) {
        fprintf(f, "clocks       %u, aligned to within %s\n", r->run.clocks.count,
                report_time((double)run_clocks_error(&r->run.clocks), time, sizeof time));
    }
    if (report_is_without_tasks(r)) {
        fputs("tasks were not recorded: that takes --swimlane\n", f);
    }
    for (size_t i = 0; i < r->notes.count; i++) {
        fprintf(f, "! %s\n", r->notes.items[i]);
    }
    put_ranks(f, r);
    if (r->related) {
        put_shares(f, r);
    }
    put_slots(f, r);
    put_path(f, r);
    put_kernels(f, r);
    put_dispatches(f, r);
    return report_finish(f, err);
}
