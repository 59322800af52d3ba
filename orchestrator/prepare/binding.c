#include "orchestrator/prepare/binding.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"

static bool plan_calls(const struct plan *plan, const char *name)
{
    for (uint32_t i = 0; i < plan->nsub; i++) {
        if (strcmp(plan_text(plan, plan->subs[i]), name) == 0) {
            return true;
        }
    }
    return false;
}

static void append_name(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);

    snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
}

static int unknown_name(const struct sub_workers *known, const struct plan *plan, const char *name, struct error *err)
{
    char list[400] = "";

    for (size_t i = 0; i < known->count; i++) {
        append_name(list, sizeof list, known->items[i].name);
    }
    for (uint32_t i = 0; i < plan->nsub; i++) {
        if (!sub_workers_find(known, plan_text(plan, plan->subs[i]))) {
            append_name(list, sizeof list, plan_text(plan, plan->subs[i]));
        }
    }
    return error_set_kind(err, ERROR_USAGE, "--sub-worker", "correct the name, or leave the option out",
                          "the build has no sub-worker %s; there %s: %s", name, *list ? "are" : "is none",
                          *list ? list : "host_orch.py calls none");
}

static int check_given(const struct sub_workers *known, const struct plan *plan, const struct named_file *given,
                       size_t ngiven, struct error *err)
{
    for (size_t i = 0; i < ngiven; i++) {
        if (!sub_workers_find(known, given[i].name) && !plan_calls(plan, given[i].name)) {
            return unknown_name(known, plan, given[i].name, err);
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(given[i].name, given[j].name) == 0) {
                return error_set_kind(err, ERROR_USAGE, "--sub-worker", "give one file for it",
                                      "the sub-worker %s is given two files", given[i].name);
            }
        }
    }
    return 0;
}

/* Where ":FUNCTION" begins in what was typed; its end when there is none. */
static size_t file_length(const char *text)
{
    const char *colon = strrchr(text, ':');

    if (!colon || colon - text < 3 || strncmp(colon - 3, ".py", 3) != 0 || isdigit((unsigned char)colon[1]) ||
        !colon[1]) {
        return strlen(text);
    }
    for (const char *c = colon + 1; *c; c++) {
        if (!isalnum((unsigned char)*c) && *c != '_') {
            return strlen(text);
        }
    }
    return (size_t)(colon - text);
}

/* Whether `path` is a file that Python will be able to read. */
static int check_file(const char *path, const char *option, struct error *err)
{
    static const char hint[] = "give a Python file that defines the function";
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        return error_set(err, option, hint, "%s is %s", path, S_ISDIR(st.st_mode) ? "a directory" : "no regular file");
    }
    if (faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0) {
        return 0;
    }
    if (errno == ENOENT) {
        return error_set(err, option, hint, "there is no file %s", path);
    }
    return error_errno(err, option, file_errno_hint(errno), "cannot read %s", path);
}

static int bind_typed(struct binding *b, const char *name, const char *typed, struct error *err)
{
    size_t length = file_length(typed);
    char *path = strndup(typed, length), *option = NULL;
    int rc;

    b->function = strdup(typed[length] ? typed + length + 1 : name);
    if (!path || !b->function || asprintf(&option, "--sub-worker %s", name) < 0) {
        free(path);
        return error_nomem(err, typed, length);
    }
    rc = check_file(path, option, err);
    if (rc == 0 && !(b->file = realpath(path, NULL))) {
        rc = error_errno(err, option, file_errno_hint(errno), "cannot find %s", path);
    }
    free(option);
    free(path);
    return rc;
}

