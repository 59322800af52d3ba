/* segment_json - parameters of a loaded segment as a Python session takes them (session.h). */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_SEGMENT_JSON_H
#define L3R_ORCHESTRATOR_USER_PYTHON_SEGMENT_JSON_H

#include "common/base/json_write.h"
#include "common/segment/segment.h"
#include "orchestrator/open/build_info.h"
#include "orchestrator/user_python/golden.h"

/* Append a tensor of `shape` at byte `offset` of the file at `path`. */
void segment_json_tensor(struct json_writer *w, cJSON *list, const char *name, enum dtype dtype, uint32_t ndim,
                         const int64_t *shape, const char *path, uint64_t offset);

/* Append parameter storage `storage`; `path` is that of the segment's data. */
void segment_json_storage(struct json_writer *w, cJSON *list, const struct segment *seg, uint32_t storage,
                          const char *name, const char *path);

/* Append a scalar parameter: an integer, a number or a bool, as its type says. */
void segment_json_scalar(struct json_writer *w, cJSON *list, const struct build_param *param, const char *name,
                         const char *text);

#endif
