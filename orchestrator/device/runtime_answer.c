#include "orchestrator/device/runtime_answer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/json.h"
#include "common/base/json_write.h"
#include "common/base/log.h"
#include "orchestrator/record/helper.h"
#include "orchestrator/record/helper_error.h"
#include "rank-worker/compile/store.h"
#include "rank-worker/compile/store_entry.h"

enum { LIMIT_S = 120 };

/* Changes with what the answer holds. */
static const char version[] = "simpler runtime 1";

/* --- asking --------------------------------------------------------------- */

/* `context`: where the answer goes. */
static int take_line(void *context, char *line, size_t length, struct error *err)
{
    struct json_source src = {.file = HELPER_OUTPUT, .hint = HELPER_REPORT, .err = err};
    char **answer = context;
    cJSON *root;
    int rc = 0;

    if (strncmp(line, "{\"error\"", 8) == 0) {
        return helper_error(line, length, err);
    }
    if (strncmp(line, "{\"done\"", 7) == 0) {
        return *answer ? 1 : error_set(err, HELPER_OUTPUT, HELPER_REPORT, "the runtime's package gave no answer");
    }
    root = json_parse(&src, line, length);
    if (!root) {
        return -1;
    }
    if (json_member(root, "runtime")) {
        free(*answer);
        *answer = json_line(json_member(root, "runtime"), "the runtime's answer", err);
        rc = *answer ? 0 : -1;
    }
    cJSON_Delete(root);
    return rc;
}

static char *ask(const struct runtime_question *q, const char *python, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w);
    struct helper_limits limits = {.limit = LIMIT_S};
    char *request, *answer = NULL;
    bool printed;

    if (helper_timeout(&limits.timeout, err) < 0) {
        cJSON_Delete(root);
        return NULL;
    }
    json_put_string(&w, root, "op", "runtime");
    json_put_string(&w, root, "dir", "");
    json_put_number(&w, root, "timeout", limits.timeout);
    json_put_number(&w, root, "limit", LIMIT_S);
    json_put_string(&w, root, "root", q->root);
    json_put_string(&w, root, "platform", q->platform);
    json_put_string(&w, root, "runtime", q->runtime);
    json_put_string(&w, root, "pto_isa", q->pto_isa);
    request = json_finish_line(&w, root, "the question to the runtime's package", err);
    if (request && helper_run(python, request, &limits, take_line, &answer, &printed, err) < 0) {
        free(answer);
        answer = NULL;
    }
    free(request);
    return answer;
}

/* --- keeping -------------------------------------------------------------- */

static void hash_variable(struct hasher *h, const char *name)
{
    const char *value = getenv(name);

    hasher_text(h, value ? value : "");
}

/* NULL without memory. */
static char *kept_path(const struct store *store, const struct runtime_question *q, const char *python)
{
    static const char *const variables[] = {"PATH", "PYTHONPATH", "ASCEND_HOME_PATH", "CC", "CXX"};
    struct hasher *h = hasher_new();

    if (!h) {
        return NULL;
    }
    hasher_text(h, version);
    hasher_text(h, q->root);
    hasher_text(h, q->platform);
    hasher_text(h, q->runtime);
    hasher_text(h, q->pto_isa);
    hasher_text(h, python);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        hash_variable(h, variables[i]);
    }
    return store_path(store, "tools", hasher_end(h), "");
}

/* Whether a file is as it was when the answer was given: [path, size, time in ns], the numbers as text. */
static bool is_unchanged(const cJSON *file)
{
    const cJSON *path = file->child, *size = path ? path->next : NULL, *time = size ? size->next : NULL;
    struct stat st;

    if (!time || !path->valuestring || !size->valuestring || !time->valuestring || stat(path->valuestring, &st) < 0) {
        return false;
    }
    return strtoll(size->valuestring, NULL, 10) == (long long)st.st_size &&
           strtoll(time->valuestring, NULL, 10) ==
               (long long)st.st_mtim.tv_sec * 1000000000LL + (long long)st.st_mtim.tv_nsec;
}

static bool is_current(const char *text)
{
    struct json_source src = {.file = "the runtime's answer"};
    cJSON *root = json_parse(&src, text, strlen(text));
    const cJSON *list = json_member(root, "watched"), *file;
    bool same = list && list->child;

    cJSON_ArrayForEach(file, list) {
        same = same && is_unchanged(file);
    }
    cJSON_Delete(root);
    return same;
}

char *runtime_answer(const struct runtime_question *q, struct error *err)
{
    struct store store;
    char *path, *text, *python = helper_python(err);

    if (!python || store_open(&store, err) < 0) {
        free(python);
        return NULL;
    }
    path = kept_path(&store, q, python);
    text = path ? store_kept_text(path) : NULL;
    if (text && !is_current(text)) {
        free(text);
        text = NULL;
    }
    if (!text) {
        text = ask(q, python, err);
        if (text && path && *q->platform && store_keep_text(&store, path, text, strlen(text), err) < 0) {
            log_msg(LOG_DEBUG, "the runtime's answer is not kept: %s", err->what);
        }
    }
    free(path);
    free(python);
    store_close(&store);
    return text;
}