static int bind_own(struct binding *b, const struct sub_worker *own, const char *name, struct error *err)
{
    char hint[160];

    snprintf(hint, sizeof hint, "bind it: --sub-worker %s=FILE.py, where FILE.py defines %s(args)", name, name);
    if (!own || (!own->file && !own->required)) {
        return error_set(err, name, hint, "host_orch.py calls the sub-worker %s, which sub_workers/ does not hold",
                         name);
    }
    if (own->required) {
        return error_set(err, name, hint,
                         "host_orch.py calls the sub-worker %s, which has no body of its own "
                         "(sub_workers/__required__.json lists it)",
                         name);
    }
    b->file = strdup(own->file);
    b->function = strdup(name);
    return b->file && b->function ? 0 : error_nomem(err, name, strlen(own->file));
}

static bool is_given(const struct named_file *given, size_t ngiven, const char *name)
{
    for (size_t i = 0; i < ngiven; i++) {
        if (strcmp(given[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Several that have to be bound are named at once; bind_own() is about a single one. */
static int check_missing(const struct sub_workers *known, const struct plan *plan, const struct named_file *given,
                         size_t ngiven, struct error *err)
{
    char list[900] = "";
    uint32_t missing = 0;

    for (uint32_t i = 0; i < plan->nsub; i++) {
        const char *name = plan_text(plan, plan->subs[i]);
        const struct sub_worker *own = sub_workers_find(known, name);

        if ((!own || own->required) && !is_given(given, ngiven, name)) {
            append_name(list, sizeof list, name);
            missing++;
        }
    }
    return missing < 2
               ? 0
               : error_set(err, "sub_workers", "bind each: --sub-worker NAME=FILE.py, where FILE.py defines NAME(args)",
                           "host_orch.py calls %u sub-workers that have no body: %s", missing, list);
}

static int bind_all(struct bindings *out, const struct sub_workers *known, const struct plan *plan,
                    const struct named_file *given, size_t ngiven, struct error *err)
{
    out->items = calloc(plan->nsub + 1u, sizeof *out->items);
    if (!out->items) {
        return error_nomem(err, "sub-workers", plan->nsub * sizeof *out->items);
    }
    for (out->count = 0; out->count < plan->nsub;) {
        const char *name = plan_text(plan, plan->subs[out->count]);
        struct binding *b = &out->items[out->count++];
        size_t i = 0;

        while (i < ngiven && strcmp(given[i].name, name) != 0) {
            i++;
        }
        if (i < ngiven ? bind_typed(b, name, given[i].file, err) < 0
                       : bind_own(b, sub_workers_find(known, name), name, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int check_scalars(const struct plan *plan, struct error *err)
{
    char label[256];

    for (uint32_t i = 0; i < plan->nnode; i++) {
        const struct plan_node *n = &plan->nodes[i];

        for (uint32_t s = 0; n->kind == PLAN_SUB && s < n->nscalar; s++) {
            if (plan->scalars[n->first_scalar + s].kind != PLAN_VALUE) {
                return error_set(err, plan_node_label(plan, i, label, sizeof label), "leave the scalar out",
                                 "a sub-worker is given the address of a domain's context or window as scalar %u; it "
                                 "runs in a process of the host, where that means nothing",
                                 s);
            }
        }
    }
    return 0;
}

int bindings_open(struct bindings *out, const struct sub_workers *of_build, const struct plan *plan,
                  const struct named_file *given, size_t ngiven, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (check_given(of_build, plan, given, ngiven, err) == 0 &&
        check_missing(of_build, plan, given, ngiven, err) == 0 &&
        bind_all(out, of_build, plan, given, ngiven, err) == 0 && check_scalars(plan, err) == 0) {
        return 0;
    }
    bindings_free(out);
    return -1;
}

void bindings_free(struct bindings *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        free(b->items[i].file);
        free(b->items[i].function);
    }
    free(b->items);
    memset(b, 0, sizeof *b);
}

int bindings_write(const struct bindings *b, const struct plan *plan, struct sheet_writer *w, struct error *err)
{
    for (uint32_t i = 0; i < b->count; i++) {
        if (sheet_write_sub_worker(w, plan_text(plan, plan->subs[i]), b->items[i].file, b->items[i].function, err) <
            0) {
            return -1;
        }
    }
    return 0;
}
