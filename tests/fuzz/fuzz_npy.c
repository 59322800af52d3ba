/* .npy headers: any bytes give a header whose sizes are consistent, or an error with all its parts. */
#include <stdint.h>
#include <stdlib.h>

#include "orchestrator/tensor_file/npy_header.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {0};
    uint64_t count = 1;
    struct npy h;

    if (npy_parse(data, size, "x.npy", &h, &err)) {
        if (!err.what[0] || !err.where[0] || !err.hint[0]) {
            abort();
        }
        return 0;
    }
    if (h.ndim > PLAN_MAX_DIMS || h.size == 0 || h.offset > size) {
        abort();
    }
    for (uint32_t d = 0; d < h.ndim; d++) {
        if (h.shape[d] < 0) {
            abort();
        }
        count *= (uint64_t)h.shape[d];
    }
    if (count != h.count || (h.count && h.count * h.size / h.count != h.size)) {
        abort();
    }
    return 0;
}
