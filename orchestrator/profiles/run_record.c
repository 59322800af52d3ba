#include "orchestrator/profiles/run_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/clean_name.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "common/plan/plan.h"
#include "orchestrator/profiles/dfx_read.h"

static const size_t max_nbytes = (size_t)2 << 30;
static const char *const kinds[] = {[PLAN_DISPATCH] = "dispatch", [PLAN_COPY] = "copy", [PLAN_SUB] = "sub"};
static const char *const whys[] = {"RAW", "WAR", "WAW"};

static int read_edge(const struct json_source *src, const cJSON *item, uint32_t node, struct run_edge *edge)
{
    const cJSON *why, *storage = json_member(item, "storage");
    const char *text;
    int64_t pred;

    if (json_get_int(src, item, "node", 0, UINT32_MAX, &pred)) {
        return -1;
    }
    if (pred >= node) {
        return json_fail(src, item, "node", "node %u waits for node %lld, which is not an earlier one", node,
                         (long long)pred);
    }
    edge->pred = (uint32_t)pred;
    cJSON_ArrayForEach(why, json_member(item, "why")) {
        if (json_get_string(src, why, NULL, &text)) {
            return -1;
        }
        for (unsigned bit = 0; bit < 3; bit++) {
            edge->why |= strcmp(text, whys[bit]) == 0 ? 1u << bit : 0;
        }
    }
    edge->storage = clean_name(storage ? storage->valuestring : NULL);
    return 0;
}

static int read_edges(const struct json_source *src, const cJSON *list, struct run_record *r, struct run_node *n)
{
    const cJSON *item;

    n->first_edge = r->nedge;
    cJSON_ArrayForEach(item, list) {
        if (read_edge(src, item, (uint32_t)(n - r->nodes), &r->edges[r->nedge])) {
            return -1;
        }
        r->nedge++;
        n->nedge++;
    }
    return 0;
}

static int read_node(const struct json_source *src, const cJSON *item, struct run_record *r, struct run_node *n)
{
    const int64_t huge = INT64_C(1) << 53;
    int64_t lane, k = PLAN_NONE, line = 0, start = -1, end = -1, profile = 0, device = 0, orch = 0, ntask = 0;
    size_t kind = PLAN_DISPATCH;

    if (json_get_choice(src, item, "kind", kinds, sizeof kinds / sizeof *kinds, &kind) ||
        json_get_int(src, item, "lane", 0, r->nlane - 1, &lane) || json_get_name(src, item, "name", &n->name) ||
        json_optional_int(src, item, "k", 0, DFX_OTHER - 1, &k) ||
        json_optional_int(src, item, "line", 0, UINT32_MAX, &line) ||
        json_optional_int(src, item, "start_ns", 0, huge, &start) ||
        json_optional_int(src, item, "end_ns", 0, huge, &end) ||
        json_optional_int(src, item, "profile_ns", 0, huge, &profile) ||
        json_optional_int(src, item, "device_ns", 0, huge, &device) ||
        json_optional_int(src, item, "orch_ns", 0, huge, &orch) ||
        json_optional_int(src, item, "tasks", 0, UINT32_MAX, &ntask)) {
        return -1;
    }
    if ((start < 0) != (end < 0) || end < start) {
        return json_fail(src, item, "end_ns", "the node ends before it starts");
    }
    n->kind = (uint8_t)kind;
    n->lane = (uint32_t)lane;
    n->k = (uint32_t)k;
    n->line = (uint32_t)line;
    n->ntask = (uint32_t)ntask;
    n->ran = start >= 0;
    n->start_ns = n->ran ? (uint64_t)start : 0;
    n->end_ns = n->ran ? (uint64_t)end : 0;
    n->profile_ns = n->ran ? (uint64_t)profile : 0;
    n->device_ns = (uint64_t)device;
    n->orch_ns = (uint64_t)orch;
    return read_edges(src, json_member(item, "waits_for"), r, n);
}

