#include "common/plan/plan_record.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "common/plan/plan_names.h"
#include "common/plan/plan_rules.h"

void plan_record_scratch_free(struct plan_record_scratch *scratch)
{
    free(scratch->args);
    free(scratch->scalars);
    *scratch = (struct plan_record_scratch){0};
}

/* The numbers of a list, at most `limit` of them, into `out`. */
static int get_sizes(const struct json_source *src, const cJSON *object, const char *key, uint32_t limit, int64_t *out,
                     uint32_t *count)
{
    const cJSON *list, *e;

    if (json_get_list(src, object, key, &list, NULL)) {
        return -1;
    }
    *count = 0;
    cJSON_ArrayForEach(e, list) {
        if (*count == limit) {
            return json_fail(src, list, NULL, "it has more than %u entries", limit);
        }
        if (json_get_int(src, e, NULL, 0, INT64_MAX, &out[(*count)++])) {
            return -1;
        }
    }
    return 0;
}

/* A name: a string that is not empty. */
static int get_word(const struct json_source *src, const cJSON *object, const char *key, const char **out)
{
    if (json_get_string(src, object, key, out)) {
        return -1;
    }
    return **out ? 0 : json_fail(src, object, key, "it is empty");
}

static int get_dtype(const struct json_source *src, const cJSON *object, const char *key, enum dtype *type)
{
    const char *name;

    if (json_get_string(src, object, key, &name)) {
        return -1;
    }
    return dtype_parse(name, type) ? json_fail(src, object, key, "element type \"%.40s\" is unknown", name) : 0;
}

static int in_order(const struct json_source *src, const cJSON *record, uint32_t expected)
{
    const char *kind = record->child->string;
    int64_t id = 0;

    if (json_get_int(src, record, kind, 0, UINT32_MAX, &id)) {
        return -1;
    }
    if (id != expected) {
        return json_fail(src, record, kind, "it has the id %lld where %u comes next", (long long)id, expected);
    }
    return 0;
}

static int storage_kind(const struct json_source *src, const cJSON *record, struct plan_storage *s)
{
    static const char *const kinds[] = {"param", "temp"};
    size_t kind = 0, direction = PLAN_INOUT;

    if (json_get_choice(src, record, "kind", kinds, 2, &kind)) {
        return -1;
    }
    s->kind = kind ? PLAN_TEMP : PLAN_PARAM;
    if (s->kind == PLAN_PARAM &&
        json_get_choice(src, record, "direction", plan_direction_names, PLAN_DIRECTION_COUNT, &direction)) {
        return -1;
    }
    s->direction = (int)direction;
    return 0;
}

static int add_storage(struct plan_builder *b, const struct json_source *src, const cJSON *record)
{
    struct plan_storage s = {.domain = PLAN_NONE, .card = PLAN_NONE};
    int64_t shape[PLAN_MAX_DIMS];
    enum dtype dtype = DTYPE_COUNT;
    const char *name;
    uint32_t ndim = 0;

    if (in_order(src, record, plan_builder_plan(b)->nstorage) || get_word(src, record, "name", &name) ||
        storage_kind(src, record, &s) || get_dtype(src, record, "dtype", &dtype) ||
        get_sizes(src, record, "shape", PLAN_MAX_DIMS, shape, &ndim)) {
        return -1;
    }
    if (json_member(record, "fill") && json_get_number(src, record, "fill", &s.fill)) {
        return -1;
    }
    s.dtype = (uint8_t)dtype;
    s.ndim = (uint8_t)ndim;
    if (plan_shape_bytes(ndim, shape, dtype_size(dtype), &s.nbytes)) {
        return json_fail(src, record, "shape", "%.200s has more than 2^60 bytes", name);
    }
    return plan_add_storage(b, &s, name, shape, NULL, src->err);
}

static int add_buffers(struct plan_builder *b, const struct json_source *src, const cJSON *record)
{
    const cJSON *list, *item;

    if (!json_member(record, "buffers")) {
        return 0;
    }
    if (json_get_list(src, record, "buffers", &list, NULL)) {
        return -1;
    }
    cJSON_ArrayForEach(item, list) {
        int64_t offset = 0, nbytes = 0;
        const char *name;

        if (get_word(src, item, "name", &name) || json_get_int(src, item, "offset", 0, INT64_MAX, &offset) ||
            json_get_int(src, item, "nbytes", 0, INT64_MAX, &nbytes) ||
            plan_add_buffer(b, name, (uint64_t)offset, (uint64_t)nbytes, src->err)) {
            return -1;
        }
    }
    return 0;
}

static int add_domain(struct plan_builder *b, const struct json_source *src, const cJSON *record)
{
    uint32_t workers[PLAN_MAX_MEMBERS], i = 0;
    int64_t window = 0, card = 0;
    const cJSON *list, *e;
    const char *name;
    size_t count;

    if (in_order(src, record, plan_builder_plan(b)->ndomain) || get_word(src, record, "name", &name) ||
        json_get_int(src, record, "window", 0, INT64_MAX, &window) ||
        json_get_list(src, record, "workers", &list, &count)) {
        return -1;
    }
    if (count > PLAN_MAX_MEMBERS) {
        return plan_rule_domain(plan_builder_plan(b), (uint64_t)window, NULL, (uint32_t)count, src->err);
    }
    cJSON_ArrayForEach(e, list) {
        if (json_get_int(src, e, NULL, 0, UINT32_MAX, &card)) {
            return -1;
        }
        workers[i++] = (uint32_t)card;
    }
    if (plan_add_domain(b, name, workers, i, (uint64_t)window, NULL, src->err)) {
        return -1;
    }
    return add_buffers(b, src, record);
}

