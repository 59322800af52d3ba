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

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/plan/program_table.h"
#include "rank-worker/compile/identity.h"

enum { COMPILE_LIMIT_S = 600 };

struct compile_options {
    const char *platform;
    int jobs;            /* compilers at once, >= 1 */
    const bool *wanted;  /* per program of the table: false skips it; NULL: all */
    const char *include; /* directory of the headers we offer; NULL: the installed one */
    bool quiet;          /* no progress */
    bool no_ccache;      /* do not compile through ccache, where it is installed */
    int limit_s;         /* seconds for one run of a compiler; 0: COMPILE_LIMIT_S */
};

/* What came out: paths of the objects, per program and kernel, in the table's order. */
struct compiled_program {
    char *orchestration; /* NULL when the program was not wanted */
    char **kernels;      /* nkernel of the program */
};

struct compiled {
    uint32_t count;
    struct compiled_program *items;
    uint32_t nbuilt, nreused; /* compiler runs, and objects found in the store */

    /* First line of the --version of what the objects are made by, also of those found in the store; NULL where there
     * is no source of the kind. */
    char *kernel_compiler, *orchestration_compiler;
};

/* Refuse by name, before anything is compiled, what the cpu device cannot do
 * (docs/formats.md, "Not on the cpu device"). */
int compile_check(const struct program_table *programs, const bool *wanted, struct error *err);

/* The same for what only a plan shows: dispatches of these programs that pass fp8 or fp4 tensors. Names the
 * dispatch and the type. */
int compile_check_plan(const struct plan *plan, const struct program_table *programs, struct error *err);

/* What binaries of these programs are built for today (rank-worker/compile/identity.h): platform, runtime, our
 * headers and compilers, and PTO-ISA where $PTO_ISA_ROOT names one. Freed with identity_free(). */
int compile_identity(const struct program_table *programs, const char *platform, struct cache_identity *out,
                     struct error *err);

/* How many sources of the wanted programs the store has no object for: what compile_programs() would compile. -1 with
 * `err` on failure. */
long compile_missing(const struct program_table *programs, const struct compile_options *options, struct error *err);

/* Compile all wanted programs. A source that does not compile, or takes longer than the limit: its command and the compiler's output go to
 * the log, the others finish, and the error (INFRA) names program and source. */
int compile_programs(const struct program_table *programs, const struct compile_options *options, struct compiled *out,
                     struct error *err);
void compiled_free(struct compiled *c);

/* When objects were built, bring the store back below its limit ($L3REPLAY_CACHE_MAX); what running processes use stays.
 * What goes wrong is a warning. */
void compile_trim(const struct compiled *c);

#endif
