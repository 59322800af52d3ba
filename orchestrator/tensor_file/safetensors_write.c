#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/json_write.h"
#include "orchestrator/tensor_file/element_types.h"
#include "orchestrator/tensor_file/format_writers.h"

static uint64_t size_of(enum dtype type, uint32_t ndim, const int64_t *shape)
{
    uint64_t nbytes = dtype_size(type);

    for (uint32_t i = 0; i < ndim; i++) {
        nbytes *= (uint64_t)shape[i];
    }
    return nbytes;
}

static char *header_text(const char *name, enum dtype type, uint32_t ndim, const int64_t *shape, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *entry = json_put_object(&w, root, name), *list;

    json_put_text(&w, entry, "dtype", element_type_of(type)->safetensors);
    list = json_put_list(&w, entry, "shape");
    for (uint32_t i = 0; i < ndim; i++) {
        json_append_u64(&w, list, (uint64_t)shape[i]);
    }
    list = json_put_list(&w, entry, "data_offsets");
    json_append_u64(&w, list, 0);
    json_append_u64(&w, list, size_of(type, ndim, shape));
    return json_finish_line(&w, root, name, err);
}

int safetensors_write(const char *path, const char *name, enum dtype type, uint32_t ndim, const int64_t *shape,
                      const void *data, struct error *err)
{
    char *header = header_text(name, type, ndim, shape, err);
    struct file_writer w;
    uint64_t length, padded;

    if (!header) {
        return -1;
    }
    if (file_write_begin(&w, path, err)) {
        free(header);
        return -1;
    }
    length = strlen(header);
    padded = (length + 7) & ~UINT64_C(7); /* the elements are aligned; blanks may follow the object */
    errno = 0;
    /* Short writes are found by ferror() in the commit. */
    fwrite(&padded, 1, sizeof padded, w.stream);
    fwrite(header, 1, length, w.stream);
    fprintf(w.stream, "%*s", (int)(padded - length), "");
    fwrite(data, 1, size_of(type, ndim, shape), w.stream);
    free(header);
    return file_write_commit(&w, err);
}
