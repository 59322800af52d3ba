/* First step: every dispatch by itself. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/profiles/dfx_missing.h"
#include "orchestrator/profiles/task_graph.h"
#include "orchestrator/report/report_steps.h"

static int compare_dispatches(const void *a, const void *b)
{
    const struct report_dispatch *x = a, *y = b;

    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return x->k < y->k ? -1 : x->k > y->k;
}

/* The kernel of that name, made when it is new. Kernels of programs that are not known are not taken for the same:
 * `program` then names the dispatch. REPORT_NONE when out of memory. */
static size_t kernel_index(struct report *r, const char *program, const char *name, int core_type)
{
    struct report_kernel *kernel;

    for (size_t i = 0; i < r->nkernel; i++) {
        kernel = &r->kernels[i];
        if (kernel->core_type == core_type && strcmp(kernel->name, name) == 0 &&
            strcmp(kernel->program, program) == 0) {
            return i;
        }
    }
    if (array_room(&r->kernels, &r->kernel_capacity, r->nkernel, sizeof *r->kernels)) {
        return REPORT_NONE;
    }
    kernel = &r->kernels[r->nkernel];
    *kernel = (struct report_kernel){.program = strdup(program), .name = strdup(name), .core_type = core_type};
    if (!kernel->program || !kernel->name) {
        free(kernel->program);
        free(kernel->name);
        return REPORT_NONE;
    }
    return r->nkernel++;
}

static size_t task_kernel(struct report *r, const struct dfx_dispatch *d, const struct swim_task *task)
{
    char program[64], name[64];

    snprintf(program, sizeof program, DFX_DISPATCH, d->rank, DFX_SLOT(d->k));
    return kernel_index(r, d->program ? d->program : program, dfx_kernel_name(d, task, name, sizeof name),
                        swimlane_core_type(&d->records, task->core));
}

static int add_task(struct report *r, const struct dfx_dispatch *d, size_t kernel, const struct swim_task *task,
                    uint64_t ns)
{
    struct report_kernel *k = &r->kernels[kernel];

    if (array_room(&k->values, &k->value_capacity, k->nvalue, sizeof *k->values)) {
        return -1;
    }
    if (k->nvalue == 0 || ns > k->slowest_ns) {
        k->slowest_ns = ns;
        k->slowest_rank = d->rank;
        k->slowest_k = d->k;
    }
    k->has_cpu = d->records.has_cpu && (k->has_cpu || k->nvalue == 0);
    k->cpu_ns += task->cpu_ns;
    k->values[k->nvalue++] = ns;
    return 0;
}

static int add_part(struct report_dispatch *to, size_t kernel, uint64_t ns)
{
    size_t i = 0;

    while (i < to->npart && to->parts[i].kernel != kernel) {
        i++;
    }
    if (i == to->npart) {
        if (array_room(&to->parts, &to->part_capacity, to->npart, sizeof *to->parts)) {
            return -1;
        }
        to->parts[to->npart++].kernel = kernel;
    }
    to->parts[i].ns += ns;
    to->parts[i].ntask++;
    return 0;
}

