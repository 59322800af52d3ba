/* The header of a .safetensors file: any bytes give tensors within the file, or an error with all its parts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/tensor_file/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t limit = 8 + size + 100;
    struct tensor_list list = {0};
    struct error err = {0};
    char *text = malloc(size + 1);

    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (safetensors_read_header(text, size, "x.safetensors", limit, &list, &err) < 0 &&
        (!err.what[0] || !err.where[0] || !err.hint[0])) {
        abort();
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct tensor *t = &list.items[i];
        if (t->span && (t->offset < 8 + size || t->offset + t->span * t->size > limit)) {
            abort();
        }
    }
    tensor_list_free(&list);
    free(text);
    return 0;
}
