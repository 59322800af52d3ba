/* The task graph: deps.json. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/dtype.h"
#include "common/plan/plan_names.h"
#include "rank-worker/cpu/profile/profile_records.h"

enum edge_source { SOURCE_EXPLICIT, SOURCE_CREATOR, SOURCE_OVERLAP };

struct profile_edge {
    struct profile_edge *next;
    uint64_t pred, succ;
    int32_t arg;
    enum edge_source source;
    bool covered;
    uint8_t kinds; /* L3R_DEP_ bits */
    struct profile_slice consumer, producer;
};

struct task_arg {
    int32_t tag;
    struct profile_slice slice;
};

struct profile_task {
    struct profile_task *next;
    uint64_t id;
    bool manual, early;
    int32_t kernels[3], nblock;
    uint32_t narg;
    struct task_arg args[];
};

struct known_tensor {
    uint64_t id;
    const struct profile_slice *slice;
};

static void take_slice(struct profile_slice *to, const struct l3r_tensor *t)
{
    *to = (struct profile_slice){.addr = t->addr,
                                 .size = t->size,
                                 .offset = t->offset,
                                 .version = t->version,
                                 .dtype = t->dtype,
                                 .ndims = (uint8_t)t->ndims};
    memcpy(to->shapes, t->shapes, sizeof(to->shapes));
    memcpy(to->strides, t->strides, sizeof(to->strides));
}

static bool named_before(const struct profile *p, uint64_t pred)
{
    const struct profile_edge *e = p->task_edges ? p->task_edges->next : p->edges;
    while (e && e->pred != pred) {
        e = e->next;
    }
    return e != NULL;
}

static struct profile_edge *add_edge(struct profile *p, uint64_t pred, enum edge_source source, uint8_t kinds)
{
    struct profile_edge *e = profile_alloc(p, &p->own, sizeof(*e));
    if (!e) {
        return NULL;
    }
    e->pred = pred;
    e->arg = p->arg;
    e->source = source;
    e->kinds = kinds;
    CPU_APPEND(p->edges, p->last_edge, e);
    return e;
}

/* The producers of a task are about to be looked up. */
void cpu_profile_producers(struct device *dev)
{
    struct profile *p = dev->profile;
    p->task_edges = p->last_edge;
    p->arg = -1;
}

void cpu_profile_explicit(struct device *dev, uint64_t pred, uint8_t kinds)
{
    struct profile *p = dev->profile;
    if (p->want.dep_gen && !named_before(p, pred)) {
        add_edge(p, pred, SOURCE_EXPLICIT, kinds);
    }
}

/* From here to the next call, overlaps are those of argument `arg`; -1: of no argument. */
void cpu_profile_argument(struct device *dev, int32_t arg)
{
    dev->profile->arg = arg;
}

void cpu_profile_creator(struct device *dev, const struct l3r_tensor *tensor)
{
    struct profile *p = dev->profile;
    struct profile_edge *e = NULL;
    if (p->want.dep_gen && !named_before(p, tensor->owner)) {
        e = add_edge(p, tensor->owner, SOURCE_CREATOR, L3R_DEP_WAIT | L3R_DEP_RETAIN);
    }
    if (e) {
        take_slice(&e->consumer, tensor);
    }
}

void cpu_profile_overlap(struct device *dev, uint64_t pred, const struct l3r_tensor *consumer,
                         const struct l3r_tensor *producer, bool covered)
{
    struct profile *p = dev->profile;
    struct profile_edge *e = NULL;
    if (p->want.dep_gen && p->arg >= 0) {
        e = add_edge(p, pred, SOURCE_OVERLAP, L3R_DEP_WAIT);
    }
    if (e) {
        e->covered = covered;
        take_slice(&e->consumer, consumer);
        take_slice(&e->producer, producer);
    }
}

void profile_deps_task(struct device *dev, const struct task *task, const struct l3r_core_args *args)
{
    struct profile *p = dev->profile;
    struct profile_edge *e = p->task_edges ? p->task_edges->next : p->edges;
    for (; e; e = e->next) {
        e->succ = task->id;
    }
    p->task_edges = p->last_edge;
    struct profile_task *t = profile_alloc(p, &p->own, sizeof(*t) + task->ntensor * sizeof(t->args[0]));
    if (!t) {
        return;
    }
    t->id = task->id;
    t->manual = dev->manual_depth >= 0;
    t->early = args->tail.early_resolve;
    t->nblock = task->nblock;
    for (int i = 0; i < 3; i++) {
        t->kernels[i] = task->kernels[i] ? task->kernels[i]->func_id : -1;
    }
    t->narg = task->ntensor;
    for (uint32_t i = 0; i < t->narg; i++) {
        t->args[i].tag = args->tags[i];
        take_slice(&t->args[i].slice, &task->tensors[i]);
    }
    CPU_APPEND(p->tasks, p->last_task, t);
}

/* The same for the same buffer and version, on every host: FNV-1a over both. */
static uint64_t tensor_id(const struct profile_slice *s)
{
    const uint64_t words[2] = {s->addr, (uint32_t)s->version};
    const int nbytes[2] = {8, 4};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int w = 0; w < 2; w++) {
        for (int i = 0; i < nbytes[w]; i++) {
            hash = (hash ^ (words[w] >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
        }
    }
    return hash;
}

static void write_list(FILE *f, const uint32_t *values, uint32_t n)
{
    fputc('[', f);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(f, "%s%u", i ? "," : "", values[i]);
    }
    fputc(']', f);
}

