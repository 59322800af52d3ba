#include "orchestrator/prepare/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/prepare/inventory_objects.h"

enum { LINES_SHOWN = 8 };

struct comparison_of {
    struct changes *out;
    const struct inventory *before, *now;
};

static bool is_unknown(const char *value)
{
    return value && strcmp(value, INVENTORY_UNKNOWN) == 0;
}

/* Whether the name has another value than before, or is new. */
static bool differs(const struct comparison_of *c, enum inventory_group group, const char *name)
{
    const char *was = inventory_find(c->before, group, name), *is = inventory_find(c->now, group, name);

    return !was || !is || strcmp(was, is) != 0;
}

/* Take `lines` over into the changes, cut where there are many. */
static void take_lines(struct changes *out, struct args *lines, const char *what)
{
    size_t n = lines->n > LINES_SHOWN + 1 ? LINES_SHOWN : lines->n;

    args_add_all(&out->changed, (const char *const *)lines->v, n);
    if (n < lines->n) {
        args_add(&out->changed, "and %zu more %s", lines->n - n, what);
    }
    out->changed.failed = out->changed.failed || lines->failed;
    args_free(lines);
}

/* --- sources and headers -------------------------------------------------- */

struct source {
    const char *name, *path;
    const struct made_of *made;
    const char *build_dir;
    struct inventory_roots *roots;
};

/* The first changed header of a source that is the build's or the system's, in `*name` (to be freed), and how many
 * there are; `*foreign` when one of PTO-ISA or of ours has changed, which has a line of its own. */
