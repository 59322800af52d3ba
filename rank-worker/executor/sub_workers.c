#include "rank-worker/executor/sub_workers.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/install.h"
#include "common/base/json.h"
#include "common/base/json_write.h"
#include "common/base/python.h"
#include "common/plan/plan_names.h"
#include "common/plan/plan_view.h"
#include "common/segment/executor_end.h"
#include "rank-worker/executor/python_child.h"

/* EXIT_LEFT_BEHIND is that of sub_worker.py. */
enum { DEATH_GRACE_MS = 1000, EXIT_LEFT_BEHIND = 71 };

static const char HINT_ANSWER[] = "see whether a sub-worker writes to descriptors that it did not open";
static const char HINT_PYTHON[] = "name a Python that has what the sub-workers import in L3REPLAY_SUBWORKER_PYTHON";

struct sub_workers_process {
    const struct segment *seg;
    struct python_child child;
};

/* An answer that is not {"ok":true}; the strings point into `json`. */
struct refusal {
    cJSON *json;
    const char *error, *where, *name, *missing; /* NULL: not there */
};

/* Returns 1 for ok, 0 for a refusal (json to be deleted), -1 for something else: a sub-worker can write to the pipe too. */
static int read_answer(const struct python_child *c, struct refusal *r, struct error *err)
{
    struct json_source src = {.file = "sub-workers", .hint = HINT_ANSWER, .err = err};
    cJSON *json = json_parse(&src, c->answer, strlen(c->answer));
    bool ok = false;

    *r = (struct refusal){.json = json,
                          .error = json_text_of(json, "error"),
                          .where = json_text_of(json, "where"),
                          .name = json_text_of(json, "name"),
                          .missing = json_text_of(json, "missing")};
    if (r->error && r->where) {
        return 0;
    }
    r->json = NULL;
    if (json && json_get_bool(&src, json, "ok", &ok) == 0 && ok) {
        cJSON_Delete(json);
        return 1;
    }
    cJSON_Delete(json);
    return error_set(err, "sub-workers", src.hint, "Python answered '%.60s'", c->answer);
}

/* --- starting ----------------------------------------------------------- */

static int refused_to_load(const struct refusal *r, const char *python, struct error *err)
{
    const char *name = r->name ? r->name : "?";
    char hint[256];

    if (!r->missing) {
        return error_set(err, r->where, "correct the file", "the sub-worker %s cannot be loaded: %s", name, r->error);
    }
    snprintf(hint, sizeof hint, "install %.60s for it, or %s", *r->missing ? r->missing : "what is missing",
             HINT_PYTHON);
    return error_set(err, r->where, hint, "the sub-worker %s cannot be loaded by %s: %s", name, python, r->error);
}

/* Returns 0; 1 when another interpreter may do better; -1. Errors are filled in both cases. */
static int load_with(struct sub_workers_process *p, const char *python, const char *script, const char *list,
                     struct error *err)
{
    struct refusal r = {0};
    double limit;
    char end[128];
    int rc;

    if (python_limit(&limit, err) < 0) {
        return -1;
    }
    if (python_child_start(&p->child, python, script, p->seg->parts[SEGMENT_DATA].fd, err) < 0) {
        if (!err->hint[0]) { /* it could not be executed */
            snprintf(err->hint, sizeof err->hint, "%s", HINT_PYTHON);
        }
        return 1;
    }
    rc = python_child_ask(&p->child, list, limit, err);
    if (rc == 0) {
        process_describe_end(python_child_end(&p->child, DEATH_GRACE_MS), end, sizeof end);
        return error_set(err, NULL, "look at the messages above", "%s, loading the sub-workers, %s", python, end);
    }
    if (rc > 0) {
        rc = read_answer(&p->child, &r, err);
    }
    if (rc > 0) {
        return 0;
    }
    python_child_end(&p->child, 0);
    if (rc < 0) {
        return -1;
    }
    refused_to_load(&r, python, err);
    rc = r.missing ? 1 : -1;
    cJSON_Delete(r.json);
    return rc;
}

