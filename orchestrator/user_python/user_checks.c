#include "orchestrator/user_python/user_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/data/fit.h"

enum { SOURCE_MAX = 16 << 20 };

static const char form[] = "give --compare NAME=FILE.py:FUNC, where FUNC(actual, expected, *, actual_outputs, "
                           "expected_outputs, inputs, rtol, atol) returns (matches, text)";

/* Splits "FILE.py:FUNC", and looks for the function's name in the file: a name that is nowhere in it is found before an
 * hour's run, not after it. */
static int take_function(struct user_check *c, const struct named_file *given, struct error *err)
{
    const char *colon = strrchr(given->file, ':');
    char *typed = colon && colon > given->file && colon[1] ? strndup(given->file, (size_t)(colon - given->file)) : NULL;
    char *text = NULL;
    int rc = -1;

    if (!typed) {
        return error_set_kind(err, ERROR_USAGE, "--compare", form, "'%.100s' is not FILE.py:FUNC", given->file);
    }
    c->label = given->file;
    c->function = strdup(colon + 1);
    c->file = realpath(typed, NULL);
    if (!c->file || !c->function) {
        error_set_kind(err, ERROR_USAGE, "--compare", form, "cannot open %s", typed);
        goto out;
    }
    text = file_read(c->file, SOURCE_MAX, NULL, err);
    if (text && strstr(text, c->function)) {
        rc = 0;
    } else if (text) {
        error_set_kind(err, ERROR_USAGE, "--compare", form, "there is no function %s in %s", c->function, typed);
    }
out:
    free(text);
    free(typed);
    return rc;
}

int user_checks_look(const struct named_file *given, size_t ngiven, struct error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < ngiven; i++) {
        struct user_check c = {0};

        rc = take_function(&c, &given[i], err);
        free(c.file);
        free(c.function);
    }
    return rc;
}

static int bind(struct user_checks *c, const struct named_file *given, const struct plan *plan, struct verify *v,
                struct error *err)
{
    long storage = fit_storage(plan, given->name, err);
    struct user_check *item = &c->items[c->count];

    if (storage < 0) {
        return -1;
    }
    item->storage = (uint32_t)storage;
    c->count++;
    if (take_function(item, given, err) < 0) {
        return -1;
    }
    for (size_t i = 0; i + 1 < c->count; i++) {
        if (c->items[i].storage == item->storage) {
            return error_set_kind(err, ERROR_USAGE, "--compare", "give one for it", "%s is given two comparators",
                                  given->name);
        }
    }
    if (!verify_has(v, item->storage)) {
        return error_set(err, "--compare", "give --expect, data/out/NAME.npy or a golden.py",
                         "there is nothing to compare %s with, and its comparator takes what is expected", given->name);
    }
    verify_leave(v, item->storage);
    return 0;
}

int user_checks_open(struct user_checks *c, const struct named_file *given, size_t ngiven, const struct plan *plan,
                     const struct build *build, const struct golden *golden, double limit_s, struct verify *v,
                     struct error *err)
{
    *c = (struct user_checks){.build = build, .limit_s = limit_s, .items = calloc(ngiven + 1, sizeof *c->items)};
    if (!c->items) {
        return error_nomem(err, "--compare", ngiven * sizeof *c->items);
    }
    for (size_t i = 0; i < ngiven; i++) {
        if (bind(c, &given[i], plan, v, err) < 0) {
            return -1;
        }
    }
    if (golden && golden_calls_compare(golden)) {
        c->script = file_join(build->dir, "debug/run.py", err);
        return c->script ? 0 : -1;
    }
    return 0;
}

void user_checks_free(struct user_checks *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->items[i].file);
        free(c->items[i].function);
    }
    free(c->items);
    free(c->script);
    *c = (struct user_checks){0};
}
