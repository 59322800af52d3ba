#include "orchestrator/tensor_file/pt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/tensor_file/element_types.h"
#include "orchestrator/tensor_file/pickle.h"

enum { MOST_DEPTH = 16, MOST_VALUES = 1 << 20, NAME_SIZE = 1024 };

static const char *const hint = "save the tensors alone: torch.save(tensor, file), or of a dict of tensors";

static const struct pickle_global allowed[] = {
    {"torch._utils", "_rebuild_tensor"},
    {"torch._utils", "_rebuild_tensor_v2"},
    {"torch._utils", "_rebuild_tensor_v3"},
    {"torch._utils", "_rebuild_parameter"},
    {"torch._utils", "_rebuild_parameter_with_state"},
    {"collections", "OrderedDict"},
    {"torch", "Size"},
    {"torch.storage", "UntypedStorage"},
    {"torch", "UntypedStorage"},
    {"torch", "FloatStorage"},
    {"torch", "DoubleStorage"},
    {"torch", "HalfStorage"},
    {"torch", "BFloat16Storage"},
    {"torch", "LongStorage"},
    {"torch", "IntStorage"},
    {"torch", "ShortStorage"},
    {"torch", "CharStorage"},
    {"torch", "ByteStorage"},
    {"torch", "BoolStorage"},
    {"torch", "ComplexFloatStorage"},
    {"torch", "ComplexDoubleStorage"},
    {"torch", "float32"},
    {"torch", "float64"},
    {"torch", "float16"},
    {"torch", "bfloat16"},
    {"torch", "int64"},
    {"torch", "int32"},
    {"torch", "int16"},
    {"torch", "int8"},
    {"torch", "uint8"},
    {"torch", "uint16"},
    {"torch", "uint32"},
    {"torch", "uint64"},
    {"torch", "bool"},
    {"torch", "float8_e4m3fn"},
    {"torch", "float8_e5m2"},
    {"torch", "float8_e8m0fnu"},
    {"torch", "float8_e4m3fnuz"},
    {"torch", "float8_e5m2fnuz"},
    {"torch", "complex64"},
    {"torch", "complex128"},
    {NULL, NULL},
};

struct reader {
    struct pickle p;
    const char *origin;
    pt_find_storage *find;
    void *context;
    struct tensor_list *out;
    struct error *err;
    char name[NAME_SIZE];
    size_t visited;
};

static int fail(const struct reader *r, const char *why)
{
    return error_set(r->err, r->origin, hint, "%s%s%s cannot be read: %s", r->origin, *r->name ? ":" : "", r->name,
                     why);
}

/* The name of a class or dtype of torch; NULL: `v` is something else. */
static const char *torch_name(const struct pickle_value *v)
{
    return v && v->kind == PICKLE_GLOBAL ? v->text + strlen(v->text) + 1 : NULL;
}

/* --- one tensor --------------------------------------------------------------- */

/* ('storage', class, key, location, number of elements): the storage, and the type that its class has; NULL: untyped. */
static int read_storage(struct reader *r, const struct pickle_value *v, struct pt_storage *storage,
                        const struct element_type **type)
{
    const struct pickle_value *id = v && v->kind == PICKLE_PERSISTENT ? pickle_item(&r->p, v, 0) : NULL, *tag, *key;
    const char *class;

    if (!id || id->kind != PICKLE_TUPLE || id->count < 5) {
        return fail(r, "its storage is not one");
    }
    tag = pickle_item(&r->p, id, 0);
    class = torch_name(pickle_item(&r->p, id, 1));
    key = pickle_item(&r->p, id, 2);
    if (tag->kind != PICKLE_TEXT || strcmp(tag->text, "storage") != 0 || !class || key->kind != PICKLE_TEXT) {
        return fail(r, "its storage is not one");
    }
    *type = element_type_storage(class, strlen(class));
    if (!*type && strcmp(class, "UntypedStorage") != 0) {
        return fail(r, "its storage is not one");
    }
    return r->find(r->context, key->text, storage, r->err);
}

static int read_sizes(struct reader *r, const struct pickle_value *v, int64_t *sizes, uint32_t *count)
{
    if (v && v->kind == PICKLE_CALL) { /* torch.Size((4, 128)) */
        v = pickle_item(&r->p, pickle_item(&r->p, v, 1), 0);
    }
    if (!v || v->kind != PICKLE_TUPLE) {
        return fail(r, "its shape or strides are no tuple");
    }
    if (v->count > PLAN_MAX_DIMS) {
        return fail(r, "it has more than 16 dimensions");
    }
    for (size_t i = 0; i < v->count; i++) {
        const struct pickle_value *size = pickle_item(&r->p, v, i);
        if (size->kind != PICKLE_INT || size->integer < 0) {
            return fail(r, "a size or stride is not a number from 0 on");
        }
        sizes[i] = size->integer;
    }
    *count = (uint32_t)v->count;
    return 0;
}

/* Flags of views that torch applies when it reads elements. */
static int check_flags(struct reader *r, const struct pickle_value *flags)
{
    if (!flags || (flags->kind != PICKLE_DICT && flags->kind != PICKLE_CALL)) {
        return 0;
    }
    for (size_t i = 0; i + 1 < flags->count && flags->kind == PICKLE_DICT; i += 2) {
        if (pickle_item(&r->p, flags, i + 1)->kind == PICKLE_BOOL && pickle_item(&r->p, flags, i + 1)->integer) {
            return fail(r, "it is a view that negates or conjugates; save its .clone()");
        }
    }
    return 0;
}

