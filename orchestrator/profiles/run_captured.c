#include "orchestrator/profiles/run_captured.h"

#include <string.h>

int run_captured_read(const struct json_source *src, const cJSON *record, struct run_captured *captured)
{
    const cJSON *object;

    memset(captured, 0, sizeof *captured);
    if (!json_member(record, "captured")) {
        return 0;
    }
    if (json_get_object(src, record, "captured", &object) ||
        json_get_int(src, object, "swimlane", 0, INT32_MAX, &captured->swimlane) ||
        json_get_bool(src, object, "dep_gen", &captured->dep_gen) ||
        json_get_int(src, object, "pmu", 0, INT32_MAX, &captured->pmu) ||
        json_get_bool(src, object, "scope_stats", &captured->scope_stats) ||
        json_get_int(src, object, "dump_args", 0, INT32_MAX, &captured->dump_args)) {
        return -1;
    }
    captured->known = true;
    return 0;
}
