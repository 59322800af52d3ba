#include "orchestrator/user_python/golden_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "orchestrator/user_python/torch_type.h"

/* --- executing the file ------------------------------------------------------- */

static int take_tolerance(const struct json_source *src, const cJSON *answer, const char *key, double *value)
{
    *value = -1;
    if (!json_has(answer, key)) {
        return 0;
    }
    if (json_get_number(src, answer, key, value) < 0) {
        return -1;
    }
    return *value >= 0 && *value <= 1e300 ? 0 : json_fail(src, answer, key, "is no tolerance");
}

/* What the file says of outputs and tolerances, of an answer or of an entry of the store. */
static int take_facts(struct golden *g, const struct json_source *src, const cJSON *object)
{
    const cJSON *list, *item;

    if (take_tolerance(src, object, "rtol", &g->rtol) < 0 || take_tolerance(src, object, "atol", &g->atol) < 0) {
        return -1;
    }
    args_free(&g->outputs);
    g->has_outputs = json_has(object, "outputs");
    if (!g->has_outputs) {
        return 0;
    }
    if (json_get_list(src, object, "outputs", &list, NULL) < 0) {
        return -1;
    }
    cJSON_ArrayForEach(item, list) {
        const char *name;

        if (json_get_string(src, item, NULL, &name) < 0) {
            return -1;
        }
        if (!build_find_param(g->build, name, NULL)) {
            return error_set(src->err, g->path, "name outputs of the program there",
                             "__outputs__ of golden.py has \"%.60s\", which is no parameter", name);
        }
        args_add(&g->outputs, "%s", name);
    }
    return args_done(&g->outputs, src->err);
}

int golden_load(struct golden *g, struct error *err)
{
    struct json_source src;
    cJSON *answer;
    int rc;

    if (g->loaded) {
        return 0;
    }
    if (!g->python && user_session_open(&g->python, g->options.limit_s, err) < 0) {
        return -1;
    }
    answer = user_session_load(g->python, g->path, g->label, g->options.seed, &src, err);
    if (!answer) {
        return -1;
    }
    rc = take_facts(g, &src, answer);
    g->loaded = rc == 0;
    cJSON_Delete(answer);
    return rc;
}

int golden_take_files(struct golden *g, const struct json_source *src, const cJSON *answer)
{
    const cJSON *list, *item;

    if (json_get_list(src, answer, "files", &list, NULL) < 0) {
        return -1;
    }
    cJSON_ArrayForEach(item, list) {
        const char *path;

        if (json_get_string(src, item, NULL, &path) < 0) {
            return -1;
        }
        args_add(&g->files, "%s", path);
    }
    args_sort_unique(&g->files);
    return args_done(&g->files, src->err);
}

/* --- what it lists -------------------------------------------------------------- */

static int check_tensor(const struct golden *g, const struct json_source *src, const cJSON *value, const char *name,
                        const struct build_param *p)
{
    const char *dtype;
    const cJSON *shape;
    size_t ndim;

    if (json_get_string(src, value, "dtype", &dtype) < 0 || json_get_list(src, value, "shape", &shape, &ndim) < 0) {
        return -1;
    }
    if (p->scalar || ndim != p->ndim) {
        return error_set(src->err, g->path, "give what the program takes",
                         "%s of %s gives %.60s as a tensor of %zu dimensions, and the parameter %s %u", g->function,
                         g->label, name, ndim, p->scalar ? "is a scalar, of" : "has", p->scalar ? 0 : p->ndim);
    }
    if (!torch_type_is(p->dtype, dtype)) {
        return error_set(src->err, g->path, "convert it there with .to()",
                         "%s of %s gives %.60s as torch.%.30s, and the parameter is %s", g->function, g->label, name,
                         dtype, p->dtype_text);
    }
    return 0;
}

