#include "orchestrator/data/element.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/tensor_file/tensor.h"

const char *element_value(enum dtype type, const void *element, char *buf, size_t size)
{
    int64_t i;
    uint64_t u;

    if (type == DTYPE_INT64) {
        memcpy(&i, element, sizeof i);
        snprintf(buf, size, "%" PRId64, i);
    } else if (type == DTYPE_UINT64) {
        memcpy(&u, element, sizeof u);
        snprintf(buf, size, "%" PRIu64, u);
    } else {
        snprintf(buf, size, "%.9g", dtype_load(type, element));
    }
    return buf;
}

const char *element_bits(enum dtype type, const void *element, char *buf, size_t size)
{
    uint64_t bits = 0; /* little-endian, as all that the program reads and writes */

    memcpy(&bits, element, dtype_size(type));
    snprintf(buf, size, "0x%0*" PRIx64, (int)(2 * dtype_size(type)), bits);
    return buf;
}

const char *element_index(const struct plan *plan, uint32_t storage, uint64_t flat, char *buf, size_t size)
{
    const struct plan_storage *st = &plan->storages[storage];
    const int64_t *shape = plan->dims + st->dims;
    int64_t index[PLAN_MAX_DIMS];

    for (uint32_t d = st->ndim; d-- > 0;) {
        index[d] = (int64_t)(flat % (uint64_t)shape[d]);
        flat /= (uint64_t)shape[d];
    }
    tensor_shape_text(st->ndim, index, buf, size);
    return buf;
}
