#include "orchestrator/data/file_shape.h"

#include <string.h>

#include "common/plan/plan.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/tensor_file/tensor_pool.h"

enum { BFLOAT16_BYTES = 2 };

/* Types that numpy lacks are saved as raw bytes; those that other files hold as integers cannot be known from integers. */
static enum dtype type_of(const struct tensor *t)
{
    if (t->dtype == DTYPE_COUNT && t->bits && t->size == BFLOAT16_BYTES) {
        return DTYPE_BFLOAT16;
    }
    return t->dtype == DTYPE_FLOAT64 ? DTYPE_COUNT : t->dtype;
}

int file_shape(const char *file, const char *param, enum dtype *type, uint32_t *ndim, int64_t *shape, struct error *err)
{
    struct tensor_pool pool = {0};
    const struct tensor_file *opened;
    const struct tensor *t;
    int rc = tensor_pool_open(&pool, file, param, fit_name_length(param), &opened, &t, err);

    if (rc == 0) {
        *type = type_of(t);
        *ndim = t->ndim;
        memcpy(shape, t->shape, t->ndim * sizeof *shape);
        if (*type == DTYPE_COUNT) {
            rc = error_set(err, file, "convert it", "%s holds %s, which no device takes", file, t->type);
        }
    }
    tensor_pool_close(&pool);
    return rc;
}
