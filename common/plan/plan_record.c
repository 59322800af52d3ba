#include "common/plan/plan_record.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "common/plan/plan_json.h"
#include "common/plan/plan_names.h"
#include "common/plan/plan_rules.h"

void plan_record_scratch_free(struct plan_record_scratch *scratch)
{
    free(scratch->args);
    free(scratch->scalars);
    *scratch = (struct plan_record_scratch){0};
}

static int dtype_of(const cJSON *item, enum dtype *type, struct error *err)
{
    if (!cJSON_IsString(item)) {
        return error_set(err, NULL, NULL, "element type is missing or not a string");
    }
    if (dtype_parse(item->valuestring, type)) {
        return error_set(err, NULL, NULL, "element type \"%.40s\" is unknown", item->valuestring);
    }
    return 0;
}

static int in_order(const cJSON *record, uint32_t expected, struct error *err)
{
    uint64_t id = 0;

    if (plan_json_number(record->child, record->child->string, UINT32_MAX, &id, err)) {
        return -1;
    }
    if (id != expected) {
        return error_set(err, NULL, NULL, "\"%s\" has the id %llu where %u comes next", record->child->string,
                         (unsigned long long)id, expected);
    }
    return 0;
}

static int storage_kind(const cJSON *record, struct plan_storage *s, struct error *err)
{
    const char *kind, *direction;

    if (plan_json_string(record, "kind", &kind, err)) {
        return -1;
    }
    if (strcmp(kind, "temp") == 0) {
        s->kind = PLAN_TEMP;
        s->direction = PLAN_INOUT;
        return 0;
    }
    if (strcmp(kind, "param") != 0) {
        return error_set(err, NULL, NULL, "storage kind \"%.40s\" is neither \"param\" nor \"temp\"", kind);
    }
    s->kind = PLAN_PARAM;
    if (plan_json_string(record, "direction", &direction, err)) {
        return -1;
    }
    for (int i = 0; i < PLAN_DIRECTION_COUNT; i++) {
        if (strcmp(direction, plan_direction_names[i]) == 0) {
            s->direction = i;
            return 0;
        }
    }
    return error_set(err, NULL, NULL, "direction \"%.40s\" is none of \"In\", \"Out\", \"InOut\"", direction);
}

static int add_storage(struct plan_builder *b, const cJSON *record, struct error *err)
{
    struct plan_storage s = {.domain = PLAN_NONE, .card = PLAN_NONE};
    const cJSON *fill = cJSON_GetObjectItemCaseSensitive(record, "fill");
    int64_t shape[PLAN_MAX_DIMS];
    enum dtype dtype = DTYPE_COUNT;
    const char *name;
    uint32_t ndim = 0;

    if (in_order(record, plan_builder_plan(b)->nstorage, err) || plan_json_string(record, "name", &name, err) ||
        storage_kind(record, &s, err) || dtype_of(cJSON_GetObjectItemCaseSensitive(record, "dtype"), &dtype, err) ||
        plan_json_dims(cJSON_GetObjectItemCaseSensitive(record, "shape"), "shape", PLAN_MAX_DIMS, shape, &ndim, err)) {
        return -1;
    }
    if (fill && plan_json_fill(fill, "fill", &s.fill, err)) {
        return -1;
    }
    s.dtype = (uint8_t)dtype;
    s.ndim = (uint8_t)ndim;
    if (plan_shape_bytes(ndim, shape, dtype_size(dtype), &s.nbytes)) {
        return error_set(err, NULL, NULL, "%.200s has more than 2^60 bytes", name);
    }
    return plan_add_storage(b, &s, name, shape, NULL, err);
}

