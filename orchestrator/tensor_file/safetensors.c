/* .safetensors files: a JSON header that names tensors, then their bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "orchestrator/tensor_file/element_types.h"
#include "orchestrator/tensor_file/format_readers.h"
#include "orchestrator/tensor_file/safetensors.h"

/* The library's own limit for headers. */
enum { HEADER_MAX_BYTES = 100 << 20 };

static const char *const hint = "save it again with the safetensors library";

static int read_shape(const struct json_source *src, const cJSON *entry, struct tensor *t)
{
    const cJSON *list, *dim;
    size_t count;

    if (json_get_list(src, entry, "shape", &list, &count)) {
        return -1;
    }
    if (count > PLAN_MAX_DIMS) {
        return json_fail(src, entry, "shape", "it has more than %d dimensions", PLAN_MAX_DIMS);
    }
    for (dim = list->child; dim; dim = dim->next) {
        if (json_get_int(src, dim, NULL, 0, INT64_MAX, &t->shape[t->ndim++])) {
            return -1;
        }
    }
    tensor_row_major(t);
    return 0;
}

static int read_type(const struct json_source *src, const cJSON *entry, struct tensor *t)
{
    const struct element_type *type;
    const char *name;

    if (json_get_string(src, entry, "dtype", &name)) {
        return -1;
    }
    type = element_type_safetensors(name);
    if (!type) {
        return json_fail(src, entry, "dtype", "\"%.40s\" is not a type that can be read", name);
    }
    element_type_set(t, type);
    return 0;
}

static int read_entry(const struct json_source *src, const cJSON *entry, uint64_t data, uint64_t limit,
                      struct tensor_list *out)
{
    struct tensor t = {.packed = -1};
    const cJSON *list;
    int64_t begin, end;
    size_t count;

    if (read_type(src, entry, &t) || read_shape(src, entry, &t) ||
        json_get_list(src, entry, "data_offsets", &list, &count)) {
        return -1;
    }
    if (count != 2) {
        return json_fail(src, entry, "data_offsets", "two numbers are needed");
    }
    if (json_get_int(src, list->child, NULL, 0, INT64_MAX, &begin) ||
        json_get_int(src, list->child->next, NULL, begin, INT64_MAX, &end)) {
        return -1;
    }
    if ((uint64_t)end > limit - data) {
        return json_fail(src, entry, "data_offsets", "the file ends before its elements do");
    }
    t.offset = data + (uint64_t)begin;
    if (tensor_measure(&t, data + (uint64_t)end, src->file, src->err)) {
        return -1;
    }
    if (t.span * t.size != (uint64_t)(end - begin)) {
        return json_fail(src, entry, "data_offsets", "they do not fit dtype and shape");
    }
    return tensor_list_add(out, &t, entry->string, strlen(entry->string), src->err);
}

int safetensors_read_header(const char *text, size_t size, const char *origin, uint64_t limit, struct tensor_list *out,
                            struct error *err)
{
    struct json_source src = {.file = origin, .hint = hint, .err = err};
    cJSON *root = json_parse(&src, text, size);
    const cJSON *entry;
    int rc = 0;

    if (!root) {
        return -1;
    }
    if (root->type != cJSON_Object) {
        rc = json_fail(&src, NULL, NULL, "an object is needed");
    }
    for (entry = rc ? NULL : root->child; entry && rc == 0; entry = entry->next) {
        if (strcmp(entry->string, "__metadata__") != 0) {
            rc = read_entry(&src, entry, 8 + size, limit, out);
        }
    }
    cJSON_Delete(root);
    if (rc == 0 && out->count == 0) {
        return error_set(err, origin, hint, "%s holds no tensor", origin);
    }
    return rc;
}

int safetensors_list(const struct tensor_source *f, const void *head, struct tensor_list *out, struct error *err)
{
    const uint64_t limit = (uint64_t)f->opened.st_size;
    uint64_t length;
    char *text;
    int rc = -1;

    memcpy(&length, head, sizeof length); /* the caller has seen that it is there */
    if (length > HEADER_MAX_BYTES || length > limit - sizeof length) {
        return error_set(err, f->path, hint, "the header of %s does not end", f->path);
    }
    text = malloc(length + 1);
    if (!text) {
        return error_nomem(err, f->path, length);
    }
    if (tensor_source_bytes(f, text, length, sizeof length, err) == 0) {
        text[length] = '\0';
        rc = safetensors_read_header(text, length, f->path, limit, out, err);
    }
    free(text);
    return rc;
}
