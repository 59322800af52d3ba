#include "orchestrator/record/helper_error.h"

#include <string.h>

#include "common/base/json.h"
#include "common/base/log.h"

int helper_error(const char *line, size_t length, struct error *err)
{
    struct json_source src = {.file = HELPER_OUTPUT, .hint = HELPER_REPORT, .err = err};
    cJSON *root = json_parse(&src, line, length);
    const char *what, *where, *hint, *kind, *text;
    const cJSON *error, *part;

    if (root && json_get_object(&src, root, "error", &error) == 0 && json_get_string(&src, error, "what", &what) == 0 &&
        json_get_string(&src, error, "where", &where) == 0 && json_get_string(&src, error, "hint", &hint) == 0 &&
        json_get_string(&src, error, "kind", &kind) == 0) {
        cJSON_ArrayForEach(part, json_member(error, "traceback")) {
            if (json_get_string(&src, part, NULL, &text) == 0) {
                log_msg(LOG_ERROR, "%s", text);
            }
        }
        error_set_kind(err, strcmp(kind, "usage") == 0 ? ERROR_USAGE : ERROR_INFRA, where, hint, "%s", what);
    }
    cJSON_Delete(root);
    return -1;
}