/* A record of a version that this program knows. */
static int read_version(const struct json_source *src, const cJSON *doc)
{
    struct json_source newer = *src;
    int64_t version;

    newer.hint = "read it with the l3replay that wrote it, or a later one";
    if (json_get_int(src, doc, "l3_run", 1, INT32_MAX, &version)) {
        return -1;
    }
    return version == 1 ? 0
                        : json_fail(&newer, doc, "l3_run", "a newer l3replay wrote it: version %lld, this one reads 1",
                                    (long long)version);
}

/* The names say how many lanes of sub-workers there are. */
static int read_lanes(const struct json_source *src, struct run_record *r)
{
    const uint32_t least = r->world_size + 2;
    const cJSON *list;
    size_t count = least;

    if (json_member(r->doc, "lanes") && json_get_list(src, r->doc, "lanes", &list, &count)) {
        return -1;
    }
    r->nlane = count < least ? least : (uint32_t)count;
    return count < least + PLAN_SUB_LANES ? 0
                                          : json_fail(src, r->doc, "lanes", "there are %zu, which are too many", count);
}

/* World, device ids and clocks. */
static int read_head(const struct json_source *src, struct run_record *r)
{
    int64_t world, id, ncore = 0;
    const cJSON *item;
    uint32_t n = 0;

    if (read_version(src, r->doc) || json_get_int(src, r->doc, "world_size", 1, PLAN_MAX_CARDS, &world) ||
        json_optional_int(src, r->doc, "cores", 0, UINT32_MAX, &ncore) ||
        json_get_u64(src, r->doc, "origin_ns", &r->origin_ns) || run_captured_read(src, r->doc, &r->captured)) {
        return -1;
    }
    r->world_size = (uint32_t)world;
    r->ncore = (uint32_t)ncore;
    r->device_ids = calloc(r->world_size, sizeof *r->device_ids);
    if (!r->device_ids) {
        return error_nomem(src->err, src->file, r->world_size * sizeof *r->device_ids);
    }
    cJSON_ArrayForEach(item, json_member(r->doc, "device_ids")) {
        if (n >= r->world_size) {
            return json_fail(src, r->doc, "device_ids", "there are more than cards");
        }
        if (json_get_int(src, item, NULL, 0, INT32_MAX, &id)) {
            return -1;
        }
        r->device_ids[n++] = (int)id;
    }
    if (read_lanes(src, r) || run_clocks_read(src, r->doc, r->nlane, &r->clocks)) {
        return -1;
    }
    return run_extra_read(src, r->doc, &r->extra);
}

/* Collectives have no k; profiles count them for each card. */
static int number_others(struct run_record *r, struct error *err)
{
    uint32_t *count = calloc(r->world_size, sizeof *count);

    if (!count) {
        return error_nomem(err, "l3_run.json", r->world_size * sizeof *count);
    }
    for (size_t i = 0; i < r->nnode; i++) {
        struct run_node *n = &r->nodes[i];
        if (n->kind == PLAN_DISPATCH && n->lane < r->world_size && n->k == PLAN_NONE) {
            n->k = DFX_OTHER + count[n->lane]++;
        }
    }
    free(count);
    return 0;
}

static int compare_slots(const void *a, const void *b, void *record)
{
    const struct run_node *nodes = ((const struct run_record *)record)->nodes;
    const struct run_node *x = &nodes[*(const uint32_t *)a], *y = &nodes[*(const uint32_t *)b];

    if (x->lane != y->lane) {
        return x->lane < y->lane ? -1 : 1;
    }
    return x->k < y->k ? -1 : x->k > y->k;
}

static int list_slots(struct run_record *r, struct error *err)
{
    r->by_slot = calloc(r->nnode + 1, sizeof *r->by_slot);
    if (!r->by_slot) {
        return error_nomem(err, "l3_run.json", r->nnode * sizeof *r->by_slot);
    }
    for (size_t i = 0; i < r->nnode; i++) {
        if (r->nodes[i].kind == PLAN_DISPATCH && r->nodes[i].ran) {
            r->by_slot[r->nslot++] = (uint32_t)i;
        }
    }
    qsort_r(r->by_slot, r->nslot, sizeof *r->by_slot, compare_slots, r);
    return 0;
}

