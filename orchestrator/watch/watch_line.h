/*
 * watch_line - what is printed of each replay of a watched build: one line for a person, or one JSON object.
 */
#ifndef L3R_ORCHESTRATOR_WATCH_WATCH_LINE_H
#define L3R_ORCHESTRATOR_WATCH_WATCH_LINE_H

#include "orchestrator/watch/watch_replay.h"

/* The line, without its newline, to be freed: time of day, verdict, seconds, milliseconds of the dispatches with those of the
 * replay before (`before_ms`; negative: none), how many outputs were compared where not all were, what has changed or went
 * wrong. NULL without memory. */
char *watch_line_text(const struct watch_result *r, double before_ms, const char *time_of_day);

/* The same as JSON (docs/formats.md, "Lines of watch"). */
char *watch_line_json(const struct watch_result *r, double before_ms);

#endif