static int end_domain(struct plan_builder *b, const struct json_source *src, const cJSON *record)
{
    int64_t domain = 0;

    if (json_get_int(src, record, "end_domain", 0, UINT32_MAX, &domain)) {
        return -1;
    }
    return plan_end_domain(b, (uint32_t)domain, src->err);
}

/* The elements storage, dtype, offset, shape[, strides] of `list` after the first `skip`. */
static int add_view(struct plan_builder *b, const struct json_source *src, const cJSON *list, int skip, uint32_t *view)
{
    int64_t shape[PLAN_MAX_DIMS] = {0}, stride[PLAN_MAX_DIMS] = {0}, storage = 0, offset = 0;
    const cJSON *item[5] = {0}, *e;
    uint32_t ndim = 0, nstride = 0;
    enum dtype dtype = DTYPE_COUNT;
    int i = -skip;

    cJSON_ArrayForEach(e, list) {
        if (i == 5) {
            return json_fail(src, list, NULL, "a view has too many entries");
        }
        if (i >= 0) {
            item[i] = e;
        }
        i++;
    }
    if (!item[3]) {
        return json_fail(src, list, NULL, "a view has too few entries");
    }
    if (json_get_int(src, item[0], NULL, 0, UINT32_MAX, &storage) || get_dtype(src, item[1], NULL, &dtype) ||
        json_get_int(src, item[2], NULL, 0, INT64_MAX, &offset) ||
        get_sizes(src, item[3], NULL, PLAN_MAX_DIMS, shape, &ndim)) {
        return -1;
    }
    if (!item[4]) {
        plan_contiguous_strides(ndim, shape, stride);
    } else {
        if (get_sizes(src, item[4], NULL, PLAN_MAX_DIMS, stride, &nstride)) {
            return -1;
        }
        if (nstride != ndim) {
            return json_fail(src, list, NULL, "a view has %u dimensions and %u strides", ndim, nstride);
        }
    }
    return plan_add_view(b, (uint32_t)storage, dtype, (uint64_t)offset, ndim, shape, stride, view, src->err);
}

static int room(void *array, size_t *capacity, size_t wanted, size_t size, struct error *err)
{
    return wanted && array_room(array, capacity, wanted - 1, size) ? error_nomem(err, NULL, wanted * size) : 0;
}

static int read_args(struct plan_builder *b, const struct json_source *src, struct plan_record_scratch *scratch,
                     const cJSON *record, uint32_t *narg)
{
    const cJSON *list, *e;
    size_t count, tag = 0;
    uint32_t i = 0;

    if (json_get_list(src, record, "args", &list, &count) ||
        room(&scratch->args, &scratch->args_capacity, count, sizeof *scratch->args, src->err)) {
        return -1;
    }
    cJSON_ArrayForEach(e, list) {
        if (json_get_list(src, e, NULL, &e, NULL)) {
            return -1;
        }
        if (!e->child) {
            return json_fail(src, e, NULL, "it is not a tagged view");
        }
        if (json_get_choice(src, e->child, NULL, plan_tag_names, PLAN_TAG_COUNT, &tag) ||
            add_view(b, src, e, 1, &scratch->args[i].view)) {
            return -1;
        }
        scratch->args[i++].tag = (uint32_t)tag;
    }
    *narg = i;
    return 0;
}

static int read_scalar(const struct json_source *src, const cJSON *item, struct plan_scalar *out)
{
    static const char *const kinds[] = {"ctx", "win"};
    int64_t domain = 0, card = 0;
    size_t kind = 0, count;
    const cJSON *e;

    *out = (struct plan_scalar){.kind = PLAN_VALUE, .domain = PLAN_NONE, .card = PLAN_NONE};
    if (!item->child) { /* not a list, or an empty one, which it refuses */
        return json_get_u64(src, item, NULL, &out->bits);
    }
    if (json_get_list(src, item, NULL, &item, &count)) {
        return -1;
    }
    if (count != 4) {
        return json_fail(src, item, NULL, "a scalar is neither a number nor [kind, domain, card, n]");
    }
    e = item->child;
    if (json_get_choice(src, e, NULL, kinds, 2, &kind) || json_get_int(src, e->next, NULL, 0, UINT32_MAX, &domain) ||
        json_get_int(src, e->next->next, NULL, 0, UINT32_MAX, &card) ||
        json_get_u64(src, e->next->next->next, NULL, &out->bits)) {
        return -1;
    }
    out->kind = kind ? PLAN_WINDOW_BASE : PLAN_DEVICE_CTX;
    out->domain = (uint32_t)domain;
    out->card = (uint32_t)card;
    return 0;
}

