#include "rank-worker/compile/failures.h"

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

int failures_report(const struct unit *sources, size_t n, const struct program_table *programs, bool quiet,
                    struct error *err)
{
    const struct unit *first = NULL;
    size_t count = 0;

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
    return error_set(err, first->source, "correct the source; the compiler's messages are above",
                     "%s%s of program %s does not compile (%zu of %zu sources failed)",
                     first->kernel ? "kernel " : "the orchestration", first->kernel ? first->kernel->name : "",
                     first->program->name, count, n);
}
