#include "orchestrator/tensor_file/format_writers.h"

#include <errno.h>
#include <stdio.h>

#include "common/base/file.h"

int npy_write(const char *path, enum dtype type, uint32_t ndim, const int64_t *shape, const void *data,
              struct error *err)
{
    char dims[TENSOR_SHAPE_SIZE], dict[sizeof dims + 128];
    unsigned char prefix[10] = "\x93NUMPY\x01\x00";
    uint64_t nbytes = dtype_size(type);
    struct file_writer w;
    size_t length;

    for (uint32_t i = 0; i < ndim; i++) {
        nbytes *= (uint64_t)shape[i];
    }
    length = (size_t)snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                              dtype_npy_descr(type), tensor_shape_text(ndim, shape, dims, sizeof dims));
    /* Prefix and header together are a multiple of 64 bytes, padded with blanks, and end in a newline. */
    while ((sizeof prefix + length + 1) % 64) {
        dict[length++] = ' ';
    }
    dict[length++] = '\n';
    prefix[8] = (unsigned char)(length & 0xff);
    prefix[9] = (unsigned char)(length >> 8);
    if (file_write_begin(&w, path, err)) {
        return -1;
    }
    errno = 0;
    /* Short writes are found by ferror() in the commit. */
    fwrite(prefix, 1, sizeof prefix, w.stream);
    fwrite(dict, 1, length, w.stream);
    fwrite(data, 1, nbytes, w.stream);
    return file_write_commit(&w, err);
}