static int take_value(struct golden *g, const struct json_source *src, const cJSON *value)
{
    const struct build_param *p;
    const char *name;
    bool scalar = false;
    uint32_t at;

    if (json_get_string(src, value, "name", &name) < 0) {
        return -1;
    }
    p = build_find_param(g->build, name, src->err);
    if (!p) {
        if (src->err) {
            src->err->kind = ERROR_INFRA;
            error_within(src->err, g->path);
        }
        return -1;
    }
    at = (uint32_t)(p - g->build->params);
    if (json_has(value, "scalar")) {
        if (json_get_bool(src, value, "scalar", &scalar) < 0) {
            return -1;
        }
        if (scalar && !p->scalar && p->ndim) {
            return error_set(src->err, g->path, "give a tensor", "%s of %s gives %.60s as a number, and it is a tensor",
                             g->function, g->label, name);
        }
    } else if (check_tensor(g, src, value, name, p) < 0) {
        return -1;
    }
    if (json_has(value, "scalar") && !scalar) {
        return 0; /* None, as debug/run.py has it for scalars */
    }
    free(g->names[at]);
    g->names[at] = strdup(name);
    return g->names[at] ? 0 : error_nomem(src->err, name, strlen(name) + 1);
}

const char *golden_name(const struct golden *g, const char *param, char *buf, size_t size)
{
    for (uint32_t i = 0; i < g->build->nparam; i++) {
        if (g->names[i] && strcmp(g->build->params[i].name, param) == 0) {
            snprintf(buf, size, "%s", g->names[i]);
            return buf;
        }
    }
    snprintf(buf, size, "%.*s", (int)build_plain_length(param), param);
    return buf;
}

/* debug/run.py lists values without names: those of the parameters, in order. */
static char *inputs_request(const struct golden *g, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *names;

    json_put_string(&w, root, "op", "inputs");
    json_put_string(&w, root, "file", g->path);
    json_put_string(&w, root, "function", g->function);
    names = json_put_list(&w, root, "names");
    for (uint32_t i = 0; i < g->build->nparam; i++) {
        json_append_text(&w, names, g->build->params[i].name);
    }
    return json_finish_line(&w, root, g->label, err);
}

int golden_generate(struct golden *g, struct error *err)
{
    struct json_source src;
    const cJSON *list, *value;
    char doing[80];
    cJSON *answer;
    int rc;

    if (g->generated || !g->function) {
        return 0;
    }
    snprintf(doing, sizeof doing, "%s of %s", g->function, g->label);
    answer = user_session_ask(g->python, inputs_request(g, err), g->label, doing, &src, err);
    rc = answer ? json_get_list(&src, answer, "values", &list, NULL) : -1;
    for (value = rc == 0 ? list->child : NULL; value && rc == 0; value = value->next) {
        rc = take_value(g, &src, value);
    }
    g->generated = rc == 0;
    cJSON_Delete(answer);
    return rc;
}

/* --- saving ---------------------------------------------------------------------- */

static void put_value(struct json_writer *w, cJSON *list, const struct golden *g, uint32_t param, const char *path)
{
    const struct build_param *p = &g->build->params[param];
    cJSON *item = json_append_object(w, list);

    json_put_string(w, item, "name", g->names[param]);
    json_put_string(w, item, "path", path);
    json_put_string(w, item, "dtype", torch_type_name(p->dtype));
    json_put_bool(w, item, "scalar", p->scalar);
}

static char *save_request(struct golden *g, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *list;

    json_put_string(&w, root, "op", "save");
    list = json_put_list(&w, root, "values");
    for (uint32_t i = 0; i < g->build->nparam; i++) {
        const char *param = g->build->params[i].name;

        if (!g->needed[i] || (!g->names[i] && g->build->params[i].direction == PLAN_OUT)) {
            continue;
        }
        if (!g->names[i]) {
            cJSON_Delete(root);
            error_set(err, g->path, "list it there, or give it with --input or --scalar",
                      "%s of %s gives no value for parameter %s", g->function, g->label, param);
            return NULL;
        }
        if (golden_set_add(&g->inputs, param, err) < 0) {
            cJSON_Delete(root);
            return NULL;
        }
        put_value(&w, list, g, i, g->inputs.files[g->inputs.count - 1].file);
    }
    return json_finish_line(&w, root, g->label, err);
}

static int save(struct golden *g, struct error *err)
{
    char *request = save_request(g, err), doing[80];
    struct json_source src;
    cJSON *answer;
    int rc;

    if (!request) {
        return -1;
    }
    snprintf(doing, sizeof doing, "saving the values of %s", g->label);
    answer = user_session_ask(g->python, request, g->label, doing, &src, err);
    rc = answer ? golden_take_files(g, &src, answer) : -1;
    cJSON_Delete(answer);
    return rc;
}

