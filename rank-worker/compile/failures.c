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

/* What a compiler says when the machine, and no source, is at fault: its words, and what to do. */
static const struct cause {
    const char *words, *hint;
} causes[] = {
    {"No space left on device", "make room on the file system of the object store, or set L3REPLAY_CACHE_DIR to a "
                                "directory on another one"},
    {"Disk quota exceeded", "make room in the quota of the object store, or set L3REPLAY_CACHE_DIR to a directory "
                            "elsewhere"},
    {"File too large", "raise the limit on the size of files (ulimit -f)"},
    {"File size limit exceeded", "raise the limit on the size of files (ulimit -f)"},
    {"Read-only file system", "set L3REPLAY_CACHE_DIR to a directory that can be written"},
    {"Too many open files", "raise the limit of open files (ulimit -n)"},
    {"Resource temporarily unavailable", "end other processes, or raise the limit on them (ulimit -u, pids of the "
                                         "cgroup)"},
    {"Cannot allocate memory", "free memory on this host, raise limits on it (ulimit -v, memory of the cgroup), or "
                               "compile fewer sources at once (--jobs)"},
    {"out of memory",
     "free memory on this host, raise limits on it (ulimit -v, memory of the cgroup), or compile fewer "
     "sources at once (--jobs)"},
    {"Killed signal terminated program", "see whether memory ran out (dmesg, memory of the cgroup), and compile fewer "
                                         "sources at once (--jobs)"},
    {"CPU time limit exceeded", "raise the limit on processor time (ulimit -t)"},
};

static const struct cause *cause_of(const struct unit *u)
{
    for (size_t i = 0; u->first_output && i < sizeof causes / sizeof *causes; i++) {
        if (strstr(u->first_output, causes[i].words)) {
            return &causes[i];
        }
    }
    return NULL;
}

/* A name that the interface lacks is a fault of the source, or one of a newer stack, which only its author can know. */
static void hint_of(const struct unit *u, const struct stack_commands *stack, char *hint, size_t size)
{
    if (stack && u->unknown[0]) {
        snprintf(
            hint, size,
            "correct the source; or the build was made for another version of the stack than the installed simpler "
            "runtime (%.12s), which has no %s: docs/devices.md lists versions that fit",
            stack->runtime_revision ? stack->runtime_revision : "revision not known", u->unknown);
    } else if (u->unknown_kind == UNKNOWN_HEADER) {
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

int failures_report(const struct unit *sources, size_t n, const struct unit_env *env,
                    const struct program_table *programs, bool quiet, struct error *err)
{
    const struct unit *first = NULL;
    const struct cause *cause;
    size_t count = 0;
    char hint[384];

    for (size_t p = 0; p < programs->count; p++) {
        for (size_t i = 0; i < n; i++) {
            const struct unit *u = &sources[i];
            if (u->program != &programs->items[p] || u->state != UNIT_FAILED || u->left_out) {
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
    cause = cause_of(first);
    if (cause) {
        return error_set(err, first->source, cause->hint, "%s could not compile %s%s of program %s: %s",
                         first->argv.v[0], first->kernel ? "kernel " : "the orchestration",
                         first->kernel ? first->kernel->name : "", first->program->name, cause->words);
    }
    hint_of(first, env->stack, hint, sizeof hint);
    return error_set(err, first->source, hint, "%s%s of program %s does not compile (%zu of %zu sources failed)",
                     first->kernel ? "kernel " : "the orchestration", first->kernel ? first->kernel->name : "",
                     first->program->name, count, n);
}