static int changed_headers(const struct comparison_of *c, const struct source *s, bool edited, char **first,
                           size_t *count, bool *foreign, struct error *err)
{
    *first = NULL;
    *count = 0;
    *foreign = false;
    for (size_t i = 0; i < s->made->headers.n; i++) {
        enum inventory_group group;
        char *name;
        if (inventory_header_name(s->roots, s->build_dir, s->made, i, s->path, &group, &name, err) < 0) {
            return -1;
        }
        /* What an edited source reads anew is part of the edit. */
        if (!differs(c, group, name) || (edited && !inventory_find(c->before, group, name))) {
            free(name);
        } else if (group != INVENTORY_HEADER) {
            *foreign = *foreign || inventory_find(c->before, group, name);
            free(name);
        } else {
            ++*count;
            if (*first) {
                free(name);
            } else {
                *first = name;
            }
        }
    }
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int compare_source(const struct comparison_of *c, const struct source *s, struct args *lines, struct error *err)
{
    const char *was = inventory_find(c->before, INVENTORY_SOURCE, s->name), *joint;
    bool edited, foreign;
    char *first, more[40] = "";
    size_t count;

    if (!was) {
        args_add(lines, "%s is new", s->name);
        return 0;
    }
    if (is_unknown(was) || !s->made->known) {
        args_add(&c->out->unknown, "%s (a binary of unknown sources ran%s)", s->name, s->made->known ? " then" : "");
        return 0;
    }
    edited = differs(c, INVENTORY_SOURCE, s->name);
    joint = edited ? " and" : ", through";
    if (changed_headers(c, s, edited, &first, &count, &foreign, err) < 0) {
        return -1;
    }
    if (count > 1) {
        snprintf(more, sizeof more, " and %zu more", count - 1);
    }
    if (first) {
        args_add(lines, "%s%s its header %s%s", s->name, joint, base_name(first), more);
    } else if (edited) {
        args_add(lines, "%s", s->name);
    } else if (!foreign && differs(c, INVENTORY_READS, s->name)) {
        args_add(lines, "%s, which includes other headers now", s->name);
    }
    free(first);
    return 0;
}

static int compare_sources(const struct comparison_of *c, const struct build *build,
                           const struct program_table *programs, const struct compiled *compiled, struct error *err)
{
    struct inventory_roots roots;
    struct args lines = {0};
    int rc = inventory_roots_open(&roots, err);

    for (uint32_t i = 0; rc == 0 && i < compiled->count; i++) {
        const struct program *p = &programs->items[i];
        const struct compiled_program *objects = &compiled->items[i];
        for (size_t k = 0; rc == 0 && objects->orchestration && k <= p->nkernel; k++) {
            bool kernel = k < p->nkernel;
            char *name = inventory_source_name(p, k);
            struct source s = {.name = name,
                               .path = kernel ? p->kernels[k].source : p->orchestration,
                               .made = kernel ? &objects->kernels_made[k] : &objects->orchestration_made,
                               .build_dir = build->dir,
                               .roots = &roots};
            rc = name ? compare_source(c, &s, &lines, err) : error_nomem(err, p->name, 64);
            free(name);
        }
    }
    inventory_roots_close(&roots);
    take_lines(c->out, &lines, "sources");
    return rc;
}

/* --- the other groups ------------------------------------------------------ */

/* How each name of a group is reported, changed and gone. */
static const struct wording {
    enum inventory_group group;
    const char *before, *gone, *plural;
} wordings[] = {
    {INVENTORY_COMPILER, "", "", "compilers"},
    {INVENTORY_PYTHON, "", " (no longer used)", "files"},
    {INVENTORY_METADATA, "", " (no longer used)", "files"},
    {INVENTORY_SUB_WORKER, "", " (no longer used)", "files of sub-workers"},
    {INVENTORY_INPUT, "input ", " (from no file any more)", "inputs"},
    {INVENTORY_REFERENCE, "reference ", " (no longer compared)", "references"},
};

/* What was there and is not; `plural` as in take_lines(). */
static void compare_gone(const struct comparison_of *c, const struct wording *w, struct args *lines)
{
    for (size_t i = 0; i < c->before->count; i++) {
        const struct inventory_item *item = &c->before->items[i];
        if (item->group == w->group && !inventory_find(c->now, w->group, item->name)) {
            args_add(lines, "%s%s%s", w->before, item->name, w->gone);
        }
    }
}

static void compare_group(const struct comparison_of *c, const struct wording *w)
{
    struct args lines = {0};

    for (size_t i = 0; i < c->now->count; i++) {
        const struct inventory_item *item = &c->now->items[i];
        const char *was = inventory_find(c->before, w->group, item->name);
        if (item->group != w->group) {
            continue;
        }
        if (is_unknown(was) || is_unknown(item->value)) {
            args_add(&c->out->unknown, "%s%s (it could not be read)", w->before, item->name);
        } else if (!was || strcmp(was, item->value) != 0) {
            args_add(&lines, "%s%s%s", w->before, item->name, was ? "" : " (new)");
        }
    }
    /* Where nothing was compiled no compiler is named; the stamps of the binaries say that they are the same. */
    if (w->group != INVENTORY_COMPILER) {
        compare_gone(c, w, &lines);
    }
    take_lines(c->out, &lines, w->plural);
}

/* Headers that come with a tool: their number only. */
static void compare_headers_of(const struct comparison_of *c, enum inventory_group group, const char *owner)
{
    size_t n = 0;
    bool version = false;

    for (size_t i = 0; i < c->now->count; i++) {
        const struct inventory_item *item = &c->now->items[i];
        /* One that is new here and was not read before is a change of the source that reads it. */
        if (item->group == group && inventory_find(c->before, group, item->name) && differs(c, group, item->name)) {
            version = version || strcmp(item->name, "version") == 0;
            n++;
        }
    }
    if (n) {
        args_add(&c->out->changed, "%s (%s%zu of its headers)", owner, version ? "another version; " : "", n - version);
    }
}

static void put_option(FILE *f, const char *key, const char *value)
{
    if (value) {
        fprintf(f, " %s%s%s", key, strchr(key, ' ') ? "=" : " ", value);
    } else {
        fprintf(f, " no %s", key);
    }
}

/* All in one line, as they would be typed. */
static void compare_options(const struct comparison_of *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    for (size_t i = 0; f && i < c->now->count; i++) {
        const struct inventory_item *item = &c->now->items[i];
        if (item->group == INVENTORY_OPTION && differs(c, INVENTORY_OPTION, item->name)) {
            put_option(f, item->name, item->value);
        }
    }
    for (size_t i = 0; f && i < c->before->count; i++) {
        const struct inventory_item *item = &c->before->items[i];
        if (item->group == INVENTORY_OPTION && !inventory_find(c->now, INVENTORY_OPTION, item->name)) {
            put_option(f, item->name, NULL);
        }
    }
    if (!f || fclose(f) != 0) {
        c->out->changed.failed = true;
    } else if (size) {
        args_add(&c->out->changed, "other options:%s", text);
    }
    free(text);
}

int changes_compare(struct changes *out, const struct inventory *before, const struct inventory *now,
                    const struct build *build, const struct program_table *programs, const struct compiled *compiled,
                    struct error *err)
{
    const struct comparison_of c = {out, before, now};
    const struct wording sources = {INVENTORY_SOURCE, "", " (it did not run)", "sources"};
    struct args gone = {0};

    out->compared = true;
    if (compare_sources(&c, build, programs, compiled, err) < 0) {
        return -1;
    }
    compare_gone(&c, &sources, &gone);
    take_lines(out, &gone, sources.plural);
    compare_headers_of(&c, INVENTORY_PTO_ISA, "PTO-ISA");
    compare_headers_of(&c, INVENTORY_OWN, "l3replay itself");
    for (size_t i = 0; i < sizeof wordings / sizeof *wordings; i++) {
        compare_group(&c, &wordings[i]);
    }
    compare_options(&c);
    return args_done(&out->changed, err) < 0 || args_done(&out->unknown, err) < 0 ? -1 : 0;
}

/* Compilers of the last replay that compiled something. */
static int keep_compilers(struct inventory *now, const struct inventory *before, struct error *err)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct inventory_item *item = &before->items[i];
        if (item->group == INVENTORY_COMPILER && !inventory_find(now, INVENTORY_COMPILER, item->name)) {
            if (inventory_add(now, INVENTORY_COMPILER, item->name, item->value, err) < 0) {
                return -1;
            }
            inventory_sort(now);
        }
    }
    return 0;
}

