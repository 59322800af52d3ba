#include "common/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static enum log_level threshold = LOG_TIMING;
static char prefix[32] = "l3replay";

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

void log_set_prefix(const char *text)
{
    snprintf(prefix, sizeof prefix, "%s", text);
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
static void write_line(const char *word, const char *fmt, va_list ap)
{
    char line[4096];
    int saved = errno;
    size_t used, room;
    int n;

    used = (size_t)snprintf(line, sizeof line, "%s: %s", prefix, word);
    room = sizeof line - used - 1;
    n = vsnprintf(line + used, room, fmt, ap);
    if (n < 0) {
        n = 0;
    }
    if ((size_t)n >= room) {
        n = (int)room - 1;
    }
    used += (size_t)n;
    line[used++] = '\n';
    write_all(line, used);
    errno = saved;
}

static bool is_printed(enum log_level level)
{
    return level >= threshold && level < LOG_NULL;
}

void log_msg(enum log_level level, const char *fmt, ...)
{
    static const char *const words[] = {"debug: ", "", "", "warning: ", "error: "};
    va_list ap;

    if (is_printed(level)) {
        va_start(ap, fmt);
        write_line(words[level], fmt, ap);
        va_end(ap);
    }
}

void log_note(const char *fmt, ...)
{
    va_list ap;

    if (is_printed(LOG_WARN)) {
        va_start(ap, fmt);
        write_line("note: ", fmt, ap);
        va_end(ap);
    }
}