static int read_nodes(const struct json_source *src, struct run_record *r)
{
    const cJSON *list, *item, *edge;
    size_t nedge = 0, i = 0;

    if (json_get_list(src, r->doc, "nodes", &list, &r->nnode)) {
        return -1;
    }
    cJSON_ArrayForEach(item, list) {
        cJSON_ArrayForEach(edge, json_member(item, "waits_for")) {
            nedge++;
        }
    }
    r->nodes = calloc(r->nnode + 1, sizeof *r->nodes);
    r->edges = calloc(nedge + 1, sizeof *r->edges);
    if (!r->nodes || !r->edges) {
        return error_nomem(src->err, src->file, (r->nnode + nedge) * sizeof *r->nodes);
    }
    cJSON_ArrayForEach(item, list) {
        if (read_node(src, item, r, &r->nodes[i++])) {
            return -1;
        }
    }
    return number_others(r, src->err) < 0 ? -1 : list_slots(r, src->err);
}

int run_record_read(const char *path, struct run_record *r, struct error *err)
{
    struct json_source src = {.file = path, .hint = "let `l3replay run` with profiling write it again", .err = err};
    const cJSON *object;

    memset(r, 0, sizeof *r);
    r->doc = json_read(&src, max_nbytes);
    if (!r->doc || json_get_object(&src, r->doc, NULL, &object) || read_head(&src, r) || read_nodes(&src, r)) {
        run_record_free(r);
        return -1;
    }
    return 0;
}

void run_record_free(struct run_record *r)
{
    free(r->device_ids);
    free(r->nodes);
    free(r->by_slot);
    free(r->edges);
    run_clocks_free(&r->clocks);
    run_extra_free(&r->extra);
    cJSON_Delete(r->doc);
    memset(r, 0, sizeof *r);
}

bool run_record_oversubscribed(const struct run_record *r)
{
    return r->ncore && r->world_size > r->ncore;
}

uint32_t run_record_find(const struct run_record *r, uint32_t rank, uint32_t k)
{
    size_t low = 0, high = r->nslot;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct run_node *n = &r->nodes[r->by_slot[middle]];

        if (n->lane == rank && n->k == k) {
            return r->by_slot[middle];
        }
        if (n->lane < rank || (n->lane == rank && n->k < k)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return PLAN_NONE;
}

const char *run_record_lane(const struct run_record *r, uint32_t lane, char *buf, size_t size)
{
    return plan_lane_name(r->world_size, lane, buf, size);
}

const char *run_record_why(uint32_t why, char *buf, size_t size)
{
    snprintf(buf, size, "%s%s%s%s%s", why & PLAN_RAW ? "RAW" : "",
             why & PLAN_RAW && why & ~(unsigned)PLAN_RAW ? "+" : "", why & PLAN_WAR ? "WAR" : "",
             why & PLAN_WAR && why & PLAN_WAW ? "+" : "", why & PLAN_WAW ? "WAW" : "");
    return buf;
}

/* A symlink to nothing is there: somebody meant it. */
static bool is_absent(const char *path)
{
    struct stat st;

    return lstat(path, &st) < 0 && errno == ENOENT;
}

int run_record_read_dir(const char *dir, struct run_record *r, struct notes *notes, struct error *err)
{
    char *path = file_join(dir, "l3_run.json", err);
    struct error fault = {0};
    int rc = 0;

    memset(r, 0, sizeof *r);
    if (!path) {
        return -1;
    }
    if (is_absent(path)) {
        notes_add(notes, "there is no l3_run.json: ranks cannot be related in time; waiting, skew in time and the "
                         "critical path through the plan are not known");
    } else if (run_record_read(path, r, &fault)) {
        notes_add(notes,
                  "%s: ranks cannot be related in time; waiting, skew in time and the critical path through the plan "
                  "are not known",
                  fault.what);
    } else {
        rc = 1;
    }
    free(path);
    return rc;
}