static int read_scalars(const struct json_source *src, struct plan_record_scratch *scratch, const cJSON *record,
                        uint32_t *nscalar)
{
    const cJSON *list, *e;
    size_t count;
    uint32_t i = 0;

    if (json_get_list(src, record, "scalars", &list, &count) ||
        room(&scratch->scalars, &scratch->scalars_capacity, count, sizeof *scratch->scalars, src->err)) {
        return -1;
    }
    cJSON_ArrayForEach(e, list) {
        if (read_scalar(src, e, &scratch->scalars[i++])) {
            return -1;
        }
    }
    *nscalar = i;
    return 0;
}

static int add_call(struct plan_builder *b, const struct json_source *src, struct plan_record_scratch *scratch,
                    const cJSON *record, bool dispatch)
{
    const struct plan *p = plan_builder_plan(b);
    struct plan_node n = {.kind = dispatch ? PLAN_DISPATCH : PLAN_SUB, .lane = p->world_size + 1};
    int64_t line = 0, k = PLAN_NONE, group = PLAN_NONE, card;
    const char *name;

    if (in_order(src, record, p->nnode) || get_word(src, record, dispatch ? "program" : "name", &name) ||
        json_optional_int(src, record, "line", 0, UINT32_MAX, &line) || read_args(b, src, scratch, record, &n.narg) ||
        read_scalars(src, scratch, record, &n.nscalar)) {
        return -1;
    }
    if (dispatch) {
        if (json_get_int(src, record, "card", 0, UINT32_MAX, &card) ||
            json_optional_int(src, record, "k", 0, UINT32_MAX - 1, &k) ||
            json_optional_int(src, record, "group", 0, UINT32_MAX - 1, &group) ||
            plan_add_program(b, name, &n.program, src->err)) {
            return -1;
        }
        n.lane = (uint32_t)card;
    } else if (plan_add_sub(b, name, &n.program, src->err)) {
        return -1;
    }
    n.line = (uint32_t)line;
    n.k = (uint32_t)k;
    n.group = (uint32_t)group;
    return plan_add_node(b, &n, scratch->args, scratch->scalars, NULL, src->err);
}

static int add_copy(struct plan_builder *b, const struct json_source *src, const cJSON *record)
{
    const struct plan *p = plan_builder_plan(b);
    const cJSON *to, *from = json_member(record, "src");
    bool fill = json_member(record, "fill") != NULL;
    struct plan_node n = {.kind = PLAN_COPY, .lane = plan_host_lane(p), .group = PLAN_NONE, .k = PLAN_NONE};
    struct plan_arg args[2] = {{.tag = PLAN_TAG_OUTPUT_EXISTING}, {.tag = PLAN_TAG_INPUT}};
    struct plan_scalar scalar = {.kind = PLAN_VALUE, .domain = PLAN_NONE, .card = PLAN_NONE};
    int64_t line = 0;
    double value;

    if (in_order(src, record, p->nnode) || json_optional_int(src, record, "line", 0, UINT32_MAX, &line) ||
        json_get_list(src, record, "dst", &to, NULL)) {
        return -1;
    }
    if (!from != fill) {
        return json_fail(src, record, NULL, "a copy needs either \"src\" or \"fill\"");
    }
    if (add_view(b, src, to, 0, &args[0].view) ||
        (from && (json_get_list(src, from, NULL, &from, NULL) || add_view(b, src, from, 0, &args[1].view))) ||
        (fill && json_get_number(src, record, "fill", &value))) {
        return -1;
    }
    if (fill) {
        memcpy(&scalar.bits, &value, sizeof value);
    }
    n.line = (uint32_t)line;
    n.narg = from ? 2 : 1;
    n.nscalar = fill ? 1 : 0;
    return plan_add_node(b, &n, args, &scalar, NULL, src->err);
}

static int add_note(struct plan_builder *b, const struct json_source *src, const cJSON *record)
{
    const char *text;

    if (get_word(src, record, "note", &text)) {
        return -1;
    }
    log_note("%s", text);
    return plan_add_note(b, text, src->err);
}

int plan_record_add(struct plan_builder *b, const struct json_source *src, struct plan_record_scratch *scratch,
                    const cJSON *record)
{
    const char *kind = record->child->string;

    if (strcmp(kind, "dispatch") == 0) {
        return add_call(b, src, scratch, record, true);
    }
    if (strcmp(kind, "copy") == 0) {
        return add_copy(b, src, record);
    }
    if (strcmp(kind, "sub") == 0) {
        return add_call(b, src, scratch, record, false);
    }
    if (strcmp(kind, "storage") == 0) {
        return add_storage(b, src, record);
    }
    if (strcmp(kind, "domain") == 0) {
        return add_domain(b, src, record);
    }
    if (strcmp(kind, "end_domain") == 0) {
        return end_domain(b, src, record);
    }
    if (strcmp(kind, "note") == 0) {
        return add_note(b, src, record);
    }
    if (strcmp(kind, "edges") == 0) {
        return 0;
    }
    return json_fail(src, record, NULL, "record kind \"%.40s\" is unknown", kind);
}