/* ,"<role>shape":..,"<role>start_offset":"..","<role>strides":.. */
static void write_slice(FILE *f, const char *role, const struct profile_slice *s)
{
    fprintf(f, ",\"%sshape\":", role);
    write_list(f, s->shapes, s->ndims);
    fprintf(f, ",\"%sstart_offset\":\"%" PRIu64 "\",\"%sstrides\":", role, s->offset, role);
    write_list(f, s->strides, s->ndims);
}

static void write_task(FILE *f, const struct profile_task *t)
{
    _Static_assert((int)L3R_TAG_NO_DEP == PLAN_TAG_NO_DEP && (int)L3R_TAG_INOUT == PLAN_TAG_INOUT,
                   "tags of tasks have the numbers of the plan's");
    fprintf(f,
            "{\"task_id\":\"%" PRIu64 "\",\"scope\":\"%s\",\"early_dispatch\":%s,\"kernel_ids\":[%d,%d,%d],"
            "\"block_num\":%d,\"args\":[",
            t->id, t->manual ? "manual" : "auto", t->early ? "true" : "false", t->kernels[0], t->kernels[1],
            t->kernels[2], t->nblock);
    for (uint32_t i = 0; i < t->narg; i++) {
        const struct task_arg *a = &t->args[i];
        fprintf(f, "%s{\"idx\":%u,\"type\":\"%s\"", i ? "," : "", i, plan_tag_runtime_names[a->tag]);
        if (a->tag != L3R_TAG_OUTPUT) {
            fprintf(f, ",\"tensor_id\":\"%" PRIu64 "\",\"dtype\":\"%s\"", tensor_id(&a->slice),
                    dtype_runtime_name((enum dtype)a->slice.dtype));
            write_slice(f, "", &a->slice);
        }
        fputc('}', f);
    }
    fputs("]}", f);
}

static int by_id(const void *a, const void *b)
{
    const struct known_tensor *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Tensors that arguments name, each once. */
static int write_tensors(FILE *f, const struct profile *p, struct error *err)
{
    size_t count = 0, n = 0;
    for (const struct profile_task *t = p->tasks; t; t = t->next) {
        count += t->narg;
    }
    struct known_tensor *known = calloc(count ? count : 1, sizeof(*known));
    if (!known) {
        return error_nomem(err, "deps.json", count * sizeof(*known));
    }
    for (const struct profile_task *t = p->tasks; t; t = t->next) {
        for (uint32_t i = 0; i < t->narg; i++) {
            if (t->args[i].tag != L3R_TAG_OUTPUT) {
                known[n++] = (struct known_tensor){tensor_id(&t->args[i].slice), &t->args[i].slice};
            }
        }
    }
    qsort(known, n, sizeof(*known), by_id);
    for (size_t i = 0; i < n; i++) {
        const struct profile_slice *s = known[i].slice;
        if (i > 0 && known[i].id == known[i - 1].id) {
            continue;
        }
        fprintf(f,
                "%s{\"tensor_id\":\"%" PRIu64 "\",\"buffer_addr\":\"%" PRIu64 "\",\"version\":%d,\"dtype\":\"%s\","
                "\"buffer_numel\":\"%" PRIu64 "\"}",
                i ? ",\n" : "\n", known[i].id, s->addr, s->version, dtype_runtime_name((enum dtype)s->dtype),
                s->size / dtype_size((enum dtype)s->dtype));
    }
    free(known);
    return 0;
}

static void write_edge(FILE *f, const struct profile_edge *e)
{
    static const char *const sources[] = {"explicit", "creator", "tensormap"};
    const bool wait = e->kinds & L3R_DEP_WAIT, retain = e->kinds & L3R_DEP_RETAIN;
    fprintf(f, "{\"pred\":\"%" PRIu64 "\",\"succ\":\"%" PRIu64 "\",\"arg\":%d,\"source\":\"%s\",\"flags\":[%s%s%s]",
            e->pred, e->succ, e->arg, sources[e->source], wait ? "\"wait\"" : "", wait && retain ? "," : "",
            retain ? "\"retain\"" : "");
    if (e->source == SOURCE_OVERLAP) {
        fprintf(f, ",\"overlap\":\"%s\"", e->covered ? "covered" : "other");
    }
    if (e->source != SOURCE_EXPLICIT) {
        fprintf(f, ",\"tensor_id\":\"%" PRIu64 "\",\"consumer_dtype\":\"%s\"", tensor_id(&e->consumer),
                dtype_runtime_name((enum dtype)e->consumer.dtype));
        write_slice(f, "consumer_", &e->consumer);
    }
    if (e->source == SOURCE_OVERLAP) {
        write_slice(f, "producer_", &e->producer);
    }
    fputc('}', f);
}

int profile_write_deps(struct profile *p, struct error *err)
{
    struct file_writer w;
    if (profile_create(p, &w, "deps.json", err)) {
        return -1;
    }
    fputs("{\"tasks\":[", w.stream);
    for (const struct profile_task *t = p->tasks; t; t = t->next) {
        fputc('\n', w.stream);
        write_task(w.stream, t);
        fputs(t->next ? "," : "", w.stream);
    }
    fputs("],\n\"tensors\":[", w.stream);
    if (write_tensors(w.stream, p, err)) {
        file_write_abort(&w);
        return -1;
    }
    fputs("],\n\"edges\":[", w.stream);
    for (const struct profile_edge *e = p->edges; e; e = e->next) {
        fputc('\n', w.stream);
        write_edge(w.stream, e);
        fputs(e->next ? "," : "", w.stream);
    }
    fputs("]}\n", w.stream);
    return file_write_commit(&w, err);
}
