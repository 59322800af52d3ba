#include "orchestrator/tensor_file/tensor_write.h"

#include "orchestrator/tensor_file/format_writers.h"

int tensor_write(const char *path, enum tensor_format format, const char *name, enum dtype type, uint32_t ndim,
                 const int64_t *shape, const void *data, struct error *err)
{
    switch (format) {
    case TENSOR_PT:
        return pt_write(path, type, ndim, shape, data, err);
    case TENSOR_SAFETENSORS:
        return safetensors_write(path, name, type, ndim, shape, data, err);
    default:
        return npy_write(path, type, ndim, shape, data, err);
    }
}