static int add_buffers(struct plan_builder *b, const cJSON *record, struct error *err)
{
    const cJSON *buffers = cJSON_GetObjectItemCaseSensitive(record, "buffers");

    if (buffers && !cJSON_IsArray(buffers)) {
        return error_set(err, NULL, NULL, "\"buffers\" is not an array");
    }
    for (const cJSON *e = buffers ? buffers->child : NULL; e; e = e->next) {
        uint64_t offset = 0, nbytes = 0;
        const char *name;

        if (!cJSON_IsObject(e)) {
            return error_set(err, NULL, NULL, "an entry of \"buffers\" is not an object");
        }
        if (plan_json_string(e, "name", &name, err) || plan_json_field(e, "offset", PLAN_JSON_EXACT, &offset, err) ||
            plan_json_field(e, "nbytes", PLAN_JSON_EXACT, &nbytes, err) ||
            plan_add_buffer(b, name, offset, nbytes, err)) {
            return -1;
        }
    }
    return 0;
}

static int add_domain(struct plan_builder *b, const cJSON *record, struct error *err)
{
    uint32_t workers[PLAN_MAX_MEMBERS], count, i = 0;
    uint64_t window = 0, card = 0;
    const cJSON *e;
    const char *name;

    if (in_order(record, plan_builder_plan(b)->ndomain, err) || plan_json_string(record, "name", &name, err) ||
        plan_json_field(record, "window", PLAN_JSON_EXACT, &window, err) ||
        plan_json_array(record, "workers", &e, &count, err)) {
        return -1;
    }
    if (count > PLAN_MAX_MEMBERS) {
        return plan_rule_domain(plan_builder_plan(b), window, NULL, count, err);
    }
    for (; e; e = e->next) {
        if (plan_json_number(e, "workers", UINT32_MAX, &card, err)) {
            return -1;
        }
        workers[i++] = (uint32_t)card;
    }
    if (plan_add_domain(b, name, workers, count, window, NULL, err)) {
        return -1;
    }
    return add_buffers(b, record, err);
}

static int end_domain(struct plan_builder *b, const cJSON *record, struct error *err)
{
    uint64_t domain = 0;

    if (plan_json_number(record->child, "end_domain", UINT32_MAX, &domain, err)) {
        return -1;
    }
    return plan_end_domain(b, (uint32_t)domain, err);
}

/* The elements storage, dtype, offset, shape[, strides] that begin at `e`. */
static int add_view(struct plan_builder *b, const cJSON *e, uint32_t *view, struct error *err)
{
    int64_t shape[PLAN_MAX_DIMS] = {0}, stride[PLAN_MAX_DIMS] = {0};
    const cJSON *item[5] = {0};
    uint64_t storage = 0, offset = 0;
    uint32_t ndim = 0, nstride = 0;
    enum dtype dtype = DTYPE_COUNT;

    for (int i = 0; e; e = e->next, i++) {
        if (i == 5) {
            return error_set(err, NULL, NULL, "a view has too many entries");
        }
        item[i] = e;
    }
    if (!item[3]) {
        return error_set(err, NULL, NULL, "a view has too few entries");
    }
    if (plan_json_number(item[0], "storage", UINT32_MAX, &storage, err) || dtype_of(item[1], &dtype, err) ||
        plan_json_number(item[2], "offset", PLAN_JSON_EXACT, &offset, err) ||
        plan_json_dims(item[3], "shape", PLAN_MAX_DIMS, shape, &ndim, err)) {
        return -1;
    }
    if (!item[4]) {
        plan_contiguous_strides(ndim, shape, stride);
    } else {
        if (plan_json_dims(item[4], "strides", PLAN_MAX_DIMS, stride, &nstride, err)) {
            return -1;
        }
        if (nstride != ndim) {
            return error_set(err, NULL, NULL, "a view has %u dimensions and %u strides", ndim, nstride);
        }
    }
    return plan_add_view(b, (uint32_t)storage, dtype, offset, ndim, shape, stride, view, err);
}

