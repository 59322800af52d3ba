#include "orchestrator/tensor_file/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

static const char *const hint = "save it again";

void tensor_row_major(struct tensor *t)
{
    uint64_t step = 1; /* of a shape whose product overflows it is of no use, and tensor_measure() refuses it */

    for (uint32_t d = t->ndim; d-- > 0;) {
        t->strides[d] = (int64_t)(step & INT64_MAX);
        step *= (uint64_t)(t->shape[d] > 0 ? t->shape[d] : 1);
    }
}

int tensor_measure(struct tensor *t, uint64_t limit, const char *origin, struct error *err)
{
    uint64_t last = 0, nbytes, end;
    bool large = false, empty = false;

    t->count = 1;
    for (uint32_t d = 0; d < t->ndim; d++) {
        uint64_t reach;

        if (t->shape[d] < 0 || t->strides[d] < 0) {
            return error_set(err, origin, hint, "%s has a negative size or stride", origin);
        }
        empty = empty || t->shape[d] == 0;
        large = large || __builtin_mul_overflow(t->count, (uint64_t)t->shape[d], &t->count) ||
                __builtin_mul_overflow((uint64_t)t->shape[d] - 1, (uint64_t)t->strides[d], &reach) ||
                __builtin_add_overflow(last, reach, &last);
        if (empty) {
            break;
        }
    }
    if (empty) {
        t->count = 0;
        t->span = 0;
        return 0;
    }
    if (large || __builtin_mul_overflow(t->count, (uint64_t)t->size, &nbytes) || nbytes > INT64_MAX ||
        __builtin_mul_overflow(last + 1, (uint64_t)t->size, &nbytes) || last == UINT64_MAX ||
        __builtin_add_overflow(t->offset, nbytes, &end)) {
        return error_set(err, origin, hint, "the shape of %s is too large", origin);
    }
    t->span = last + 1;
    if (end > limit) {
        return error_set(err, origin, "save or copy it again",
                         "%s is cut short: its elements take %llu bytes, and %llu of them are there", origin,
                         (unsigned long long)nbytes, (unsigned long long)(limit > t->offset ? limit - t->offset : 0));
    }
    return 0;
}

bool tensor_is_row_major(const struct tensor *t)
{
    int64_t step = 1;

    for (uint32_t d = t->ndim; d-- > 0;) {
        if (t->shape[d] != 1 && t->strides[d] != step) {
            return t->count == 0;
        }
        step *= t->shape[d];
    }
    return true;
}

int tensor_list_add(struct tensor_list *list, const struct tensor *t, const char *name, size_t length,
                    struct error *err)
{
    struct tensor *item;

    if (array_room(&list->items, &list->capacity, list->count, sizeof *list->items)) {
        return error_nomem(err, "tensors", (list->count + 1) * sizeof *list->items);
    }
    item = &list->items[list->count];
    *item = *t;
    item->name = strndup(name, length);
    if (!item->name) {
        return error_nomem(err, "tensors", length + 1);
    }
    list->count++;
    return 0;
}

void tensor_list_free(struct tensor_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
    }
    free(list->items);
    *list = (struct tensor_list){0};
}

bool tensor_holds(const struct tensor *t, enum dtype type)
{
    if (t->size != dtype_size(type)) {
        return false;
    }
    return t->dtype == type || (t->bits && (type == DTYPE_BFLOAT16 || type == DTYPE_FP8E4M3FN ||
                                            type == DTYPE_FP8E8M0 || type == DTYPE_FP4E2M1));
}

bool tensor_same_kind(const struct tensor *a, const struct tensor *b)
{
    return strcmp(a->type, b->type) == 0 && a->size == b->size && a->ndim == b->ndim &&
           memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) == 0;
}

const char *tensor_shape_text(uint32_t ndim, const int64_t *shape, char *buf, size_t size)
{
    size_t used = (size_t)snprintf(buf, size, "(");

    for (uint32_t i = 0; i < ndim && used < size; i++) {
        used += (size_t)snprintf(buf + used, size - used, "%s%lld", i ? ", " : "", (long long)shape[i]);
    }
    if (used < size) {
        snprintf(buf + used, size - used, ndim == 1 ? ",)" : ")");
    }
    return buf;
}
