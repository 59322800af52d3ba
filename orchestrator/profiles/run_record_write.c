#include <inttypes.h>
#include <stdlib.h>

#include "common/base/file.h"
#include "common/base/json_stream.h"
#include "orchestrator/profiles/run_record.h"

static const char *const kinds[] = {[PLAN_DISPATCH] = "dispatch", [PLAN_COPY] = "copy", [PLAN_SUB] = "sub"};

uint64_t run_record_origin(const struct segment *seg)
{
    uint64_t first = 0;

    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        if (seg->times[i].end_ns && (!first || seg->times[i].start_ns < first)) {
            first = seg->times[i].start_ns;
        }
    }
    return first;
}

static const char *node_name(const struct plan *plan, const struct plan_node *n)
{
    if (n->kind == PLAN_DISPATCH) {
        return plan_text(plan, plan->programs[n->program]);
    }
    if (n->kind == PLAN_SUB) {
        return plan_text(plan, plan->subs[n->program]);
    }
    return plan_is_fill(n) ? "fill" : "copy";
}

static void write_edges(FILE *f, const struct plan *plan, const struct plan_node *n)
{
    static const char *const names[] = {"RAW", "WAR", "WAW"};

    fputs(", \"waits_for\": [", f);
    for (uint32_t i = 0; i < n->npred; i++) {
        const struct plan_pred *pred = &plan->preds[n->first_pred + i];
        const char *comma = "";
        fprintf(f, "%s{\"node\": %u, \"why\": [", i ? ", " : "", pred->node);
        for (unsigned bit = 0; bit < 3; bit++) {
            if (pred->why & 1u << bit) {
                fprintf(f, "%s\"%s\"", comma, names[bit]);
                comma = ", ";
            }
        }
        fputs("], \"storage\": ", f);
        json_out_text(f, pred->storage < plan->nstorage ? plan_text(plan, plan->storages[pred->storage].name) : NULL);
        putc('}', f);
    }
    putc(']', f);
}

static void write_node(FILE *f, const struct segment *seg, uint32_t node, uint64_t zero)
{
    const struct plan_node *n = &seg->plan.nodes[node];
    const struct segment_times *t = &seg->times[node];

    fprintf(f, "%s\n  {\"node\": %u, \"kind\": \"%s\", \"name\": ", node ? "," : "", node, kinds[n->kind]);
    json_out_text(f, node_name(&seg->plan, n));
    fprintf(f, ", \"lane\": %u", n->lane);
    if (n->k != PLAN_NONE) {
        fprintf(f, ", \"k\": %u", n->k);
    }
    if (n->line) {
        fprintf(f, ", \"line\": %u", n->line);
    }
    if (t->end_ns) {
        fprintf(f, ", \"start_ns\": %" PRIu64 ", \"end_ns\": %" PRIu64, t->start_ns - zero, t->end_ns - zero);
    }
    if (t->end_ns && n->kind == PLAN_DISPATCH) {
        fprintf(f, ", \"device_ns\": %" PRIu64 ", \"orch_ns\": %" PRIu64 ", \"tasks\": %u, \"profile_ns\": %" PRIu64,
                t->device_ns, t->orch_ns, t->ntasks, t->profile_ns);
    }
    write_edges(f, &seg->plan, n);
    putc('}', f);
}

static void write_captured(FILE *f, const struct dfx *dfx)
{
    fprintf(f,
            ",\n \"captured\": {\"swimlane\": %d, \"dep_gen\": %s, \"pmu\": %d, \"scope_stats\": %s, "
            "\"dump_args\": %d}",
            dfx->swimlane, dfx->dep_gen ? "true" : "false", dfx->pmu, dfx->scope_stats ? "true" : "false",
            dfx->dump_args);
}

int run_record_write(const char *path, const struct run_record_source *from, struct error *err)
{
    const struct segment *seg = from->seg;
    uint64_t zero = run_record_origin(seg);
    struct file_writer w;
    char lane[32];

    if (file_replace_begin(&w, path, err)) {
        return -1;
    }
    w.unsynced = true;
    fprintf(w.stream,
            "{\"l3_run\": 1, \"clock\": \"CLOCK_MONOTONIC\", \"origin_ns\": \"%" PRIu64
            "\", \"world_size\": %u, \"cores\": %u,\n",
            zero, seg->plan.world_size, from->ncore);
    fputs(" \"device_ids\": [", w.stream);
    for (uint32_t c = 0; c < seg->plan.world_size; c++) {
        fprintf(w.stream, "%s%d", c ? ", " : "", from->device_ids[c]);
    }
    fputs("],\n \"lanes\": [", w.stream);
    for (uint32_t l = 0; l < plan_lane_count(&seg->plan); l++) {
        fprintf(w.stream, "%s\"%s\"", l ? ", " : "", plan_lane_name(seg->plan.world_size, l, lane, sizeof lane));
    }
    putc(']', w.stream);
    write_captured(w.stream, from->captured);
    run_clocks_write(w.stream, from->clocks);
    run_extra_write(w.stream, from->extra);
    fputs(",\n \"nodes\": [", w.stream);
    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        write_node(w.stream, seg, i, zero);
    }
    fputs("]}\n", w.stream); /* write errors are found by the commit */
    return file_write_commit(&w, err);
}
