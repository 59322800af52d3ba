#include "common/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 4096 };

static void (*keeper)(enum log_kind kind, const char *text);
static enum log_level threshold = LOG_TIMING;

static const char *const words[] = {"debug: ", "", "", "warning: ", "error: "};
static const char note_word[] = "note: ";
static const char *const names[] = {"debug", "info", "timing", "warn", "error", "null"};

int log_level_parse(const char *name, enum log_level *level)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            *level = (enum log_level)i;
            return 0;
        }
    }
    return -1;
}

void log_set_level(enum log_level level)
{
    threshold = level;
}

enum log_level log_get_level(void)
{
    return threshold;
}

static void write_all(const char *line, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, line, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return; /* nobody is left to read it */
        }
        line += n;
        len -= (size_t)n;
    }
}

/* `word` says what kind of message it is. */
static void write_line(const char *word, const char *text)
{
    char line[LINE_MAX_BYTES];
    size_t used;

    used = (size_t)snprintf(line, sizeof line - 1, "l3replay: %s%s", word, text);
    used = used < sizeof line - 2 ? used : sizeof line - 2;
    line[used++] = '\n';
    write_all(line, used);
}

static bool is_printed(enum log_level level)
{
    return level >= threshold && level < LOG_NULL;
}

void log_keep(void (*keep)(enum log_kind kind, const char *text))
{
    keeper = keep;
}

void log_msg(enum log_level level, const char *fmt, ...)
{
    bool kept = level == LOG_WARN && keeper;
    char text[LINE_MAX_BYTES];
    int saved = errno;
    va_list ap;

    if (!kept && !is_printed(level)) {
        return;
    }
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (kept) {
        keeper(LOG_KIND_WARNING, text);
    }
    if (is_printed(level)) {
        write_line(words[level], text);
    }
    errno = saved;
}

void log_note(const char *fmt, ...)
{
    char text[LINE_MAX_BYTES];
    int saved = errno;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (keeper) {
        keeper(LOG_KIND_NOTE, text);
    }
    if (is_printed(LOG_WARN)) {
        write_line(note_word, text);
    }
    errno = saved;
}

/* `line` behind `start`; NULL: it does not begin so. */
static const char *behind(const char *line, const char *start)
{
    const size_t n = strlen(start);

    return strncmp(line, start, n) == 0 ? line + n : NULL;
}

static void keep_from(enum log_kind kind, const char *from, const char *text)
{
    char whole[LINE_MAX_BYTES];

    if (keeper) {
        snprintf(whole, sizeof whole, "%s: %s", from, text);
        keeper(kind, whole);
    }
}

bool log_take_line(const char *from, const char *line)
{
    const char *text = behind(line, "l3replay: "), *rest;

    if (!text) {
        return true;
    }
    if ((rest = behind(text, words[LOG_WARN]))) {
        keep_from(LOG_KIND_WARNING, from, rest);
        return is_printed(LOG_WARN);
    }
    if ((rest = behind(text, note_word))) {
        keep_from(LOG_KIND_NOTE, from, rest);
        return is_printed(LOG_WARN);
    }
    return behind(text, words[LOG_ERROR]) ? is_printed(LOG_ERROR) : true;
}

void log_bytes(const char *bytes, size_t size)
{
    write_all(bytes, size);
}
