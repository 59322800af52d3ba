/*
 * log - messages for people, on stderr, one line each.
 *
 * Levels and their names are the stack's own (docs/formats.md, "Log levels").
 * A line is written with one write(2), so lines of several processes do not
 * mix. Results never go through here: they belong to stdout.
 */
#ifndef L3R_COMMON_BASE_LOG_H
#define L3R_COMMON_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_DEBUG = 0, LOG_INFO, LOG_TIMING, LOG_WARN, LOG_ERROR, LOG_NULL };

/* Parse a level name in any case. Returns 0, or -1 when it is none. */
int log_level_parse(const char *name, enum log_level *level);

/* Lowest level that is printed; default LOG_TIMING. LOG_NULL prints nothing. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

enum log_kind { LOG_KIND_NOTE = 0, LOG_KIND_WARNING };

/* Have `keep` called with the text of each note and warning of this process, whether or not the level lets it be printed;
 * NULL: no longer. It must not log, and is called by the thread that logs. */
void log_keep(void (*keep)(enum log_kind kind, const char *text));

/* One line; a newline is added. errno is kept. Lines over 4096 bytes are cut. */
void log_msg(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Notes that must be seen once whatever the level below LOG_ERROR: printed at LOG_WARN as "note: ...". */
void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A line that a process of ours printed, without newline: a note or a warning is kept with `from` in front. Returns whether
 * this process's level lets it be printed, as it does with what no process of ours logged. */
bool log_take_line(const char *from, const char *line);

/* What a child printed, as it is and at every level. What stderr does not take is dropped. */
void log_bytes(const char *bytes, size_t size);

#endif
