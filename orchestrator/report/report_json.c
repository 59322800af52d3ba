#include "orchestrator/report/report_print.h"

#include <inttypes.h>

#include "common/base/json_stream.h"

enum { REPORT_VERSION = 1 };

/* For printf's "%s": %u: "k", or "c" of a collective. */
#define SLOT(k) ((k) & DFX_OTHER ? "c" : "k"), ((k) & ~DFX_OTHER)

/* A member after a comma; a statistic of nothing has no numbers and is left out. */
static void put_stats(FILE *f, const char *key, const struct stats *s)
{
    if (!s->count) {
        return;
    }
    fprintf(f,
            ", \"%s\": {\"count\": %zu, \"min_ns\": %" PRIu64 ", \"median_ns\": %.1f, \"mean_ns\": %.1f"
            ", \"p95_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"total_ns\": %" PRIu64 "}",
            key, s->count, s->min, s->median, s->mean, s->p95, s->max, s->total);
}

static void put_notes(FILE *f, const struct notes *notes)
{
    putc('[', f);
    for (size_t i = 0; i < notes->count; i++) {
        fputs(i ? ", " : "", f);
        json_out_text(f, notes->items[i]);
    }
    putc(']', f);
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void put_shares(FILE *f, const struct report *r, const struct report_rank *k)
{
    char lane[32];
    const char *comma = "";

    fprintf(f,
            ",\n   \"computing_ns\": %" PRIu64 ", \"waiting_on_ranks_ns\": %" PRIu64
            ", \"waiting_on_host_ns\": %" PRIu64 ", \"launch_ns\": %" PRIu64 ", \"writing_profiles_ns\": %" PRIu64
            ", \"after_last_ns\": %" PRIu64 ", \"waits\": [",
            k->computing_ns, k->ranks_ns, k->host_ns, k->launch_ns, k->profiles_ns, k->after_ns);
    for (size_t i = 0; i < k->nwait; i++) {
        fprintf(f, "%s{\"lane\": %u, \"name\": \"%s\", \"ns\": %" PRIu64 "}", comma, k->waits[i].lane,
                run_record_lane(&r->run, k->waits[i].lane, lane, sizeof lane), k->waits[i].ns);
        comma = ", ";
    }
    putc(']', f);
}

static void put_ranks(FILE *f, const struct report *r)
{
    fputs(",\n \"ranks\": [", f);
    for (size_t i = 0; i < r->nrank; i++) {
        const struct report_rank *k = &r->ranks[i];
        fprintf(f, "%s\n  {\"rank\": %u", i ? "," : "", k->rank);
        put_stats(f, "dispatches", &k->dispatches);
        if (r->related && k->rank < r->run.world_size) {
            put_shares(f, r, k);
        }
        fprintf(f, ",\n   \"behind_fastest_ns\": %" PRIu64 ", \"slowest_of_slots\": %u}", k->behind_ns, k->slowest_of);
    }
    putc(']', f);
}

static void put_slots(FILE *f, const struct report *r)
{
    fputs(",\n \"slots\": [", f);
    for (size_t i = 0; i < r->nslot; i++) {
        const struct report_slot *s = &r->slots[i];
        fprintf(f, "%s\n  {\"%s\": %u, \"program\": ", i ? "," : "", SLOT(s->k));
        json_out_text(f, s->program);
        fprintf(f, ", \"ranks\": %u, \"min_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"slowest_rank\": %u", s->nrank,
                s->min_ns, s->max_ns, s->slowest);
        if (r->related) {
            fprintf(f, ", \"start_spread_ns\": %" PRIu64 ", \"end_spread_ns\": %" PRIu64, s->start_spread_ns,
                    s->end_spread_ns);
        }
        fputs(", \"times\": [", f);
        for (size_t t = 0; t < s->count; t++) {
            fprintf(f, "%s{\"rank\": %u, \"ns\": %" PRIu64 "}", t ? ", " : "", r->slot_times[s->first + t].rank,
                    r->slot_times[s->first + t].ns);
        }
        fputs("]}", f);
    }
    putc(']', f);
    if (r->straggler != REPORT_NONE) {
        fprintf(f, ",\n \"straggler\": %u", r->straggler);
    }
}

static void put_parts(FILE *f, const struct report *r, const struct report_dispatch *d)
{
    fputs(", \"kernels\": [", f);
    for (size_t p = 0; d && p < d->npart; p++) {
        fputs(p ? ", {\"name\": " : "{\"name\": ", f);
        json_out_text(f, r->kernels[d->parts[p].kernel].name);
        fprintf(f, ", \"ns\": %" PRIu64 ", \"tasks\": %u}", d->parts[p].ns, d->parts[p].ntask);
    }
    putc(']', f);
}

static void put_path(FILE *f, const struct report *r)
{
    static const char *const reasons[] = {[PATH_FIRST] = "first", [PATH_EDGE] = "edge", [PATH_LANE] = "lane"};

    fprintf(f, ",\n \"critical_path\": {\"total_ns\": %" PRIu64 ", \"gaps_ns\": %" PRIu64 ", \"steps\": [", r->span_ns,
            r->step_gap_ns);
    for (size_t i = 0; i < r->nstep; i++) {
        const struct path_step *s = &r->steps[i];
        const struct run_node *n = &r->run.nodes[s->item];
        fprintf(f, "%s\n  {\"node\": %u, \"lane\": %u, \"name\": ", i ? "," : "", s->item, n->lane);
        json_out_text(f, n->name);
        fprintf(f, ", \"reason\": \"%s\", \"gap_ns\": %" PRIu64 ", \"time_ns\": %" PRIu64, reasons[s->reason], s->gap,
                s->time);
        if (n->kind == PLAN_DISPATCH) {
            put_parts(f, r, report_dispatch_of(r, s->item));
        }
        putc('}', f);
    }
    fputs("]}", f);
}

static void put_kernels(FILE *f, const struct report *r)
{
    fputs(",\n \"kernels\": [", f);
    for (size_t i = 0; i < r->nkernel; i++) {
        const struct report_kernel *k = &r->kernels[i];
        fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", f);
        json_out_text(f, k->name);
        fputs(", \"program\": ", f);
        json_out_text(f, k->program);
        fprintf(f, ", \"core\": \"%s\"", report_core_name(k->core_type));
        put_stats(f, "tasks", &k->stats);
        if (k->has_cpu) {
            fprintf(f, ", \"cpu_ns\": %" PRIu64, k->cpu_ns);
        }
        if (r->related) {
            fprintf(f, ", \"critical_ns\": %" PRIu64, k->critical_ns);
        }
        fprintf(f, ", \"longest\": {\"rank\": %u, \"%s\": %u, \"ns\": %" PRIu64 "}}", k->slowest_rank,
                SLOT(k->slowest_k), k->slowest_ns);
    }
    putc(']', f);
}

static void put_dispatches(FILE *f, const struct report *r)
{
    fputs(",\n \"dispatches\": [", f);
    for (size_t i = 0; i < r->ndispatch; i++) {
        const struct report_dispatch *d = &r->dispatches[i];
        fprintf(f, "%s\n  {\"rank\": %u, \"%s\": %u, \"program\": ", i ? "," : "", d->rank, SLOT(d->k));
        json_out_text(f, d->program);
        fprintf(f, ", \"records\": %s, \"deps\": %s, \"names\": %s, \"pmu\": %s, \"level\": %" PRId64,
                truth(d->has_records), truth(d->has_deps), truth(d->has_names), truth(d->has_pmu), d->level);
        if (d->node != REPORT_NONE) {
            fprintf(f, ", \"node\": %u, \"start_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64, d->node, d->start_ns,
                    d->end_ns);
        }
        if (d->idle) {
            fputs(", \"ran\": false", f);
        }
        if (d->timed) {
            fprintf(f, ",\n   \"time_ns\": %" PRIu64, d->time_ns);
        }
        fprintf(f, ", \"span_ns\": %" PRIu64, d->span_ns);
        put_stats(f, "tasks", &d->tasks);
        if (d->npart) {
            fprintf(f, ",\n   \"path_gaps_ns\": %" PRIu64, d->part_gap_ns);
            put_parts(f, r, d);
        }
        fputs(",\n   \"notes\": ", f);
        put_notes(f, &d->notes);
        putc('}', f);
    }
    putc(']', f);
}

int report_json(FILE *f, const struct report *r, struct error *err)
{
    fprintf(f, "{\"report\": %d, \"profiles\": ", REPORT_VERSION);
    json_out_text(f, r->dir);
    fprintf(f, ", \"related\": %s,\n \"notes\": ", truth(r->related));
    put_notes(f, &r->notes);
    if (r->related) {
        fprintf(f,
                ",\n \"run\": {\"world_size\": %u, \"nodes\": %zu, \"span_ns\": %" PRIu64
                ", \"clock_error_ns\": %" PRIu64,
                r->run.world_size, r->run.nnode, r->span_ns, run_clocks_error(&r->run.clocks));
        if (r->run.ncore) {
            fprintf(f, ", \"cores\": %u", r->run.ncore);
        }
        putc('}', f);
    }
    put_ranks(f, r);
    put_slots(f, r);
    if (r->related) {
        put_path(f, r);
    }
    put_kernels(f, r);
    put_dispatches(f, r);
    fputs("}\n", f);
    return report_finish(f, err);
}
