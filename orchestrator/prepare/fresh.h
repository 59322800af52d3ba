/*
 * fresh - from the sources as they are now to the binaries that run.
 *
 * What `run` does between opening a build and running it, and what the `compile` command does alone: edits of .pto
 * files are spliced in, stale binaries are thrown away, what is needed is compiled (into the store, which compiles
 * nothing twice), and the objects are put where the stack keeps them, with a stamp. A build that cannot be
 * written to is replayed from the store. Formats: docs/formats.md, "Binaries in a build".
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_FRESH_H
#define L3R_ORCHESTRATOR_PREPARE_FRESH_H

#include <stdbool.h>

#include "common/plan/program_table.h"
#include "orchestrator/open/build_info.h"
#include "rank-worker/compile/compile.h"

struct fresh_options {
    bool no_rebuild_from_pto, no_recompile, no_ccache;
    int ptoas_timeout, compile_timeout; /* seconds; 0: the default */
    const struct stack_commands *stack; /* compile for an installed runtime; NULL: for the cpu device */

    /* Called once before more than one source is compiled, so that others may take part: the process that compiles these
     * programs with the same store at the same time shares the work. NULL: nobody else. */
    int (*share)(void *context, const struct build *build, const struct program_table *programs, const bool *needed,
                 struct error *err);
    void *context;
};

/* Splice and invalidate in the build directory `dir`; lines for the user go to stdout. */
int fresh_sources(const char *dir, const struct fresh_options *options, struct error *err);

/* Open the session that the two functions below compile in (compile_session.h says whose it is). */
int fresh_session_open(const struct fresh_options *options, struct compile_session **session, struct error *err);

/* Objects of the wanted programs, ready to be loaded; nothing is written to the build yet. Under no_recompile those whose
 * stamp is current are used as they are, with a warning for each source that is newer. `jobs` compilers run at once. `out`
 * is freed with compiled_free(). */
int fresh_binaries(struct compile_session *session, const struct build *build, const struct program_table *programs,
                   const bool *wanted, int jobs, const struct fresh_options *options, struct compiled *out,
                   struct error *err);

/* Put what fresh_binaries() got from the store where the stack keeps binaries, and stamp it. A run does this when its
 * verdict is out, since finding out the revision of a PTO-ISA checkout takes longer than a small run. */
int fresh_install(struct compile_session *session, const struct build *build, const struct program_table *programs,
                  const struct compiled *compiled, const struct fresh_options *options, struct error *err);

#endif