static int load(struct sub_workers_process *p, const char *list, struct error *err)
{
    char pythons[PYTHON_USER_MAX][PATH_MAX];
    unsigned count = python_for_user(pythons);
    char dir[PATH_MAX], *script;
    struct error first;
    int rc = 1;

    if (install_find(INSTALL_RECORDER, dir, sizeof dir, err) < 0) {
        return -1;
    }
    script = file_join(dir, "sub_worker.py", err);
    if (!script) {
        return -1;
    }
    for (unsigned i = 0; i < count && rc == 1; i++) {
        rc = load_with(p, pythons[i], script, list, err);
        if (rc == 1 && i == 0) {
            first = *err;
        } else if (rc == 1) {
            *err = first; /* both lack something: the first one is the one to be corrected */
        }
    }
    free(script);
    return rc == 0 ? 0 : -1;
}

/* The line with those that the lane calls, to be freed with free(). */
static char *list_of_lane(const struct plan *plan, uint32_t lane, const struct sheet *sheet, struct error *err)
{
    bool *wanted = calloc(plan->nsub + 1u, sizeof *wanted);
    char *list;

    if (!wanted) {
        error_nomem(err, "sub-workers", plan->nsub + 1u);
        return NULL;
    }
    for (uint32_t i = 0; i < plan->nnode; i++) {
        if (plan->nodes[i].lane == lane) {
            wanted[plan->nodes[i].program] = true;
        }
    }
    list = sheet_sub_workers(sheet, wanted, plan->nsub, err);
    free(wanted);
    return list;
}

int sub_workers_start(struct sub_workers_process **out, const struct segment *seg, uint32_t lane,
                      const struct sheet *sheet, struct error *err)
{
    struct sub_workers_process *p = calloc(1, sizeof *p);
    char *list;
    int rc;

    *out = p;
    if (!p) {
        return error_nomem(err, "sub-workers", sizeof *p);
    }
    p->seg = seg;
    list = list_of_lane(&seg->plan, lane, sheet, err);
    rc = list ? load(p, list, err) : -1;
    free(list);
    if (rc == 0) {
        return 0;
    }
    sub_workers_stop(p);
    *out = NULL;
    return -1;
}

