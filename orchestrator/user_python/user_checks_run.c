#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/log.h"
#include "orchestrator/user_python/segment_json.h"
#include "orchestrator/user_python/session.h"
#include "orchestrator/user_python/shared_file.h"
#include "orchestrator/user_python/user_checks.h"

enum { ALIGN = 64 };

struct running {
    const struct user_checks *checks;
    const struct segment *seg;
    const struct verify *verify;
    struct tolerance tol;
    const struct golden_scalar *scalars;
    size_t nscalar;
    struct user_session *python;
    char *data;        /* path of the segment's bytes */
    int expected_fd;   /* references, one after the other; -1: not made */
    char *expected;    /* its path */
    uint64_t *offsets; /* by storage: of its reference */
};

static bool is_output(const struct plan_storage *s)
{
    return s->kind == PLAN_PARAM && s->direction != PLAN_IN;
}

static const char *plain_name(const struct plan *plan, uint32_t storage, char *buf, size_t size)
{
    const char *name = plan_text(plan, plan->storages[storage].name);

    snprintf(buf, size, "%.*s", (int)build_plain_length(name), name);
    return buf;
}

/* --- references in shared memory ---------------------------------------------- */

static uint64_t place_expected(struct running *r)
{
    uint64_t at = 0, nbytes;
    enum dtype type;

    for (uint32_t i = 0; i < r->seg->plan.nstorage; i++) {
        if (verify_expected_type(r->verify, &r->seg->plan, i, &type, &nbytes)) {
            r->offsets[i] = at;
            at += (nbytes + ALIGN - 1) / ALIGN * ALIGN;
        }
    }
    return at;
}

static int fill_expected(struct running *r, char *memory, struct error *err)
{
    uint64_t nbytes;
    enum dtype type;

    for (uint32_t i = 0; i < r->seg->plan.nstorage; i++) {
        if (verify_expected_type(r->verify, &r->seg->plan, i, &type, &nbytes) &&
            verify_expected_read(r->verify, i, memory + r->offsets[i], err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int share_expected(struct running *r, struct error *err)
{
    uint64_t nbytes;
    char *memory;
    int rc;

    r->offsets = calloc(r->seg->plan.nstorage + 1u, sizeof *r->offsets);
    if (!r->offsets) {
        return error_nomem(err, "--compare", r->seg->plan.nstorage * sizeof *r->offsets);
    }
    nbytes = place_expected(r) + ALIGN;
    r->expected_fd = shared_file_make(err);
    r->expected = r->expected_fd < 0 ? NULL : shared_file_path(r->expected_fd, err);
    if (!r->expected) {
        return -1;
    }
    /* Not enough memory is an error here, and no signal later. */
    if (posix_fallocate(r->expected_fd, 0, (off_t)nbytes) != 0) {
        return error_nomem(err, "--compare", nbytes);
    }
    memory = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->expected_fd, 0);
    if (memory == MAP_FAILED) {
        return error_errno(err, "--compare", NULL, "cannot map %llu bytes", (unsigned long long)nbytes);
    }
    rc = fill_expected(r, memory, err);
    munmap(memory, nbytes);
    return rc;
}

/* --- requests -------------------------------------------------------------------- */

static void put_scalars(const struct running *r, struct json_writer *w, cJSON *root, bool plain)
{
    cJSON *list = json_put_list(w, root, "scalars");

    for (size_t i = 0; i < r->nscalar; i++) {
        const struct build_param *p = build_find_param(r->checks->build, r->scalars[i].param, NULL);
        char name[512];

        if (p) {
            snprintf(name, sizeof name, "%.*s", plain ? (int)build_plain_length(p->name) : (int)strlen(p->name),
                     p->name);
            segment_json_scalar(w, list, p, name, r->scalars[i].text);
        }
    }
}

static char *script_request(const struct running *r, struct error *err)
{
    const struct plan *plan = &r->seg->plan;
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *list;

    json_put_string(&w, root, "op", "call");
    json_put_string(&w, root, "file", r->checks->script);
    json_put_string(&w, root, "function", "_user_compare");
    list = json_put_list(&w, root, "tensors");
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        if (plan->storages[i].kind == PLAN_PARAM) {
            segment_json_storage(&w, list, r->seg, i, plan_text(plan, plan->storages[i].name), r->data);
        }
    }
    put_scalars(r, &w, root, false);
    list = json_put_list(&w, root, "order");
    for (uint32_t i = 0; i < r->checks->build->nparam; i++) {
        json_append_text(&w, list, r->checks->build->params[i].name);
    }
    return json_finish_line(&w, root, "debug/run.py", err);
}

static char *compare_request(const struct running *r, const struct user_check *c, struct error *err)
{
    const struct plan *plan = &r->seg->plan;
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *actual, *expected, *inputs;
    char name[512];

    json_put_string(&w, root, "op", "compare");
    json_put_string(&w, root, "file", c->file);
    json_put_string(&w, root, "function", c->function);
    json_put_string(&w, root, "name", plain_name(plan, c->storage, name, sizeof name));
    json_put_number(&w, root, "rtol", r->tol.rtol);
    json_put_number(&w, root, "atol", r->tol.atol);
    actual = json_put_list(&w, root, "actual");
    expected = json_put_list(&w, root, "expected");
    inputs = json_put_list(&w, root, "inputs");
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];
        uint64_t nbytes;
        enum dtype type;

        if (s->kind == PLAN_PARAM) {
            plain_name(plan, i, name, sizeof name);
            /* An In parameter that is compared is an output too, for this. */
            segment_json_storage(&w, is_output(s) || i == c->storage ? actual : inputs, r->seg, i, name, r->data);
            if (verify_expected_type(r->verify, plan, i, &type, &nbytes)) {
                segment_json_tensor(&w, expected, name, type, s->ndim, plan->dims + s->dims, r->expected,
                                    r->offsets[i]);
            }
        }
    }
    put_scalars(r, &w, root, true);
    return json_finish_line(&w, root, c->label, err);
}