int changes_find(struct changes *out, const struct run_options *o, const struct prepared *p, struct error *err)
{
    const struct recording *r = &p->recording;
    struct inventory before = {0}, now = {0};
    char *path = file_join(r->build.dir, ".l3replay.last", err);
    struct error unreadable;
    int rc = path ? inventory_take(&now, o, p, err) : -1, was = 0;

    *out = (struct changes){.old_binaries = o->fresh.no_recompile};
    if (rc == 0) {
        was = inventory_read(path, &before, &unreadable);
    }
    if (rc == 0 && was > 0) {
        rc = changes_compare(out, &before, &now, &r->build, &r->programs, &p->compiled, err);
    } else if (rc == 0 && was < 0) {
        out->compared = true;
        args_add(&out->unknown, "anything (%s)", unreadable.what);
        rc = args_done(&out->unknown, err);
    }
    if (rc == 0 && access(r->build.dir, W_OK) == 0) {
        rc = keep_compilers(&now, &before, err) < 0 ? -1 : inventory_write(&now, path, err);
    }
    inventory_free(&before);
    inventory_free(&now);
    free(path);
    return rc;
}

void changes_report(const struct changes *c)
{
    if (!c->compared) {
        return;
    }
    for (size_t i = 0; i < c->changed.n; i++) {
        log_msg(LOG_TIMING, "changed since the last replay: %s", c->changed.v[i]);
    }
    for (size_t i = 0; i < c->unknown.n; i++) {
        log_msg(LOG_TIMING, "not compared with the last replay: %s", c->unknown.v[i]);
    }
    if (c->changed.n == 0 && c->unknown.n == 0 && c->old_binaries) {
        log_msg(LOG_TIMING, "the binaries, Python files, data and options of the last replay ran again");
    } else if (c->changed.n == 0 && c->unknown.n == 0) {
        log_msg(LOG_TIMING, "no source changed since the last replay, nor headers, Python files, data, options or "
                            "compilers");
    }
}

void changes_free(struct changes *c)
{
    args_free(&c->changed);
    args_free(&c->unknown);
    *c = (struct changes){0};
}
