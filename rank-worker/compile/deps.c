#include "rank-worker/compile/deps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "rank-worker/compile/store_entry.h"

static const char first_line[] = "l3replay-headers 1\n";

/* Compilers put blanks and ends of lines between names; clang leaves a tab in a name as it is.
 * One name of a rule: "\ " is a blank, "\#" a hash, "$$" a dollar; any other backslash is itself. Returns
 * the name's end in the text; the unescaped name is put in place. */
static char *take_name(char *p, char **name)
{
    char *to = p;

    *name = p;
    while (*p && *p != ' ' && *p != '\n' && *p != '\r') {
        if (*p == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) {
            break;
        }
        if ((*p == '\\' && (p[1] == ' ' || p[1] == '#' || p[1] == '\t')) || (*p == '$' && p[1] == '$')) {
            p++;
        }
        *to++ = *p++;
    }
    if (*p) {
        p++;
    }
    *to = '\0';
    return p;
}

static char *relative(const char *name, const char *dir)
{
    size_t length = strlen(dir);

    if (strncmp(name, dir, length) == 0 && name[length] == '/') {
        return text_format(".%s", name + length);
    }
    return strdup(name);
}

static void add_header(struct args *headers, const char *name, const struct deps_places *places)
{
    char *path = places->cwd && name[0] != '/' ? text_format("%s/%s", places->cwd, name) : NULL;

    if (path) {
        name = path;
    }
    if (strcmp(name, places->source) != 0 && (!places->other || strcmp(name, places->other) != 0)) {
        args_take(headers, relative(name, places->dir));
    }
    free(path);
}

int deps_read(const char *path, const struct deps_places *places, struct args *headers, struct error *err)
{
    char *text = file_read(path, STORE_SOURCE_MAX, NULL, NULL), *p, *name;

    if (!text) {
        return error_set(err, path, NULL, "the compiler wrote no list of the headers it read");
    }
    p = strchr(text, ':');
    for (p = p ? p + 1 : text + strlen(text); *p;) {
        if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == '\\') {
            p++;
            continue;
        }
        p = take_name(p, &name);
        add_header(headers, name, places);
    }
    free(text);
    args_sort_unique(headers);
    return args_done(headers, err);
}

int deps_load(const char *path, struct args *headers, struct error *err)
{
    size_t length = sizeof first_line - 1;
    char *text = store_kept_text(path), *next;

    if (!text) {
        return 0;
    }
    if (strncmp(text, first_line, length) != 0) {
        free(text);
        return 0;
    }
    for (char *line = text + length; *line; line = next) {
        next = strchr(line, '\n');
        if (!next) {
            break;
        }
        *next++ = '\0';
        args_take(headers, strdup(line));
    }
    free(text);
    return args_done(headers, err) < 0 ? -1 : 1;
}

int deps_save(const struct store *s, const char *path, const struct args *headers, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int rc;

    if (!out) {
        return error_nomem(err, path, 1);
    }
    fputs(first_line, out);
    for (size_t i = 0; i < headers->n; i++) {
        fprintf(out, "%s\n", headers->v[i]);
    }
    if (fclose(out) != 0) {
        free(text);
        return error_nomem(err, path, 1);
    }
    rc = store_keep_text(s, path, text, size, err);
    free(text);
    return rc;
}

int deps_key(struct hashes *hashes, const char *dir, struct made_of *made, struct key first, struct key *key,
             struct timespec *newest, struct error *err)
{
    struct hasher *h = hasher_new();
    int rc = 1;

    free(made->contents);
    made->contents = calloc(made->headers.n + 1, sizeof *made->contents);
    if (!h || !made->contents) {
        rc = error_nomem(err, dir, made->headers.n * sizeof *made->contents);
    } else {
        hasher_key(h, first);
    }
    for (size_t i = 0; rc > 0 && i < made->headers.n; i++) {
        char *path = made_of_path(made, i, dir);
        if (!path) {
            rc = error_nomem(err, made->headers.v[i], strlen(made->headers.v[i]));
        } else if (hashes_file(hashes, path, &made->contents[i], newest) < 0) {
            rc = 0;
        }
        hasher_text(h, made->headers.v[i]);
        hasher_key(h, made->contents[i]);
        free(path);
    }
    if (h) {
        *key = hasher_end(h);
    }
    return rc;
}
