/* distributed_meta.json and compiled_meta.json: any bytes give a checked build or an error with all its parts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/open/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the rest of the program relies on. */
static void check(const struct build *b)
{
    if (b->ndevice < 1 || b->ndevice > BUILD_MAX_CARDS || !build_platform_is_known(b->platform) || !b->backend_type) {
        abort();
    }
    for (uint32_t i = 0; i < b->ndevice; i++) {
        if (b->device_ids[i] < 0) {
            abort();
        }
    }
    for (uint32_t i = 0; i < b->nparam; i++) {
        const struct build_param *p = &b->params[i];
        if (!p->name || !*p->name || strchr(p->name, '/') || !p->dtype_text || p->ndim > PLAN_MAX_DIMS) {
            abort();
        }
        for (uint32_t d = 0; d < p->ndim; d++) {
            if (p->shape[d] < -1) {
                abort();
            }
        }
        if (build_find_param(b, p->name, NULL) != p) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct error err = {0};
    struct build b;

    if (!text) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (int kind = BUILD_L2; kind <= BUILD_L3; kind++) {
        memset(&b, 0, sizeof b);
        b.kind = (enum build_kind)kind;
        if (metadata_parse("distributed_meta.json", text, size, &b, &err) == 0) {
            check(&b);
        } else if (!err.what[0] || !err.where[0] || !err.hint[0]) {
            abort();
        }
        build_free(&b);
    }
    free(text);
    return 0;
}
