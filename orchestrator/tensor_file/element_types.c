#include "orchestrator/tensor_file/element_types.h"

#include <stdio.h>
#include <string.h>

static const struct element_type types[] = {
    {"float32", "FloatStorage", "F32", DTYPE_FLOAT32, 4},
    {"float64", "DoubleStorage", "F64", DTYPE_FLOAT64, 8},
    {"float16", "HalfStorage", "F16", DTYPE_FLOAT16, 2},
    {"bfloat16", "BFloat16Storage", "BF16", DTYPE_BFLOAT16, 2},
    {"int64", "LongStorage", "I64", DTYPE_INT64, 8},
    {"int32", "IntStorage", "I32", DTYPE_INT32, 4},
    {"int16", "ShortStorage", "I16", DTYPE_INT16, 2},
    {"int8", "CharStorage", "I8", DTYPE_INT8, 1},
    {"uint8", "ByteStorage", "U8", DTYPE_UINT8, 1},
    {"bool", "BoolStorage", "BOOL", DTYPE_BOOL, 1},
    {"uint16", NULL, "U16", DTYPE_UINT16, 2},
    {"uint32", NULL, "U32", DTYPE_UINT32, 4},
    {"uint64", NULL, "U64", DTYPE_UINT64, 8},
    {"float8_e4m3fn", NULL, "F8_E4M3", DTYPE_FP8E4M3FN, 1},
    {"float8_e8m0fnu", NULL, "F8_E8M0", DTYPE_FP8E8M0, 1},
    {"float8_e5m2", NULL, "F8_E5M2", DTYPE_COUNT, 1},
    {"float8_e4m3fnuz", NULL, NULL, DTYPE_COUNT, 1},
    {"float8_e5m2fnuz", NULL, NULL, DTYPE_COUNT, 1},
    {"complex64", "ComplexFloatStorage", "C64", DTYPE_COUNT, 8},
    {"complex128", "ComplexDoubleStorage", NULL, DTYPE_COUNT, 16},
};

enum { COUNT = sizeof types / sizeof *types };

static bool is(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && memcmp(known, name, length) == 0;
}

const struct element_type *element_type_torch(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (is(types[i].torch, name, length)) {
            return &types[i];
        }
    }
    return NULL;
}

const struct element_type *element_type_storage(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (is(types[i].storage, name, length)) {
            return &types[i];
        }
    }
    return NULL;
}

const struct element_type *element_type_safetensors(const char *name)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (is(types[i].safetensors, name, strlen(name))) {
            return &types[i];
        }
    }
    return NULL;
}

const struct element_type *element_type_of(enum dtype dtype)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (types[i].dtype == dtype) {
            return &types[i];
        }
    }
    return element_type_torch("uint8", 5);
}

void element_type_set(struct tensor *t, const struct element_type *type)
{
    snprintf(t->type, sizeof t->type, "%s", type->torch);
    t->dtype = type->dtype;
    t->bits = type->dtype == DTYPE_UINT8 || type->dtype == DTYPE_UINT16;
    t->size = type->size;
}
