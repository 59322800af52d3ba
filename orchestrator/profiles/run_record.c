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

/* cJSON's lookup by index walks the list; these walk with it. */
static int optional(const struct json_source *src, const cJSON *object, const char *key, int64_t max, int64_t absent,
                    int64_t *out)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

    *out = absent;
    return value ? json_int(src, key, value, 0, max, out) : 0;
}

/* A name that is printed, cleaned in the document that owns it. */
static int read_name(const struct json_source *src, const char *field, const cJSON *value, const char **name)
{
    if (json_string(src, field, value, name)) {
        return -1;
    }
    *name = clean_name(cJSON_GetStringValue(value));
    return 0;
}

static int read_kind(const struct json_source *src, const cJSON *item, uint8_t *kind)
{
    const char *text;

    if (read_name(src, "nodes[].kind", cJSON_GetObjectItemCaseSensitive(item, "kind"), &text)) {
        return -1;
    }
    for (uint8_t k = 0; k < 3; k++) {
        if (strcmp(text, kinds[k]) == 0) {
            *kind = k;
            return 0;
        }
    }
    return json_fail(src, "nodes[].kind", "\"%s\" is none of dispatch, copy and sub", text);
}

static int read_edges(const struct json_source *src, const cJSON *list, struct run_record *r, struct run_node *n)
{
    const cJSON *item, *why;
    int64_t pred;

    n->first_edge = r->nedge;
    cJSON_ArrayForEach(item, list) {
        struct run_edge *edge = &r->edges[r->nedge];
        if (json_int(src, "waits_for[].node", cJSON_GetObjectItemCaseSensitive(item, "node"), 0, UINT32_MAX, &pred)) {
            return -1;
        }
        if (pred >= n - r->nodes) {
            return json_fail(src, "waits_for[].node", "node %td waits for node %lld, which is not an earlier one",
                             n - r->nodes, (long long)pred);
        }
        edge->pred = (uint32_t)pred;
        cJSON_ArrayForEach(why, cJSON_GetObjectItemCaseSensitive(item, "why")) {
            for (unsigned bit = 0; bit < 3; bit++) {
                if (cJSON_IsString(why) && strcmp(why->valuestring, whys[bit]) == 0) {
                    edge->why |= 1u << bit;
                }
            }
        }
        edge->storage = clean_name(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "storage")));
        r->nedge++;
        n->nedge++;
    }
    return 0;
}

static int read_node(const struct json_source *src, const cJSON *item, struct run_record *r, struct run_node *n)
{
    const int64_t huge = INT64_C(1) << 53;
    int64_t lane, k, line, start, end, profile, device, orch, ntask;

    if (read_kind(src, item, &n->kind) ||
        json_int(src, "nodes[].lane", cJSON_GetObjectItemCaseSensitive(item, "lane"), 0, r->world_size + 1, &lane) ||
        read_name(src, "nodes[].name", cJSON_GetObjectItemCaseSensitive(item, "name"), &n->name) ||
        optional(src, item, "k", DFX_OTHER - 1, PLAN_NONE, &k) || optional(src, item, "line", UINT32_MAX, 0, &line) ||
        optional(src, item, "start_ns", huge, -1, &start) || optional(src, item, "end_ns", huge, -1, &end) ||
        optional(src, item, "profile_ns", huge, 0, &profile) || optional(src, item, "device_ns", huge, 0, &device) ||
        optional(src, item, "orch_ns", huge, 0, &orch) || optional(src, item, "tasks", UINT32_MAX, 0, &ntask)) {
        return -1;
    }
    if ((start < 0) != (end < 0) || end < start) {
        return json_fail(src, "nodes[].end_ns", "the node ends before it starts");
    }
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
    return read_edges(src, cJSON_GetObjectItemCaseSensitive(item, "waits_for"), r, n);
}

/* A record of a version that this program knows. */
static int read_version(const struct json_source *src, const cJSON *doc)
{
    struct json_source newer = *src;
    int64_t version;

    newer.hint = "read it with the l3replay that wrote it, or a later one";
    if (json_int(src, "l3_run", cJSON_GetObjectItemCaseSensitive(doc, "l3_run"), 1, INT32_MAX, &version)) {
        return -1;
    }
    return version == 1 ? 0
                        : json_fail(&newer, "l3_run", "a newer l3replay wrote it: version %lld, this one reads 1",
                                    (long long)version);
}

/* World, device ids and clocks. */
static int read_head(const struct json_source *src, struct run_record *r)
{
    int64_t world, id;
    const char *origin = NULL;
    const cJSON *item;
    uint32_t n = 0;

    if (read_version(src, r->doc) ||
        json_int(src, "world_size", cJSON_GetObjectItemCaseSensitive(r->doc, "world_size"), 1, PLAN_MAX_CARDS,
                 &world) ||
        json_string(src, "origin_ns", cJSON_GetObjectItemCaseSensitive(r->doc, "origin_ns"), &origin) ||
        run_captured_read(src, r->doc, &r->captured)) {
        return -1;
    }
    r->world_size = (uint32_t)world;
    r->origin_ns = strtoull(origin, NULL, 10);
    r->device_ids = calloc(r->world_size, sizeof *r->device_ids);
    if (!r->device_ids) {
        return error_nomem(src->err, src->file, r->world_size * sizeof *r->device_ids);
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(r->doc, "device_ids")) {
        if (n >= r->world_size || json_int(src, "device_ids[]", item, 0, INT32_MAX, &id)) {
            return n >= r->world_size ? json_fail(src, "device_ids", "there are more than cards") : -1;
        }
        r->device_ids[n++] = (int)id;
    }
    if (run_clocks_read(src, r->doc, r->world_size + 2, &r->clocks)) {
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
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(r->doc, "nodes"), *item, *edge;
    size_t nedge = 0, i = 0;

    if (json_array(src, "nodes", list)) {
        return -1;
    }
    cJSON_ArrayForEach(item, list) {
        r->nnode++;
        cJSON_ArrayForEach(edge, cJSON_GetObjectItemCaseSensitive(item, "waits_for")) {
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
    struct json_source src = {path, "let `l3replay run` with profiling write it again", err};
    size_t size;
    char *text = file_read(path, max_nbytes, &size, err);

    memset(r, 0, sizeof *r);
    if (!text) {
        return -1;
    }
    r->doc = json_parse(&src, text, size);
    free(text);
    if (!r->doc || json_object(&src, NULL, r->doc) || read_head(&src, r) || read_nodes(&src, r)) {
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
