#include "rank-worker/compile/failures.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"

static void log_lines(const char *text)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        log_msg(LOG_ERROR, "%.*s", (int)n, text);
    }
}

static void report(const struct unit *u)
{
    if (!u->command) { /* it failed with another one, and was not tried again */
        log_msg(LOG_ERROR, "%s does not compile: it is the same as another source that does not", u->label);
        return;
    }
    log_msg(LOG_ERROR, "%s does not compile: %s", u->label, u->command);
    if (u->timed_out) {
        log_msg(LOG_ERROR, "the compiler did not end within %d s (--compile-timeout) and was killed", u->timed_out);
    } else if (u->signal) {
        log_msg(LOG_ERROR, "the compiler was ended by signal %d", u->signal);
    }
    log_lines(u->first_output ? u->first_output : "");
    if (u->cut) {
        log_msg(LOG_ERROR, "(more messages of the compiler were left out)");
    }
}

/* A name that the interface lacks is a fault of the source, or one of a newer stack, which only its author can know. */
static void hint_of(const struct unit *u, char *hint, size_t size)
{
    if (u->unknown_kind == UNKNOWN_HEADER) {
        snprintf(
            hint, size,
            "there is no header %s: if a newer stack than those of July to September 2026 made this build, compile "
            "it with one of these, or install a newer l3replay; else correct the source",
            u->unknown);
    } else if (u->unknown_kind == UNKNOWN_IDENTIFIER && !u->kernel) {
        snprintf(hint, size,
                 "correct the source; the interface of July to September 2026, which is the newest that this l3replay "
                 "has, knows no %s: if a newer stack made this build, install a newer l3replay",
                 u->unknown);
    } else {
        snprintf(hint, size, "correct the source; the compiler's messages are above");
    }
}

int failures_report(const struct unit *sources, size_t n, const struct program_table *programs, bool quiet,
                    struct error *err)
{
    const struct unit *first = NULL;
    size_t count = 0;
    char hint[384];

    for (size_t p = 0; p < programs->count; p++) {
        for (size_t i = 0; i < n; i++) {
            const struct unit *u = &sources[i];
            if (u->program != &programs->items[p] || u->state != UNIT_FAILED) {
                continue;
            }
            if (!quiet) {
                report(u);
            }
            first = first ? first : u;
            count++;
        }
    }
    if (!first) {
        return 0;
    }
    if (first->timed_out) {
        return error_set(err, first->source,
                         "see what the compiler waits for, or give it longer with --compile-timeout",
                         "%s did not end within %d s when it compiled %s%s of program %s", first->argv.v[0],
                         first->timed_out, first->kernel ? "kernel " : "the orchestration",
                         first->kernel ? first->kernel->name : "", first->program->name);
    }
    hint_of(first, hint, sizeof hint);
    return error_set(err, first->source, hint, "%s%s of program %s does not compile (%zu of %zu sources failed)",
                     first->kernel ? "kernel " : "the orchestration", first->kernel ? first->kernel->name : "",
                     first->program->name, count, n);
}