bool sub_workers_stop(struct sub_workers_process *p)
{
    bool running;
    int status;

    if (!p) {
        return false;
    }
    running = p->child.process != NULL;
    status = python_child_end(&p->child, EXECUTOR_END_LIMIT_MS);
    free(p);
    return running && ((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ||
                       (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_LEFT_BEHIND));
}

/* --- calling ------------------------------------------------------------ */

static void put_sizes(struct json_writer *w, cJSON *object, const char *key, const int64_t *sizes, uint32_t count)
{
    cJSON *list = json_put_list(w, object, key);

    for (uint32_t i = 0; i < count; i++) {
        json_append_u64(w, list, (uint64_t)sizes[i]);
    }
}

static void put_tensor(struct json_writer *w, cJSON *list, const struct segment *seg, const struct plan_tensor *v,
                       uint32_t tag)
{
    cJSON *object = json_append_object(w, list);

    json_put_u64(w, object, "offset", seg->storages[v->storage] + v->offset);
    json_put_u64(w, object, "nbytes", seg->plan.storages[v->storage].nbytes - v->offset);
    json_put_string(w, object, "dtype", dtype_runtime_name(v->dtype));
    put_sizes(w, object, "shape", v->shape, v->ndim);
    put_sizes(w, object, "strides", v->stride, v->ndim);
    json_put_string(w, object, "tag", plan_tag_names[tag < PLAN_TAG_COUNT ? tag : PLAN_TAG_NO_DEP]);
}

/* The request as text, to be freed with free(). */
static char *make_request(const struct segment *seg, const struct plan_node *n, struct error *err)
{
    const struct plan *plan = &seg->plan;
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *args, *scalars;

    json_put_string(&w, root, "call", plan_text(plan, plan->subs[n->program]));
    args = json_put_list(&w, root, "args");
    for (uint32_t i = 0; i < n->narg; i++) {
        const struct plan_arg *arg = &plan->args[n->first_arg + i];
        struct plan_tensor view;

        if (plan_view_resolve(plan, arg->view, &view, err) < 0) {
            cJSON_Delete(root);
            return NULL;
        }
        put_tensor(&w, args, seg, &view, arg->tag);
    }
    scalars = json_put_list(&w, root, "scalars");
    for (uint32_t i = 0; i < n->nscalar; i++) {
        json_append_u64(&w, scalars, plan->scalars[n->first_scalar + i].bits);
    }
    return json_finish_line(&w, root, "sub-workers", err);
}

/* "; it waited for dispatch 2 (...), ..." in `buf`: what it looked at when it failed. */
static const char *waited_for(const struct plan *plan, const struct plan_node *n, char *buf, size_t size)
{
    enum { NAMED = 3 };
    char label[256];

    snprintf(buf, size, n->npred ? "; it waited for " : "; it waited for nothing");
    for (uint32_t i = 0; i < n->npred && i < NAMED; i++) {
        size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
                 plan_node_label(plan, plan->preds[n->first_pred + i].node, label, sizeof label));
    }
    if (n->npred > NAMED) {
        size_t used = strlen(buf);
        snprintf(buf + used, size - used, " and %u more", n->npred - NAMED);
    }
    return buf;
}

/* A sub-worker that ended Python is wrong, unless somebody else did: the out-of-memory killer, a person. */
static int blame_end(struct sub_workers_process *p, const char *name, const char *label, struct error *err)
{
    int status = python_child_end(&p->child, DEATH_GRACE_MS);
    int sig = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    char end[128];

    process_describe_end(status, end, sizeof end);
    if (sig == SIGKILL || sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT) {
        return error_set(err, label,
                         "look for the out-of-memory killer (dmesg), or for the process that sent the signal",
                         "the Python of the sub-workers %s", end);
    }
    return error_set_kind(err, ERROR_FAIL, label, "look at the last lines it printed", "the sub-worker %s %s", name,
                          end);
}

int sub_workers_call(struct sub_workers_process *p, uint32_t node, struct error *err)
{
    const struct plan *plan = &p->seg->plan;
    const struct plan_node *n = &plan->nodes[node];
    const char *name = plan_text(plan, plan->subs[n->program]);
    char label[256], where[512], hint[400], waited[320], *request = make_request(p->seg, n, err);
    struct refusal r = {0};
    int rc;

    if (!request) {
        return -1;
    }
    rc = python_child_ask(&p->child, request, 0, err);
    free(request);
    plan_node_label(plan, node, label, sizeof label);
    if (rc == 0) {
        return blame_end(p, name, label, err);
    }
    if (rc > 0) {
        rc = read_answer(&p->child, &r, err);
        if (rc < 0) {
            error_set_kind(err, ERROR_FAIL, label, HINT_ANSWER,
                           "the sub-worker %s wrote to the pipe on which its Python answers: '%.60s'", name,
                           p->child.answer);
        }
    }
    if (rc) {
        return rc > 0 ? 0 : -1;
    }
    snprintf(where, sizeof where, "%s, %s", label, r.where);
    snprintf(hint, sizeof hint, "the traceback is above%s", waited_for(plan, n, waited, sizeof waited));
    error_set_kind(err, ERROR_FAIL, where, hint, "the sub-worker %s %s %s", name,
                   strncmp(r.error, "sys.exit(", 9) == 0 ? "called" : "raised", r.error);
    cJSON_Delete(r.json);
    python_child_end(&p->child, 0); /* the run is over: what it still does concerns nobody */
    return -1;
}
