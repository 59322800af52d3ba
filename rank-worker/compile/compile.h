/*
 * compile - from the sources of programs to shared objects that the cpu device loads.
 *
 * Kernels are C++23, orchestrations C++17, compiled against rank-worker/cpu/include
 * and, where a source includes PTO-ISA, $PTO_ISA_ROOT. Objects are kept in a store
 * outside the build, keyed by everything that decides their bytes (compiler, flags,
 * content of the source and of every header it read), so that an unchanged source
 * costs a look-up and an edited one a compile. Flags and why: docs/formats.md,
 * "What a compile is". The store: $L3REPLAY_CACHE_DIR, else
 * $XDG_CACHE_HOME/l3replay, else ~/.cache/l3replay. An object that compile_programs()
 * hands out stays there as long as this process lives.
 */
#ifndef L3R_RANK_WORKER_COMPILE_COMPILE_H
#define L3R_RANK_WORKER_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/plan/program_table.h"
#include "rank-worker/compile/compile_session.h"
#include "rank-worker/compile/identity.h"
#include "rank-worker/compile/made_of.h"

struct compile_options {
    const char *platform;
    int jobs;           /* compilers at once, >= 1 */
    const bool *wanted; /* per program of the table: false skips it; NULL: all */
    bool assisting;     /* for a process that reports: no progress, no compiler's messages, look-ups are not counted */

    /* Called once, when more than one source has to be compiled and none has been, so that others may take part: who
     * compiles these programs with the same store at the same time shares the work. NULL: nobody else. */
    int (*share)(void *context, const struct program_table *programs, const bool *wanted, struct error *err);
    void *context;
};

/* What came out: paths of the objects, per program and kernel, in the table's order. */
struct compiled_program {
    char *orchestration; /* NULL when the program was not wanted */
    char **kernels;      /* nkernel of the program, then NULL */
    size_t nkernel;
    struct made_of orchestration_made, *kernels_made; /* the last: nkernel */
};

struct compiled {
    uint32_t count;
    struct compiled_program *items;
    /* Sources that had an object in the store when the job began, and objects made since, by whichever process. */
    uint32_t nreused, nbuilt;

    struct timespec read_at; /* before the first source was read: what was edited since has a later time */

    /* First line of the --version of what the objects are made by, also of those found in the store; NULL where there
     * is no source of the kind. */
    char *kernel_compiler, *orchestration_compiler;
    struct key kernel_compiler_id, orchestration_compiler_id; /* toolchain.h; where the texts are not NULL */
};

/* What binaries of these programs are built for today (rank-worker/compile/identity.h): platform, runtime, our
 * headers and compilers, and PTO-ISA where a kernel includes it and $PTO_ISA_ROOT names one. The session reads headers and
 * PTO-ISA once. Freed with identity_free(). */
int compile_identity(struct compile_session *session, const struct program_table *programs, const char *platform,
                     struct cache_identity *out, struct error *err);

/* Compile all wanted programs. When sources do not compile, or take longer than the limit, the others finish; then command
 * and compiler's output of each go to the log, in the order of the programs, and the error (INFRA) names the first and
 * how many there are. */
int compile_programs(struct compile_session *session, const struct program_table *programs,
                     const struct compile_options *options, struct compiled *out, struct error *err);
void compiled_free(struct compiled *c);
void compiled_program_free(struct compiled_program *c); /* a zeroed struct is fine */

/* When objects were built, bring the store back below its limit ($L3REPLAY_CACHE_MAX); what running processes use stays.
 * What goes wrong is a warning. */
void compile_trim(struct compile_session *session, const struct compiled *c);

#endif