static int tag_of(const cJSON *item, uint32_t *tag, struct error *err)
{
    for (uint32_t i = 0; cJSON_IsString(item) && i < PLAN_TAG_COUNT; i++) {
        if (strcmp(item->valuestring, plan_tag_names[i]) == 0) {
            *tag = i;
            return 0;
        }
    }
    return error_set(err, NULL, NULL, "tag %.40s is unknown",
                     cJSON_IsString(item) ? item->valuestring : "of an argument");
}

static int room(void *array, size_t *capacity, size_t wanted, size_t size, struct error *err)
{
    return wanted && array_room(array, capacity, wanted - 1, size) ? error_nomem(err, NULL, wanted * size) : 0;
}

static int read_args(struct plan_builder *b, struct plan_record_scratch *scratch, const cJSON *record, uint32_t *count,
                     struct error *err)
{
    const cJSON *e;
    uint32_t i = 0;

    if (plan_json_array(record, "args", &e, count, err) ||
        room(&scratch->args, &scratch->args_capacity, *count, sizeof *scratch->args, err)) {
        return -1;
    }
    for (; e; e = e->next, i++) {
        if (!cJSON_IsArray(e) || !e->child) {
            return error_set(err, NULL, NULL, "argument %u is not a tagged view", i);
        }
        if (tag_of(e->child, &scratch->args[i].tag, err) || add_view(b, e->child->next, &scratch->args[i].view, err)) {
            return -1;
        }
    }
    return 0;
}

static int read_scalar(const cJSON *item, struct plan_scalar *out, struct error *err)
{
    uint64_t domain = 0, card = 0;
    const cJSON *kind;

    *out = (struct plan_scalar){.kind = PLAN_VALUE, .domain = PLAN_NONE, .card = PLAN_NONE};
    if (!cJSON_IsArray(item)) {
        return plan_json_u64(item, "scalars", &out->bits, err);
    }
    kind = item->child;
    if (cJSON_GetArraySize(item) != 4 || !cJSON_IsString(kind)) {
        return error_set(err, NULL, NULL, "a scalar is neither a number nor [kind, domain, card, n]");
    }
    if (strcmp(kind->valuestring, "ctx") == 0) {
        out->kind = PLAN_DEVICE_CTX;
    } else if (strcmp(kind->valuestring, "win") == 0) {
        out->kind = PLAN_WINDOW_BASE;
    } else {
        return error_set(err, NULL, NULL, "scalar kind \"%.40s\" is neither \"ctx\" nor \"win\"", kind->valuestring);
    }
    if (plan_json_number(kind->next, "domain", UINT32_MAX, &domain, err) ||
        plan_json_number(kind->next->next, "card", UINT32_MAX, &card, err) ||
        plan_json_u64(kind->next->next->next, "n", &out->bits, err)) {
        return -1;
    }
    out->domain = (uint32_t)domain;
    out->card = (uint32_t)card;
    return 0;
}

static int read_scalars(struct plan_record_scratch *scratch, const cJSON *record, uint32_t *count, struct error *err)
{
    const cJSON *e;
    uint32_t i = 0;

    if (plan_json_array(record, "scalars", &e, count, err) ||
        room(&scratch->scalars, &scratch->scalars_capacity, *count, sizeof *scratch->scalars, err)) {
        return -1;
    }
    for (; e; e = e->next, i++) {
        if (read_scalar(e, &scratch->scalars[i], err)) {
            return -1;
        }
    }
    return 0;
}

static int add_call(struct plan_builder *b, struct plan_record_scratch *scratch, const cJSON *record, bool dispatch,
                    struct error *err)
{
    const struct plan *p = plan_builder_plan(b);
    struct plan_node n = {.kind = dispatch ? PLAN_DISPATCH : PLAN_SUB, .lane = p->world_size + 1};
    uint64_t line, k = PLAN_NONE, group = PLAN_NONE, card;
    const char *name;