/* --- the store --------------------------------------------------------------------- */

static struct key inputs_key(const struct golden *g, struct hasher *h)
{
    hasher_text(h, "inputs");
    hasher_key(h, g->content);
    hasher_bytes(h, &g->options.seed, sizeof g->options.seed);
    hasher_bytes(h, g->needed, g->build->nparam * sizeof *g->needed);
    return hasher_end(h);
}

/* What an entry says beside its arrays: outputs, tolerances, and which parameter each array is of. */
static char *about(const struct golden *g, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *list, *item;

    if (g->rtol >= 0) {
        json_put_number(&w, root, "rtol", g->rtol);
    }
    if (g->atol >= 0) {
        json_put_number(&w, root, "atol", g->atol);
    }
    if (g->has_outputs) {
        list = json_put_list(&w, root, "outputs");
        for (size_t i = 0; i < g->outputs.n; i++) {
            json_append_text(&w, list, g->outputs.v[i]);
        }
    }
    list = json_put_list(&w, root, "params");
    for (size_t i = 0; i < g->inputs.count; i++) {
        item = json_append_object(&w, list);
        json_put_string(&w, item, "param", g->inputs.files[i].name);
    }
    return json_finish_line(&w, root, g->label, err);
}

/* 1: taken; 0: the entry says something else than it should; -1. */
static int take_entry(struct golden *g, const struct golden_entry *e, struct error *err)
{
    struct json_source src = {.file = "the object store"};
    const char **params = calloc(e->arrays.n + 1, sizeof *params);
    const cJSON *list, *item;
    size_t n = 0, count;
    int rc = 0;

    if (!params) {
        return error_nomem(err, g->label, e->arrays.n * sizeof *params);
    }
    if (take_facts(g, &src, e->about) == 0 && json_get_list(&src, e->about, "params", &list, &count) == 0 &&
        count == e->arrays.n) {
        cJSON_ArrayForEach(item, list) {
            const char *name = json_text_of(item, "param");
            const struct build_param *p = name ? build_find_param(g->build, name, NULL) : NULL;

            if (p) {
                params[n++] = p->name;
            }
        }
        rc = n == count;
    }
    if (rc == 1 && golden_set_take(&g->inputs, e, params, err) < 0) {
        rc = -1;
    }
    args_add_all(&g->files, (const char *const *)e->files.v, e->files.n);
    args_sort_unique(&g->files);
    free(params);
    return rc;
}

static int find_entry(struct golden *g, struct key key, size_t count, struct error *err)
{
    struct golden_entry e;
    int rc = 0;

    if (!g->options.fresh && golden_cache_find(&g->cache, key, count, &e)) {
        rc = take_entry(g, &e, err);
        golden_entry_free(&e);
    }
    return rc;
}

int golden_make_inputs(struct golden *g, size_t count, struct error *err)
{
    const int64_t begun = clock_now_ms();
    struct hasher *h = hasher_new();
    struct key key;
    char *text;
    int rc;

    if (!h) {
        return error_nomem(err, g->label, 512);
    }
    key = inputs_key(g, h);
    if (golden_set_make(&g->inputs, count, err) < 0 ||
        (!g->cache.store.root && golden_cache_open(&g->cache, err) < 0)) {
        return -1;
    }
    rc = find_entry(g, key, count, err);
    if (rc) {
        if (rc == 1 && count) {
            log_msg(LOG_TIMING, "%s: inputs as kept from an earlier run", g->label);
        }
        return rc < 0 ? -1 : 0;
    }
    if (golden_load(g, err) < 0 || (count && (golden_generate(g, err) < 0 || save(g, err) < 0))) {
        return -1;
    }
    if (count) {
        log_msg(LOG_TIMING, "%s: inputs in %lld ms", g->label, (long long)(clock_now_ms() - begun));
    }
    text = about(g, err);
    if (text && g->inputs.count == count) {
        golden_cache_keep(&g->cache, key, text, &g->files, g->inputs.fds, count);
    }
    free(text);
    return text ? 0 : -1;
}
