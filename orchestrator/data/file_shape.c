#include "orchestrator/data/file_shape.h"

#include <string.h>

#include "common/plan/plan.h"
#include "orchestrator/npy/npy.h"

/* Types that numpy lacks are saved as raw bytes; those that other files hold as integers cannot be known from integers. */
static bool is_of(const struct npy *array, enum dtype type)
{
    return npy_holds(array, type) && type != DTYPE_FLOAT64 && (type != DTYPE_BFLOAT16 || array->kind == 'V');
}

int file_shape(const char *file, enum dtype *type, uint32_t *ndim, int64_t *shape, struct error *err)
{
    char name[32];
    struct npy array;

    if (npy_open(file, &array, err) < 0) {
        return -1;
    }
    *type = 0;
    while (*type < DTYPE_COUNT && !is_of(&array, *type)) {
        ++*type;
    }
    if (*type == DTYPE_COUNT || array.ndim > PLAN_MAX_DIMS) {
        return error_set(err, file, "convert it", "%s holds %s in %u dimensions, which no device takes", file,
                         npy_type_name(&array, name, sizeof name), array.ndim);
    }
    *ndim = array.ndim;
    memcpy(shape, array.shape, array.ndim * sizeof *shape);
    return 0;
}