static int compare_parts(const void *a, const void *b)
{
    const struct report_part *x = a, *y = b;

    if (x->ns != y->ns) {
        return x->ns > y->ns ? -1 : 1;
    }
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* The chain of tasks that made the dispatch so long. Without dependencies it would be the order on one core, which is
 * no answer. */
static int add_path(struct report_dispatch *to, const struct dfx_dispatch *d, const size_t *kernels, struct error *err)
{
    struct task_graph graph;
    struct path_bind *binds;
    struct path_step *steps = NULL;
    size_t nstep = 0;
    int rc = -1;

    if (!d->has_deps || !d->has_records) {
        return 0;
    }
    if (task_graph_build(d, &graph, err)) {
        return -1;
    }
    binds = malloc((graph.nitem + 1) * sizeof *binds);
    if (!binds) {
        error_nomem(err, "critical path", graph.nitem * sizeof *binds);
    } else if (path_bind(graph.items, graph.nitem, graph.edges, graph.nedge, binds, err) == 0) {
        rc = path_critical(graph.items, graph.nitem, binds, &steps, &nstep, err);
    }
    for (size_t i = 0; i < nstep && rc == 0; i++) {
        to->part_gap_ns += steps[i].gap;
        if (add_part(to, kernels[steps[i].item], steps[i].time)) {
            rc = error_nomem(err, "critical path", sizeof *to->parts);
        }
    }
    if (to->npart) {
        qsort(to->parts, to->npart, sizeof *to->parts, compare_parts);
    }
    free(steps);
    free(binds);
    task_graph_free(&graph);
    return rc;
}

static int add_tasks(struct report *r, struct report_dispatch *to, const struct dfx_dispatch *d, struct error *err)
{
    const struct swimlane *s = &d->records;
    size_t *kernels = malloc((s->ntask + 1) * sizeof *kernels);
    uint64_t *times = malloc((s->ntask + 1) * sizeof *times);
    int rc = kernels && times ? 0 : -1;

    for (size_t i = 0; i < s->ntask && rc == 0; i++) {
        times[i] = swimlane_duration_ns(s, s->tasks[i].end - s->tasks[i].start);
        kernels[i] = task_kernel(r, d, &s->tasks[i]);
        rc = kernels[i] == REPORT_NONE ? -1 : add_task(r, d, kernels[i], &s->tasks[i], times[i]);
    }
    if (rc) {
        error_nomem(err, r->dir, s->ntask * sizeof *kernels);
    } else {
        rc = add_path(to, d, kernels, err);
    }
    if (rc == 0) {
        to->tasks = stats_of(times, s->ntask);
    }
    free(kernels);
    free(times);
    return rc;
}

static int add_profile(struct report *r, const struct dfx_entry *entry, struct error *err)
{
    /* Records of a dispatch that the run did not come to are of another run, or of one that was stopped. */
    bool ran = !r->run.doc || run_record_find(&r->run, entry->rank, entry->k) != PLAN_NONE;
    struct report_dispatch *to;
    struct dfx_dispatch d;
    int rc = -1;

    if (dfx_load(entry, &d, err) || (ran && dfx_missing_warn(entry, &d, &r->run.captured, err))) {
        goto out;
    }
    if (array_room(&r->dispatches, &r->dispatch_capacity, r->ndispatch, sizeof *r->dispatches)) {
        error_nomem(err, entry->path, r->ndispatch * sizeof *r->dispatches);
        goto out;
    }
    to = &r->dispatches[r->ndispatch++];
    *to = (struct report_dispatch){.rank = d.rank,
                                   .k = d.k,
                                   .node = REPORT_NONE,
                                   .has_profile = true,
                                   .has_records = d.has_records,
                                   .has_deps = d.has_deps,
                                   .has_names = d.has_names,
                                   .has_pmu = d.has_pmu,
                                   .no_tasks = d.records.is_empty && d.no_graph,
                                   .level = d.records.level,
                                   .ntask = (uint32_t)d.records.ntask,
                                   .span_ns = swimlane_ns(&d.records, d.records.last)};
    to->timed = ran && !r->related && d.has_records;
    to->time_ns = to->timed ? to->span_ns : 0;
    rc = ran ? add_tasks(r, to, &d, err) : 0;
    to->program = d.program;
    to->notes = d.notes;
    d.program = NULL;
    memset(&d.notes, 0, sizeof d.notes);
out:
    dfx_free(&d);
    return rc;
}

/* `to`, which may be new, ran as node `i`. */
static int add_times(struct report *r, struct report_dispatch *to, uint32_t i, struct error *err)
{
    const struct run_node *n = &r->run.nodes[i];

    to->node = i;
    to->timed = true;
    to->start_ns = n->start_ns;
    to->end_ns = n->end_ns;
    to->time_ns = n->end_ns - n->start_ns;
    if (!to->program) {
        to->program = strdup(n->name);
    }
    if (!to->program) {
        return error_nomem(err, r->dir, strlen(n->name));
    }
    if (strcmp(to->program, n->name) != 0) {
        notes_add(&to->notes, "l3_run.json says that it ran %s, the profile %s: they may be of different runs", n->name,
                  to->program);
    }
    return 0;
}

/* The run knows when each dispatch ran, also of those that have no profile, and which did not run. */
static int add_run(struct report *r, struct error *err)
{
    size_t nprofile = r->ndispatch;

    for (uint32_t i = 0; i < r->run.nnode; i++) {
        const struct run_node *n = &r->run.nodes[i];
        struct report_dispatch key = {.rank = n->lane, .k = n->k}, *to = NULL;

        if (n->kind != PLAN_DISPATCH) {
            continue;
        }
        if (nprofile) {
            to = bsearch(&key, r->dispatches, nprofile, sizeof key, compare_dispatches);
        }
        if (to && !n->ran) {
            to->idle = true;
        }
        if (!n->ran || !r->related) {
            continue;
        }
        if (!to) {
            if (array_room(&r->dispatches, &r->dispatch_capacity, r->ndispatch, sizeof *r->dispatches)) {
                return error_nomem(err, r->dir, r->ndispatch * sizeof *r->dispatches);
            }
            to = &r->dispatches[r->ndispatch++];
            *to = key;
            notes_add(&to->notes, "it has no directory of profiles: its time is known, what happened in it is not");
        }
        if (add_times(r, to, i, err)) {
            return -1;
        }
    }
    qsort(r->dispatches, r->ndispatch, sizeof *r->dispatches, compare_dispatches);
    for (size_t i = 0; i < r->ndispatch; i++) {
        struct report_dispatch *d = &r->dispatches[i];
        if (!d->idle && run_record_find(&r->run, d->rank, d->k) == PLAN_NONE) {
            notes_add(&d->notes, "l3_run.json has no such dispatch: its time in the run is not known, and it counts in "
                                 "no statistic");
        }
    }
    return 0;
}

int report_collect(struct report *r, const struct dfx_list *list, struct error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (add_profile(r, &list->entries[i], err)) {
            return -1;
        }
    }
    if (r->run.doc && add_run(r, err)) {
        return -1;
    }
    for (size_t i = 0; i < r->nkernel; i++) {
        r->kernels[i].stats = stats_of(r->kernels[i].values, r->kernels[i].nvalue);
    }
    return 0;
}
