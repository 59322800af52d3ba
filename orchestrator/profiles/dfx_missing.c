#include "orchestrator/profiles/dfx_missing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/profiles/dump_read.h"

static int report_files(const struct dfx_entry *entry, struct dfx_dispatch *d, const struct run_captured *captured,
                        struct error *err)
{
    const struct {
        const char *name;
        bool captured;
    } files[] = {
        {"chip_swimlane_records.json", captured->swimlane > 0},
        {"deps.json", captured->dep_gen},
        {"pmu.csv", captured->pmu > 0},
        {"scope_stats/scope_stats.jsonl", captured->scope_stats},
        {"args_dump/args_dump.json", captured->dump_args > 0},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = file_join(entry->path, files[i].name, err);

        if (!path) {
            return -1;
        }
        if (files[i].captured && !file_is_regular(path)) {
            notes_add(&d->notes, "%s was captured and is not there", files[i].name);
        }
        free(path);
    }
    return 0;
}

/* Each without the other. What was not asked for is not missed; where that is not known, both are. */
static void report_halves(struct dfx_dispatch *d, const struct run_captured *captured)
{
    bool want_records = !captured->known || captured->swimlane, want_deps = !captured->known || captured->dep_gen;

    if (d->has_records && !d->has_deps && want_deps) {
        notes_add(&d->notes, "records without deps.json: which kernel each task ran, and every dependency between "
                             "tasks, is unknown");
    }
    if (!d->has_records && d->has_deps && want_records) {
        notes_add(&d->notes, "deps.json without chip_swimlane_records.json: the graph is known, but no time");
    }
    if (!d->has_records && !d->has_deps && (want_records || want_deps)) {
        notes_add(&d->notes, "neither chip_swimlane_records.json nor deps.json could be used");
    }
    if (!d->has_names && d->has_deps) {
        notes_add(&d->notes, "no name_map.json: kernels are shown by number");
    }
}

/* Two files that are there, of one dispatch: the graph says how many records there must be. */
static void report_contradictions(struct dfx_dispatch *d)
{
    const struct deps_edge *e = d->deps.edges;
    size_t unknown = 0, dangling = 0;
    uint64_t calls = task_deps_calls(&d->deps);

    for (size_t i = 0; i < d->records.ntask; i++) {
        unknown += dfx_function(d, &d->records.tasks[i]) < 0;
    }
    if (d->has_records && d->has_deps && unknown) {
        notes_add(&d->notes, "%zu of %zu tasks have no function in deps.json: the two files may be of different runs",
                  unknown, d->records.ntask);
    }
    if (d->has_records && d->has_deps && d->records.ntask < calls) {
        notes_add(&d->notes,
                  "chip_swimlane_records.json is cut short: %zu kernel calls, and the tasks of deps.json "
                  "make %" PRIu64,
                  d->records.ntask, calls);
    }
    for (size_t i = 0; i < d->deps.nedge; i++) {
        dangling += !task_deps_find(&d->deps, e[i].pred) || !task_deps_find(&d->deps, e[i].succ);
    }
    if (dangling) {
        notes_add(&d->notes, "deps.json: %zu edges name tasks that it does not list", dangling);
    }
}

int dfx_missing_warn(const struct dfx_entry *entry, struct dfx_dispatch *d, const struct run_captured *captured,
                     struct error *err)
{
    if (report_files(entry, d, captured, err)) {
        return -1;
    }
    if (d->records.is_empty && (d->has_deps || !d->no_graph)) {
        notes_add(&d->notes, "chip_swimlane_records.json: it holds no tasks");
    }
    if (!d->records.is_empty || !d->no_graph) { /* else the orchestration submitted nothing */
        report_halves(d, captured);
    }
    report_contradictions(d);
    if (dump_check(entry->path, &d->notes, err)) {
        return -1;
    }
    return d->notes.failed ? error_nomem(err, entry->path, 256) : 0;
}