/* (storage, offset, shape, strides, requires_grad, hooks[, dtype][, flags]) */
static int read_tensor(struct reader *r, const struct pickle_value *args, bool untyped)
{
    const struct pickle_value *offset = pickle_item(&r->p, args, 1), *flags = pickle_item(&r->p, args, untyped ? 7 : 6);
    const struct element_type *type = NULL;
    struct tensor t = {0};
    struct pt_storage storage = {0};
    uint32_t nstride;
    char origin[NAME_SIZE + 300];

    if (args->count < 4 || offset->kind != PICKLE_INT || offset->integer < 0) {
        return fail(r, "it has not the parts of a tensor");
    }
    if (read_storage(r, pickle_item(&r->p, args, 0), &storage, &type) ||
        read_sizes(r, pickle_item(&r->p, args, 2), t.shape, &t.ndim) ||
        read_sizes(r, pickle_item(&r->p, args, 3), t.strides, &nstride) || check_flags(r, flags)) {
        return -1;
    }
    if (untyped) {
        const char *dtype = torch_name(pickle_item(&r->p, args, 6));
        type = dtype ? element_type_torch(dtype, strlen(dtype)) : NULL;
    } else if (!type) {
        type = element_type_torch("uint8", strlen("uint8"));
    }
    if (!type || nstride != t.ndim) {
        return fail(r, "it has not the parts of a tensor");
    }
    element_type_set(&t, type);
    t.packed = storage.packed;
    if (__builtin_mul_overflow((uint64_t)offset->integer, (uint64_t)t.size, &t.offset) ||
        __builtin_add_overflow(t.offset, storage.offset, &t.offset)) {
        return fail(r, "it begins behind its storage");
    }
    snprintf(origin, sizeof origin, "%.280s%s%s", r->origin, *r->name ? ":" : "", r->name);
    return tensor_measure(&t, storage.offset + storage.nbytes, origin, r->err)
               ? -1
               : tensor_list_add(r->out, &t, r->name, strlen(r->name), r->err);
}

/* --- all of them ---------------------------------------------------------------- */

static int visit(struct reader *r, const struct pickle_value *v, size_t used, int depth);

/* The values of `v` from item `first` on, which are keys and values in turn with `step` 2. */
static int visit_items(struct reader *r, const struct pickle_value *v, size_t first, size_t step, size_t used,
                       int depth)
{
    const char *dot = used ? "." : "";

    for (size_t i = first; i + step <= v->count; i += step) {
        const struct pickle_value *key = pickle_item(&r->p, v, i), *value = pickle_item(&r->p, v, i + step - 1);
        size_t room = NAME_SIZE - used;
        int n = -1;

        if (step == 1) {
            n = snprintf(r->name + used, room, "%s%zu", dot, i);
        } else if (key->kind == PICKLE_INT) {
            n = snprintf(r->name + used, room, "%s%lld", dot, (long long)key->integer);
        } else if (key->kind == PICKLE_TEXT) {
            n = snprintf(r->name + used, room, "%s%s", dot, key->text);
        }
        if (n >= 0 && (size_t)n >= room) {
            r->name[used] = '\0';
            return fail(r, "a key is too long");
        }
        if (n >= 0 && visit(r, value, used + (size_t)n, depth + 1)) {
            return -1;
        }
        r->name[used] = '\0';
    }
    return 0;
}

static int visit_call(struct reader *r, const struct pickle_value *v, size_t used, int depth)
{
    const struct pickle_value *function = pickle_item(&r->p, v, 0), *args = pickle_item(&r->p, v, 1);
    const char *name = torch_name(function);

    if (strcmp(name, "_rebuild_tensor") == 0 || strcmp(name, "_rebuild_tensor_v2") == 0) {
        return read_tensor(r, args, false);
    }
    if (strcmp(name, "_rebuild_tensor_v3") == 0) {
        return read_tensor(r, args, true);
    }
    if (strncmp(name, "_rebuild_parameter", strlen("_rebuild_parameter")) == 0) {
        return args->count ? visit(r, pickle_item(&r->p, args, 0), used, depth + 1)
                           : fail(r, "a Parameter has no data");
    }
    if (strcmp(name, "OrderedDict") == 0) {
        return visit_items(r, v, 2, 2, used, depth);
    }
    return 0;
}

static int visit(struct reader *r, const struct pickle_value *v, size_t used, int depth)
{
    if (depth > MOST_DEPTH || ++r->visited > MOST_VALUES) {
        return fail(r, "its dicts and lists are nested too deep, or hold too much");
    }
    switch (v->kind) {
    case PICKLE_CALL:
        return visit_call(r, v, used, depth);
    case PICKLE_DICT:
        return visit_items(r, v, 0, 2, used, depth);
    case PICKLE_TUPLE:
    case PICKLE_LIST:
        return visit_items(r, v, 0, 1, used, depth);
    default:
        return 0;
    }
}

int pt_read_pickle(const void *pickle, size_t size, const char *origin, pt_find_storage *find, void *context,
                   struct tensor_list *out, struct error *err)
{
    struct reader r = {.origin = origin, .find = find, .context = context, .out = out, .err = err};
    int rc = pickle_read(pickle, size, allowed, origin, &r.p, err);

    if (rc == 0) {
        rc = visit(&r, &r.p.values[r.p.root], 0, 0);
    }
    pickle_free(&r.p);
    return rc;
}
