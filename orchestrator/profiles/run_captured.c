#include "orchestrator/profiles/run_captured.h"

#include <string.h>

static int read_number(const struct json_source *src, const cJSON *object, const char *key, const char *field,
                       int64_t *out)
{
    return json_int(src, field, cJSON_GetObjectItemCaseSensitive(object, key), 0, INT32_MAX, out);
}

static int read_truth(const struct json_source *src, const cJSON *object, const char *key, const char *field, bool *out)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!cJSON_IsBool(value)) {
        return json_fail(src, field, "it is neither true nor false");
    }
    *out = cJSON_IsTrue(value);
    return 0;
}

int run_captured_read(const struct json_source *src, const cJSON *record, struct run_captured *captured)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(record, "captured");

    memset(captured, 0, sizeof *captured);
    if (!object) {
        return 0;
    }
    if (json_object(src, "captured", object) ||
        read_number(src, object, "swimlane", "captured.swimlane", &captured->swimlane) ||
        read_truth(src, object, "dep_gen", "captured.dep_gen", &captured->dep_gen) ||
        read_number(src, object, "pmu", "captured.pmu", &captured->pmu) ||
        read_truth(src, object, "scope_stats", "captured.scope_stats", &captured->scope_stats) ||
        read_number(src, object, "dump_args", "captured.dump_args", &captured->dump_args)) {
        return -1;
    }
    captured->known = true;
    return 0;
}
