/* The report in a few lines, for the end of a run. */
#include <stddef.h>

#include "orchestrator/report/report_print.h"

enum { SHORT_KERNELS = 3 };

/* Least and most of a rank's share, over all ranks. */
static void put_range(FILE *f, const struct report *r, const char *what, uint64_t (*time)(const struct report_rank *))
{
    double least = 100, most = 0;

    for (size_t i = 0; i < r->nrank; i++) {
        double share = report_percent(time(&r->ranks[i]), r->span_ns);

        least = share < least ? share : least;
        most = share > most ? share : most;
    }
    fprintf(f, "%s %.1f to %.1f %%", what, least, most);
}

static uint64_t computing(const struct report_rank *rank)
{
    return rank->computing_ns;
}

static uint64_t on_ranks(const struct report_rank *rank)
{
    return rank->ranks_ns;
}

static uint64_t on_host(const struct report_rank *rank)
{
    return rank->host_ns;
}

static uint64_t writing(const struct report_rank *rank)
{
    return rank->profiles_ns;
}

static void put_longest_wait(FILE *f, const struct report *r)
{
    const struct report_rank *who = NULL;
    const struct report_wait *longest = NULL;
    char lane[32], time[24];

    for (size_t i = 0; i < r->nrank; i++) {
        for (size_t w = 0; w < r->ranks[i].nwait; w++) {
            if (!longest || r->ranks[i].waits[w].ns > longest->ns) {
                who = &r->ranks[i];
                longest = &r->ranks[i].waits[w];
            }
        }
    }
    if (longest && longest->ns) {
        fprintf(f, "; longest: rank %u for %s, %s", who->rank,
                run_record_lane(&r->run, longest->lane, lane, sizeof lane),
                report_time((double)longest->ns, time, sizeof time));
    }
}

static void put_shares(FILE *f, const struct report *r)
{
    if (!r->related || !r->nrank) {
        return;
    }
    fputs("ranks: ", f);
    put_range(f, r, "computing", computing);
    put_range(f, r, " of the run, waiting for ranks", on_ranks);
    put_range(f, r, ", for the host", on_host);
    put_range(f, r, ", writing profiles", writing);
    put_longest_wait(f, r);
    putc('\n', f);
}

static void put_straggler(FILE *f, const struct report *r)
{
    char text[160];

    if (report_straggler(r, text, sizeof text)) {
        fprintf(f, "%s\n", text);
    }
}

static void put_path(FILE *f, const struct report *r)
{
    char time[24], gap[24];

    if (r->related) {
        fprintf(f, "critical path: %zu node%s, %s, of which %s between nodes\n", r->nstep, r->nstep == 1 ? "" : "s",
                report_time((double)r->span_ns, time, sizeof time),
                report_time((double)r->step_gap_ns, gap, sizeof gap));
    }
}

static void put_kernels(FILE *f, const struct report *r)
{
    const char *head = report_by_cpu(r) ? "slowest kernels by processor time: " : "slowest kernels: ";
    char total[24], critical[24];

    for (size_t i = 0; i < r->nkernel && i < SHORT_KERNELS; i++) {
        const struct report_kernel *k = &r->kernels[i];

        fprintf(f, "%s%s of %s %s", i ? ", " : head, k->name, k->program,
                report_time((double)report_kernel_ns(r, k), total, sizeof total));
        if (k->critical_ns) {
            fprintf(f, " (%s on the path)", report_time((double)k->critical_ns, critical, sizeof critical));
        }
    }
    if (r->nkernel) {
        putc('\n', f);
    }
}

int report_short(FILE *f, const struct report *r, struct error *err)
{
    char time[24];

    if (r->related && r->run.clocks.count > 1) {
        fprintf(f, "clocks: %u, aligned to within %s\n", r->run.clocks.count,
                report_time((double)run_clocks_error(&r->run.clocks), time, sizeof time));
    }
    put_shares(f, r);
    put_straggler(f, r);
    put_path(f, r);
    put_kernels(f, r);
    if (report_is_without_tasks(r)) {
        fputs("tasks were not recorded: that takes --swimlane\n", f);
    }
    for (size_t i = 0; i < r->notes.count; i++) {
        fprintf(f, "! %s\n", r->notes.items[i]);
    }
    return report_finish(f, err);
}
