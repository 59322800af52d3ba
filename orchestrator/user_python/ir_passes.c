#include "orchestrator/user_python/ir_passes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/install.h"
#include "orchestrator/user_python/golden.h"
#include "orchestrator/user_python/session.h"
#include "orchestrator/user_python/torch_type.h"

static const char LABEL[] = "validate-ir";
static const char HINT_COMPILER[] =
    "install the compiler, pypto, in the version that made the build, and name its Python with --python";

/* --- which files ---------------------------------------------------------------- */

static bool is_python(const char *name)
{
    const size_t n = strlen(name);

    return n > 3 && name[0] != '.' && strcmp(name + n - 3, ".py") == 0;
}

int ir_passes_list(const struct build *build, struct args *files, struct error *err)
{
    char *dir = file_join(build->dir, "passes_dump", err);
    struct args names = {0};
    int rc = -1;

    if (!dir) {
        return -1;
    }
    if (directory_list(dir, is_python, &names) < 0 && errno != ENOENT) {
        error_errno(err, dir, NULL, "cannot list it");
    } else if (!names.n) {
        error_set(err, dir, "compile the program again with dumps of the passes",
                  "the build has no programs of the compiler's passes");
    } else {
        for (size_t i = 0; i < names.n; i++) {
            args_take(files, file_join(dir, names.v[i], NULL));
        }
        rc = args_done(files, err);
    }
    args_free(&names);
    free(dir);
    return rc;
}

/* --- requests -------------------------------------------------------------------- */

/* The helper's own file, which is loaded as a file of the user's. */
static char *script_path(struct error *err)
{
    char dir[PATH_MAX];

    return install_find(INSTALL_RECORDER, dir, sizeof dir, err) < 0 ? NULL : file_join(dir, "ir_passes.py", err);
}

static cJSON *new_request(struct json_writer *w, const char *script, const char *function)
{
    cJSON *root = json_new_object(w);

    json_put_string(w, root, "op", "ask");
    json_put_string(w, root, "file", script);
    json_put_string(w, root, "function", function);
    return root;
}

static void put_param(struct json_writer *w, cJSON *list, const struct build_param *p)
{
    cJSON *item = json_append_object(w, list), *shape;

    json_put_string(w, item, "name", p->name);
    json_put_string(w, item, "dtype", p->dtype < DTYPE_COUNT ? torch_type_name(p->dtype) : p->dtype_text);
    json_put_bool(w, item, "input", p->scalar || p->direction != PLAN_OUT);
    json_put_bool(w, item, "output", !p->scalar && p->direction != PLAN_IN);
    shape = json_put_list(w, item, "shape");
    for (uint32_t d = 0; d < p->ndim; d++) {
        json_append_number(w, shape, (double)p->shape[d]);
    }
}

static char *values_request(const struct build *build, const char *script, struct error *err)
{
    char *golden = file_join(build->dir, "golden.py", err);
    struct json_writer w = {0};
    cJSON *root, *list;

    if (!golden) {
        return NULL;
    }
    root = new_request(&w, script, "values");
    json_put_string(&w, root, "build", build->dir);
    if (file_is_regular(golden)) {
        json_put_string(&w, root, "golden", golden);
    } else {
        json_put_null(&w, root, "golden");
    }
    list = json_put_list(&w, root, "params");
    for (uint32_t i = 0; i < build->nparam; i++) {
        put_param(&w, list, &build->params[i]);
    }
    free(golden);
    return json_finish_line(&w, root, LABEL, err);
}

static void put_tolerance(struct json_writer *w, cJSON *root, const char *key, double value)
{
    if (value < 0) {
        json_put_null(w, root, key);
    } else {
        json_put_number(w, root, key, value);
    }
}

static char *check_request(const char *script, const char *pass, const struct ir_options *o, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = new_request(&w, script, "check");

    json_put_string(&w, root, "pass", pass);
    put_tolerance(&w, root, "rtol", o->rtol);
    put_tolerance(&w, root, "atol", o->atol);
    return json_finish_line(&w, root, LABEL, err);
}

/* --- checking --------------------------------------------------------------------- */

struct checking {
    struct user_session *python;
    char *script;
    struct ir_options options;
    ir_found *found;
    void *context;
};

/* Start Python with the compiler in it, and let it have the tensors. */
static int begin(struct checking *c, const struct build *build, struct error *err)
{
    struct json_source src;
    char *request;
    cJSON *answer;

    if (!(c->script = script_path(err)) || user_session_open(&c->python, c->options.limit_s, err) < 0) {
        return -1;
    }
    answer = user_session_load(c->python, c->script, LABEL, 0, &src, err);
    if (!answer) {
        /* The file is ours: what it can lack is the compiler, or what that imports. */
        snprintf(err->hint, sizeof err->hint, "%s", HINT_COMPILER);
        return -1;
    }
    cJSON_Delete(answer);
    request = values_request(build, c->script, err);
    answer = request ? user_session_ask(c->python, request, LABEL, "reading inputs and references", &src, err) : NULL;
    cJSON_Delete(answer);
    if (!answer) {
        snprintf(err->where, sizeof err->where, "%s", build->dir);
        snprintf(err->hint, sizeof err->hint, "%s", "l3replay run BUILD --save-data writes data/in and data/out");
    }
    return answer ? 0 : -1;
}

static int check_one(const struct checking *c, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/'), *text;
    char *request = check_request(c->script, path, &c->options, err);
    bool matches = false, checked = false;
    struct json_source src;
    char name[NAME_MAX + 1];
    cJSON *answer;
    int rc = -1;

    snprintf(name, sizeof name, "%.*s", (int)strlen(slash + 1) - 3, slash + 1);
    answer = request ? user_session_ask(c->python, request, LABEL, name, &src, err) : NULL;
    if (answer && json_get_bool(&src, answer, "matches", &matches) == 0 &&
        json_get_bool(&src, answer, "checked", &checked) == 0 && json_get_string(&src, answer, "text", &text) == 0) {
        c->found(c->context, name, !checked ? IR_NOT_CHECKED : matches ? IR_MATCHES : IR_DIFFERS, text);
        rc = 0;
    }
    cJSON_Delete(answer);
    return rc;
}

int ir_passes_check(const struct build *build, const struct args *files, const struct ir_options *options,
                    ir_found *found, void *context, struct error *err)
{
    struct checking c = {.options = *options, .found = found, .context = context};
    double rtol = -1, atol = -1;
    int rc;

    golden_tolerance(NULL, build, &rtol, &atol);
    c.options.rtol = options->rtol < 0 ? rtol : options->rtol;
    c.options.atol = options->atol < 0 ? atol : options->atol;
    rc = begin(&c, build, err);
    for (size_t i = 0; rc == 0 && i < files->n; i++) {
        rc = check_one(&c, files->v[i], err);
    }
    user_session_close(c.python);
    free(c.script);
    return rc;
}
