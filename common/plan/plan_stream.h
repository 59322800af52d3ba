/*
 * plan_stream - the plan as a stream of JSON lines: what the recorder prints,
 * what `l3replay plan --format json` writes and `l3replay run --plan` reads.
 *
 * The format is documented and stable: docs/formats.md, "Plan stream". The
 * first line is the header, every other line one record, and the last one
 * {"end": ...}, so that a truncated file is noticed. Readers ignore keys they
 * do not know and reject record kinds they do not know.
 */
#ifndef L3R_COMMON_PLAN_PLAN_STREAM_H
#define L3R_COMMON_PLAN_PLAN_STREAM_H

#include <stdio.h>

#include "common/plan/plan.h"

struct plan_stream;

/* A reader that builds a plan from lines fed to it. `origin` names the source in errors, which say the line of the
 * stream, and also that of host_orch.py where the record has it. */
struct plan_stream *plan_stream_new(const char *origin, struct error *err);

/* What errors advise where a rule has no better advice; a constant. Else: to record the plan again. */
void plan_stream_set_hint(struct plan_stream *s, const char *hint);
void plan_stream_free(struct plan_stream *s); /* NULL is fine */

/* Feed one line (no newline needed, NUL-terminated, may be modified). */
int plan_stream_line(struct plan_stream *s, char *line, size_t length, struct error *err);

/* Count a line that came in between and is none of the plan's, for the line numbers in errors. */
void plan_stream_skip(struct plan_stream *s);

/* After the last line: fails when the end record was not seen. On success the plan moves to `*out`. */
int plan_stream_finish(struct plan_stream *s, struct plan *out, struct error *err);

/* Read a whole saved plan. Another version, a truncated or damaged file: an error naming file and line. */
int plan_load(const char *path, struct plan *out, struct error *err);

/* Write a plan (with its edges, when compiled) to `f`. Returns -1 on a write error. */
int plan_save(const struct plan *p, FILE *f, struct error *err);

#endif
