#include "common/base/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/base/log.h"

static void mark_cut(char *buf, size_t size, int wanted)
{
    if (wanted >= 0 && (size_t)wanted >= size) {
        memcpy(buf + size - 4, "...", 4);
    }
}

static void copy_text(char *buf, size_t size, const char *text)
{
    mark_cut(buf, size, snprintf(buf, size, "%s", text ? text : ""));
}

static int fill(struct error *err, enum error_kind kind, const char *where, const char *hint, int saved_errno,
                const char *fmt, va_list ap)
{
    int n;

    if (!err) {
        return -1;
    }
    err->kind = kind;
    n = vsnprintf(err->what, sizeof err->what, fmt, ap);
    mark_cut(err->what, sizeof err->what, n);
    if (saved_errno && n >= 0 && (size_t)n < sizeof err->what) {
        size_t room = sizeof err->what - (size_t)n;
        mark_cut(err->what + n, room, snprintf(err->what + n, room, ": %s", strerror(saved_errno)));
    }
    copy_text(err->where, sizeof err->where, where);
    copy_text(err->hint, sizeof err->hint, hint);
    return -1;
}

int error_set(struct error *err, const char *where, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fill(err, ERROR_INFRA, where, hint, 0, fmt, ap);
    va_end(ap);
    return -1;
}

int error_set_kind(struct error *err, enum error_kind kind, const char *where, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fill(err, kind, where, hint, 0, fmt, ap);
    va_end(ap);
    return -1;
}

int error_errno(struct error *err, const char *where, const char *hint, const char *fmt, ...)
{
    int saved = errno;
    va_list ap;

    va_start(ap, fmt);
    fill(err, ERROR_INFRA, where, hint, saved ? saved : EIO, fmt, ap);
    va_end(ap);
    return -1;
}

void error_within(struct error *err, const char *place)
{
    const char *between = err->where[0] ? ": " : "";
    size_t n = strlen(place), gap = strlen(between);

    if (n + gap >= sizeof err->where) {
        return;
    }
    memmove(err->where + n + gap, err->where, sizeof err->where - n - gap);
    memcpy(err->where, place, n);
    memcpy(err->where + n, between, gap);
    err->where[sizeof err->where - 1] = '\0';
}

int error_nomem(struct error *err, const char *where, unsigned long long bytes)
{
    return error_set(err, where, "free memory on this host, or replay fewer cards on it",
                     "out of memory (%llu bytes wanted)", bytes);
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does `text` name `what`, as words of their own? */
static bool names(const char *text, const char *what)
{
    const size_t n = strlen(what);

    for (const char *at = text; (at = strstr(at, what)); at++) {
        if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[n])) {
            return true;
        }
    }
    return false;
}

void error_print(const struct error *err)
{
    log_msg(LOG_ERROR, "%s", err->what);
    if (err->where[0] && !names(err->what, err->where)) {
        log_msg(LOG_ERROR, "  in %s", err->where);
    }
    if (err->hint[0]) {
        log_msg(LOG_ERROR, "  hint: %s", err->hint);
    }
}
