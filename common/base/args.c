#include "common/base/args.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

void args_take(struct args *a, char *text)
{
    if (!text) {
        a->failed = true;
    }
    if (a->failed) {
        free(text);
        return;
    }
    if (array_room(&a->v, &a->capacity, a->n + 1, sizeof *a->v)) {
        a->failed = true;
        free(text);
        return;
    }
    a->v[a->n++] = text;
    a->v[a->n] = NULL;
}

static char *format(const char *fmt, va_list ap)
{
    char *text = NULL;

    return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

void args_add(struct args *a, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    args_take(a, format(fmt, ap));
    va_end(ap);
}

void args_add_all(struct args *a, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        args_take(a, strdup(texts[i]));
    }
}

int args_done(const struct args *a, struct error *err)
{
    return a->failed ? error_nomem(err, NULL, a->capacity * sizeof *a->v) : 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void args_sort_unique(struct args *a)
{
    size_t kept = 0;

    if (a->n == 0) {
        return;
    }
    qsort(a->v, a->n, sizeof *a->v, compare);
    for (size_t i = 0; i < a->n; i++) {
        if (kept > 0 && strcmp(a->v[kept - 1], a->v[i]) == 0) {
            free(a->v[i]);
        } else {
            a->v[kept++] = a->v[i];
        }
    }
    a->n = kept;
    a->v[kept] = NULL;
}

static bool is_plain(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";

    return *text && text[strspn(text, safe)] == '\0';
}

static void print_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*text, out);
        }
    }
    fputc('\'', out);
}

char *args_text(const struct args *a)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out) {
        return NULL;
    }
    for (size_t i = 0; i < a->n; i++) {
        if (i) {
            fputc(' ', out);
        }
        if (is_plain(a->v[i])) {
            fputs(a->v[i], out);
        } else {
            print_quoted(out, a->v[i]);
        }
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void args_free(struct args *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->v[i]);
    }
    free(a->v);
    *a = (struct args){0};
}

char *text_format(const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    text = format(fmt, ap);
    va_end(ap);
    return text;
}
