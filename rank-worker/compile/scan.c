#include "rank-worker/compile/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "rank-worker/compile/inline_names.h"
#include "rank-worker/compile/store.h"

enum { MAX_DEPTH = 16 };

struct walk {
    struct scan *scan;
    char *const *dirs;
    size_t ndir;
    struct args seen;
};

/* Comments become one blank, newlines in them stay; literals are kept as they are. In place. */
static void strip_comments(char *text)
{
    char *to = text, quote = 0;

    for (char *p = text; *p; p++) {
        if (quote) {
            if (*p == '\\' && p[1]) {
                *to++ = *p++;
            } else if (*p == quote || *p == '\n') {
                quote = 0;
            }
            *to++ = *p;
        } else if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
            p--;
        } else if (p[0] == '/' && p[1] == '*') {
            char *end = strstr(p + 2, "*/");
            *to++ = ' ';
            for (p += 2; *p && p != end; p++) {
                if (*p == '\n') {
                    *to++ = '\n';
                }
            }
            p += end ? 1 : -1;
        } else {
            /* A quote after a word character is a digit separator: 1'000. */
            if (*p == '"' || (*p == '\'' && (p == text || !isalnum((unsigned char)p[-1])))) {
                quote = *p;
            }
            *to++ = *p;
        }
    }
    *to = '\0';
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* The name after '#' of a preprocessor line: its text and length, or NULL. */
static const char *directive(const char *line, size_t *length)
{
    const char *p = skip_blanks(line);

    if (*p != '#') {
        return NULL;
    }
    p = skip_blanks(p + 1);
    for (*length = 0; isalpha((unsigned char)p[*length]);) {
        ++*length;
    }
    return p;
}

static bool is_word(const char *p, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(p, word, length) == 0;
}

/* The path of an #include line, malloc'd; NULL when the line is none. */
static char *include_path(const char *line, bool *quoted)
{
    size_t length;
    const char *p = directive(line, &length), *end;

    if (!p || !is_word(p, length, "include")) {
        return NULL;
    }
    p = skip_blanks(p + length);
    if (*p != '"' && *p != '<') {
        return NULL;
    }
    *quoted = *p == '"';
    end = strchr(p + 1, *quoted ? '"' : '>');
    return end ? strndup(p + 1, (size_t)(end - p - 1)) : NULL;
}

static char *beside(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');

    return text_format("%.*s%s", slash ? (int)(slash - file + 1) : 0, file, path);
}

/* Where an include of `file` is found among the source's own files; NULL when it is not one of them. */
static char *find_own(const struct walk *w, const char *file, const char *path, bool quoted)
{
    char *found = quoted ? beside(file, path) : NULL;

    if (found && access(found, R_OK) == 0) {
        return found;
    }
    free(found);
    for (size_t i = 0; i < w->ndir; i++) {
        found = text_format("%s/%s", w->dirs[i], path);
        if (found && access(found, R_OK) == 0) {
            return found;
        }
        free(found);
    }
    return NULL;
}

static bool is_async(const char *path)
{
    const char *name = strrchr(path, '/');

    return strcmp(name ? name + 1 : path, "pto_async_kernel_api.h") == 0 ||
           strcmp(name ? name + 1 : path, "async_kernel_api.h") == 0 ||
           strcmp(name ? name + 1 : path, "sdma_completion_kernel.h") == 0 ||
           strcmp(name ? name + 1 : path, "urma_completion_kernel.h") == 0;
}

static void walk_text(struct walk *w, const char *file, const char *text, int depth);

static void walk_include(struct walk *w, const char *file, const char *path, bool quoted, int depth)
{
    char *found, *text;

    if (strncmp(path, "pto/", 4) == 0) {
        w->scan->pto = true;
    }
    if (is_async(path) && !w->scan->async) {
        w->scan->async = strdup(path);
    }
    found = find_own(w, file, path, quoted);
    for (size_t i = 0; found && i < w->seen.n; i++) {
        if (strcmp(w->seen.v[i], found) == 0) {
            free(found);
            found = NULL;
        }
    }
    text = found && depth < MAX_DEPTH ? file_read(found, STORE_SOURCE_MAX, NULL, NULL) : NULL;
    if (text) {
        args_add(&w->seen, "%s", found);
        strip_comments(text);
        w->scan->own_inline_names = w->scan->own_inline_names || inline_names_occur(text);
        walk_text(w, found, text, depth + 1);
    }
    free(text);
    free(found);
}

static void walk_text(struct walk *w, const char *file, const char *text, int depth)
{
    bool quoted;

    if (strstr(text, "bfloat16_t")) {
        w->scan->bfloat16 = true;
    }
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        char *path = include_path(line, &quoted);
        if (path) {
            walk_include(w, file, path, quoted, depth);
        }
        free(path);
    }
}

/* Conditionals, definitions and includes may come before the code; anything that could give the same line two
 * meanings may not. Returns the change of nesting, or -2 to stop. */
static int prefix_nesting(const char *line)
{
    size_t length, end = strcspn(line, "\n");
    const char *p = directive(line, &length);

    if (!p || (end > 0 && line[end - 1] == '\\')) {
        return -2;
    }
    if (is_word(p, length, "if") || is_word(p, length, "ifdef") || is_word(p, length, "ifndef")) {
        return 1;
    }
    if (is_word(p, length, "endif")) {
        return -1;
    }
    if (is_word(p, length, "else") || is_word(p, length, "elif") || is_word(p, length, "define") ||
        is_word(p, length, "include")) {
        return 0;
    }
    return -2;
}

static char *find_prefix(const struct walk *w, const char *file, const char *text)
{
    int nesting = 0, change;
    bool seen = false, quoted;
    char *prefix = NULL;
    size_t kept = 0, size = 0;
    FILE *out = open_memstream(&prefix, &size);

    for (const char *line = text; out && line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strcspn(line, "\r\n");
        if (skip_blanks(line) >= line + length) {
            continue;
        }
        change = prefix_nesting(line);
        char *path = include_path(line, &quoted);
        char *own = path ? find_own(w, file, path, quoted) : NULL;
        bool stop = change == -2 || own;
        seen = seen || (path && strstr(path, "pto-inst.hpp"));
        nesting += change;
        fprintf(out, "%.*s\n", (int)length, line);
        if (!stop && path && seen && nesting == 0) {
            kept = (size_t)ftell(out);
        }
        free(own);
        free(path);
        if (stop) {
            break;
        }
    }
    if (!out || fclose(out) != 0 || kept == 0) {
        free(prefix);
        return NULL;
    }
    prefix[kept] = '\0';
    return prefix;
}

int scan_source(const char *path, char *const *dirs, size_t ndir, struct scan *scan, struct error *err)
{
    struct walk w = {.scan = scan, .dirs = dirs, .ndir = ndir};
    char *text;

    *scan = (struct scan){0};
    scan->text = file_read(path, STORE_SOURCE_MAX, &scan->nbytes, err);
    if (!scan->text) {
        return -1;
    }
    text = strdup(scan->text);
    if (!text) {
        scan_free(scan);
        return error_nomem(err, path, strlen(path));
    }
    strip_comments(text);
    walk_text(&w, path, text, 0);
    scan->prefix = find_prefix(&w, path, text);
    free(text);
    args_free(&w.seen);
    return 0;
}

void scan_free(struct scan *scan)
{
    free(scan->text);
    free(scan->prefix);
    free(scan->async);
    *scan = (struct scan){0};
}