/* --- running ----------------------------------------------------------------------- */

static void print_lines(const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");

        log_msg(LOG_ERROR, "  %.*s", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* 1 matches; 0 does not, and `fault` says why (FAIL); -1 with `err`. `request` is freed. */
static int judge(struct running *r, const char *file, const char *label, char *request, struct error *fault,
                 struct error *err)
{
    struct json_source src;
    bool matches = false, raised = false;
    const char *text = "";
    cJSON *answer = user_session_load(r->python, file, label, 0, &src, err);
    int rc = -1;

    if (!answer) {
        free(request);
        return -1;
    }
    cJSON_Delete(answer);
    answer = user_session_ask(r->python, request, label, label, &src, err);
    if (answer && json_get_bool(&src, answer, "matches", &matches) == 0 &&
        json_get_string(&src, answer, "text", &text) == 0) {
        rc = matches;
    }
    if (rc == 0 && json_has(answer, "raised") && json_get_bool(&src, answer, "raised", &raised) < 0) {
        rc = -1;
    }
    if (rc == 0 && raised) {
        error_set_kind(fault, ERROR_FAIL, label, "the traceback is above", "%s raised %s", label, text);
    } else if (rc == 0) {
        print_lines(text);
        error_set_kind(fault, ERROR_FAIL, label, NULL, "%s says that it does not match", label);
    }
    cJSON_Delete(answer);
    return rc;
}

static int run_script(struct running *r, user_check_found *found, void *context, struct error *err)
{
    const struct plan *plan = &r->seg->plan;
    struct error fault;
    char *request = script_request(r, err);
    int rc = request ? judge(r, r->checks->script, USER_CHECKS_SCRIPT, request, &fault, err) : -1;
    bool reported = false;

    for (uint32_t i = 0; rc >= 0 && i < plan->nstorage; i++) {
        if (is_output(&plan->storages[i])) {
            found(context, i, USER_CHECKS_SCRIPT, rc == 1, reported ? NULL : &fault);
            reported = true;
        }
    }
    return rc < 0 ? -1 : 0;
}

static int run_one(struct running *r, const struct user_check *c, user_check_found *found, void *context,
                   struct error *err)
{
    char *request = compare_request(r, c, err), name[512];
    struct error fault;
    int rc = request ? judge(r, c->file, c->label, request, &fault, err) : -1;

    if (rc == 0) {
        error_within(&fault, plain_name(&r->seg->plan, c->storage, name, sizeof name));
    }
    if (rc >= 0) {
        found(context, c->storage, c->label, rc == 1, &fault);
    }
    return rc < 0 ? -1 : 0;
}

int user_checks_run(const struct user_checks *c, const struct segment *seg, const struct verify *v,
                    struct tolerance tol, const struct golden_scalar *scalars, size_t nscalar, user_check_found *found,
                    void *context, struct error *err)
{
    struct running r = {
        .checks = c, .seg = seg, .verify = v, .tol = tol, .scalars = scalars, .nscalar = nscalar, .expected_fd = -1};
    int rc = -1;

    if (!c->count && !c->script) {
        return 0;
    }
    r.data = shared_file_path(seg->parts[SEGMENT_DATA].fd, err);
    if (r.data && (!c->count || share_expected(&r, err) == 0)) {
        rc = user_session_open(&r.python, c->limit_s, err);
    }
    for (size_t i = 0; rc == 0 && i < c->count; i++) {
        rc = run_one(&r, &c->items[i], found, context, err);
    }
    if (rc == 0 && c->script) {
        rc = run_script(&r, found, context, err);
    }
    user_session_close(r.python);
    if (r.expected_fd >= 0) {
        close(r.expected_fd);
    }
    free(r.expected);
    free(r.offsets);
    free(r.data);
    return rc;
}
