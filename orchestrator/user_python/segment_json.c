#include "orchestrator/user_python/segment_json.h"

#include <stdlib.h>
#include <strings.h>

#include "orchestrator/user_python/torch_type.h"

void segment_json_tensor(struct json_writer *w, cJSON *list, const char *name, enum dtype dtype, uint32_t ndim,
                         const int64_t *shape, const char *path, uint64_t offset)
{
    cJSON *item = json_append_object(w, list), *sizes;

    json_put_string(w, item, "name", name);
    json_put_string(w, item, "dtype", torch_type_name(dtype));
    sizes = json_put_list(w, item, "shape");
    for (uint32_t d = 0; d < ndim; d++) {
        json_append_u64(w, sizes, (uint64_t)shape[d]);
    }
    json_put_string(w, item, "path", path);
    json_put_u64(w, item, "offset", offset);
}

void segment_json_storage(struct json_writer *w, cJSON *list, const struct segment *seg, uint32_t storage,
                          const char *name, const char *path)
{
    const struct plan_storage *s = &seg->plan.storages[storage];

    segment_json_tensor(w, list, name, s->dtype, s->ndim, seg->plan.dims + s->dims, path, seg->storages[storage]);
}

void segment_json_scalar(struct json_writer *w, cJSON *list, const struct build_param *param, const char *name,
                         const char *text)
{
    cJSON *item = json_append_object(w, list);
    const bool yes = strcasecmp(text, "true") == 0;

    json_put_string(w, item, "name", name);
    json_put_string(w, item, "kind",
                    param->dtype == DTYPE_BOOL     ? "bool"
                    : dtype_is_float(param->dtype) ? "float"
                                                   : "int");
    json_put_string(w, item, "value", yes ? "1" : strcasecmp(text, "false") == 0 ? "0" : text);
}
