#include "orchestrator/user_python/torch_type.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *instead;
} names[DTYPE_COUNT] = {
    [DTYPE_FLOAT32] = {"float32", NULL},
    [DTYPE_FLOAT16] = {"float16", NULL},
    [DTYPE_INT32] = {"int32", NULL},
    [DTYPE_INT16] = {"int16", NULL},
    [DTYPE_INT8] = {"int8", NULL},
    [DTYPE_UINT8] = {"uint8", NULL},
    [DTYPE_BFLOAT16] = {"bfloat16", NULL},
    [DTYPE_INT64] = {"int64", NULL},
    [DTYPE_UINT64] = {"uint64", "int64"},
    [DTYPE_UINT16] = {"uint16", "int16"},
    [DTYPE_UINT32] = {"uint32", "int32"},
    [DTYPE_BOOL] = {"bool", NULL},
    [DTYPE_FP8E4M3FN] = {"float8_e4m3fn", "uint8"},
    [DTYPE_FP8E8M0] = {"float8_e8m0fnu", "uint8"},
    [DTYPE_FP4E2M1] = {"float4_e2m1fn_x2", "uint8"},
    [DTYPE_FLOAT64] = {"float64", NULL},
};

const char *torch_type_name(enum dtype type)
{
    return type < DTYPE_COUNT && names[type].name ? names[type].name : "uint8";
}

bool torch_type_is(enum dtype type, const char *name)
{
    return strcmp(torch_type_name(type), name) == 0 ||
           (type < DTYPE_COUNT && names[type].instead && strcmp(names[type].instead, name) == 0);
}
