#include "orchestrator/prepare/inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/file.h"
#include "common/base/line_name.h"

enum { FILE_MAX = 256 << 20 };

static const char first_line[] = "l3replay-last 2\n";

/* By enum inventory_group. */
static const char *const words[INVENTORY_GROUPS] = {"source",     "reads",    "header",    "pto-isa",
                                                    "l3replay",   "compiler", "python",    "metadata",
                                                    "sub-worker", "input",    "reference", "option"};

void inventory_free(struct inventory *v)
{
    for (size_t i = 0; i < v->count; i++) {
        free(v->items[i].name);
        free(v->items[i].value);
    }
    free(v->items);
    *v = (struct inventory){0};
}

int inventory_add(struct inventory *v, enum inventory_group group, const char *name, const char *value,
                  struct error *err)
{
    struct inventory_item *item;

    if (array_room(&v->items, &v->capacity, v->count, sizeof *v->items)) {
        return error_nomem(err, name, sizeof *v->items);
    }
    item = &v->items[v->count++];
    *item = (struct inventory_item){group, strdup(name), strdup(value)};
    return item->name && item->value ? 0 : error_nomem(err, name, strlen(name) + strlen(value));
}

static int compare_names(const struct inventory_item *a, const struct inventory_item *b)
{
    return a->group != b->group ? (int)a->group - (int)b->group : strcmp(a->name, b->name);
}

static int compare(const void *a, const void *b)
{
    return compare_names(a, b);
}

void inventory_sort(struct inventory *v)
{
    size_t kept = 0;

    if (v->count) {
        qsort(v->items, v->count, sizeof *v->items, compare);
    }
    for (size_t i = 0; i < v->count; i++) {
        if (kept && compare_names(&v->items[kept - 1], &v->items[i]) == 0) {
            free(v->items[i].name);
            free(v->items[i].value);
        } else {
            v->items[kept++] = v->items[i];
        }
    }
    v->count = kept;
}

const char *inventory_find(const struct inventory *v, enum inventory_group group, const char *name)
{
    const struct inventory_item key = {group, (char *)name, NULL}, *found = NULL;

    if (v->count) {
        found = bsearch(&key, v->items, v->count, sizeof key, compare);
    }
    return found ? found->value : NULL;
}

bool inventory_has_group(const struct inventory *v, enum inventory_group group)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->items[i].group == group) {
            return true;
        }
    }
    return false;
}

/* --- the file ------------------------------------------------------------- */

/* 1 taken, 0 it is no such line, -1 out of memory. */
static int take_line(struct inventory *v, char *line, struct error *err)
{
    char *name = strchr(line, ' '), *value = name ? strchr(name + 1, ' ') : NULL;

    if (!value || strchr(value + 1, ' ')) {
        return 0;
    }
    *name++ = '\0';
    *value++ = '\0';
    for (int g = 0; g < INVENTORY_GROUPS; g++) {
        if (strcmp(line, words[g]) == 0) {
            return inventory_add(v, (enum inventory_group)g, line_name_take(name), line_name_take(value), err) < 0 ? -1
                                                                                                                   : 1;
        }
    }
    return 0;
}

static int take_lines(struct inventory *v, char *text, struct error *err)
{
    int rc = 1;

    for (char *line = text, *end; rc == 1; line = end + 1) {
        end = strchr(line, '\n');
        if (!end) {
            return 0;
        }
        *end = '\0';
        if (strcmp(line, "end") == 0) {
            return end[1] ? 0 : 1;
        }
        rc = take_line(v, line, err);
    }
    return rc;
}

int inventory_read(const char *path, struct inventory *out, struct error *err)
{
    const size_t n = sizeof first_line - 1;
    int rc = file_is_there(path, err);
    char *text;

    *out = (struct inventory){0};
    if (rc <= 0) {
        return rc;
    }
    text = file_read(path, FILE_MAX, NULL, err);
    if (!text) {
        return -1;
    }
    rc = strncmp(text, first_line, n) == 0 ? take_lines(out, text + n, err) : 0;
    free(text);
    if (rc == 0) {
        error_set(err, path, NULL, "%s is not a list that this version writes", path);
    }
    if (rc < 1) {
        inventory_free(out);
        return -1;
    }
    inventory_sort(out);
    return 1;
}

int inventory_write(const struct inventory *v, const char *path, struct error *err)
{
    struct file_writer w;

    if (file_replace_begin(&w, path, err) < 0) {
        return -1;
    }
    w.unsynced = true;
    fputs(first_line, w.stream); /* errors are found by the commit */
    for (size_t i = 0; i < v->count; i++) {
        fprintf(w.stream, "%s ", words[v->items[i].group]);
        line_name_put(w.stream, v->items[i].name);
        putc(' ', w.stream);
        line_name_put(w.stream, v->items[i].value);
        putc('\n', w.stream);
    }
    fputs("end\n", w.stream);
    return file_write_commit(&w, err);
}
