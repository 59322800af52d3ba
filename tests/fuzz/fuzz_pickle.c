/* The pickle of a .pt file: any bytes give tensors within their storage, or an error with all its parts. */
#include <stdint.h>
#include <stdlib.h>

#include "orchestrator/tensor_file/pt.h"

enum { STORAGE_BYTES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int find_storage(void *context, const char *key, struct pt_storage *out, struct error *err)
{
    (void)context;
    (void)key;
    (void)err;
    *out = (struct pt_storage){.offset = 1000, .nbytes = STORAGE_BYTES, .packed = -1};
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tensor_list list = {0};
    struct error err = {0};

    if (pt_read_pickle(data, size, "x.pt", find_storage, NULL, &list, &err) < 0 &&
        (!err.what[0] || !err.where[0] || !err.hint[0])) {
        abort();
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct tensor *t = &list.items[i];
        if (t->span && (t->offset < 1000 || t->offset + t->span * t->size > 1000 + STORAGE_BYTES)) {
            abort();
        }
    }
    tensor_list_free(&list);
    return 0;
}