    if (in_order(record, p->nnode, err) || plan_json_string(record, dispatch ? "program" : "name", &name, err) ||
        plan_json_optional(record, "line", UINT32_MAX, 0, &line, err) || read_args(b, scratch, record, &n.narg, err) ||
        read_scalars(scratch, record, &n.nscalar, err)) {
        return -1;
    }
    if (dispatch) {
        if (plan_json_field(record, "card", UINT32_MAX, &card, err) ||
            plan_json_optional(record, "k", UINT32_MAX - 1, PLAN_NONE, &k, err) ||
            plan_json_optional(record, "group", UINT32_MAX - 1, PLAN_NONE, &group, err) ||
            plan_add_program(b, name, &n.program, err)) {
            return -1;
        }
        n.lane = (uint32_t)card;
    } else if (plan_add_sub(b, name, &n.program, err)) {
        return -1;
    }
    n.line = (uint32_t)line;
    n.k = (uint32_t)k;
    n.group = (uint32_t)group;
    return plan_add_node(b, &n, scratch->args, scratch->scalars, NULL, err);
}

static int add_copy(struct plan_builder *b, const cJSON *record, struct error *err)
{
    const struct plan *p = plan_builder_plan(b);
    const cJSON *dst = cJSON_GetObjectItemCaseSensitive(record, "dst");
    const cJSON *src = cJSON_GetObjectItemCaseSensitive(record, "src");
    const cJSON *fill = cJSON_GetObjectItemCaseSensitive(record, "fill");
    struct plan_node n = {.kind = PLAN_COPY, .lane = plan_host_lane(p), .group = PLAN_NONE, .k = PLAN_NONE};
    struct plan_arg args[2] = {{.tag = PLAN_TAG_OUTPUT_EXISTING}, {.tag = PLAN_TAG_INPUT}};
    struct plan_scalar scalar = {.kind = PLAN_VALUE, .domain = PLAN_NONE, .card = PLAN_NONE};
    uint64_t line = 0;
    double value;

    if (in_order(record, p->nnode, err) || plan_json_optional(record, "line", UINT32_MAX, 0, &line, err)) {
        return -1;
    }
    if (!cJSON_IsArray(dst) || !src == !fill || (src && !cJSON_IsArray(src))) {
        return error_set(err, NULL, NULL, "a copy needs \"dst\", and either \"src\" or \"fill\"");
    }
    if (add_view(b, dst->child, &args[0].view, err) || (src && add_view(b, src->child, &args[1].view, err)) ||
        (fill && plan_json_fill(fill, "fill", &value, err))) {
        return -1;
    }
    if (fill) {
        memcpy(&scalar.bits, &value, sizeof value);
    }
    n.line = (uint32_t)line;
    n.narg = src ? 2 : 1;
    n.nscalar = fill ? 1 : 0;
    return plan_add_node(b, &n, args, &scalar, NULL, err);
}

static int add_note(struct plan_builder *b, const cJSON *record, struct error *err)
{
    const char *text;

    if (plan_json_string(record, "note", &text, err)) {
        return -1;
    }
    log_note("%s", text);
    return plan_add_note(b, text, err);
}

int plan_record_add(struct plan_builder *b, struct plan_record_scratch *scratch, const cJSON *record, struct error *err)
{
    const char *kind = record->child->string;

    if (strcmp(kind, "dispatch") == 0) {
        return add_call(b, scratch, record, true, err);
    }
    if (strcmp(kind, "copy") == 0) {
        return add_copy(b, record, err);
    }
    if (strcmp(kind, "sub") == 0) {
        return add_call(b, scratch, record, false, err);
    }
    if (strcmp(kind, "storage") == 0) {
        return add_storage(b, record, err);
    }
    if (strcmp(kind, "domain") == 0) {
        return add_domain(b, record, err);
    }
    if (strcmp(kind, "end_domain") == 0) {
        return end_domain(b, record, err);
    }
    if (strcmp(kind, "note") == 0) {
        return add_note(b, record, err);
    }
    if (strcmp(kind, "edges") == 0) {
        return 0;
    }
    return error_set(err, NULL, NULL, "record kind \"%.40s\" is unknown", kind);
}
