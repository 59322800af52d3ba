/*
 * compile_session - what compiles of one command share: the store, the compilers, our headers, PTO-ISA, ccache, and the
 * hashes of files that were read.
 *
 * A command opens one session, hands it to all that compile or name what binaries are built for, and closes it. Compilers and
 * PTO-ISA are looked for when the first source needs them, and once: later compiles of the session use what was found.
 */
#ifndef L3R_RANK_WORKER_COMPILE_COMPILE_SESSION_H
#define L3R_RANK_WORKER_COMPILE_COMPILE_SESSION_H

#include <stdbool.h>

#include "common/base/error.h"

enum { COMPILE_LIMIT_S = 600 };

struct compile_session;
struct stack_commands;

struct compile_session_options {
    const char *include; /* directory of the headers we offer; NULL: the installed one */
    bool no_ccache;      /* do not compile through ccache, where it is installed */
    int limit_s;         /* seconds for one run of a compiler; 0: COMPILE_LIMIT_S */

    const struct stack_commands
        *stack; /* compile for an installed runtime; NULL: for the cpu device. Outlives the session */
};

/* Open the store, and find our headers and ccache. `*session` belongs to the caller and is freed with
 * compile_session_close(), by the process that opened it; -1 with `err` (INFRA), and `*session` is NULL. */
int compile_session_open(const struct compile_session_options *options, struct compile_session **session,
                         struct error *err);
void compile_session_close(struct compile_session *session); /* NULL is fine */

/* --- for rank-worker/compile alone ------------------------------------------ */

enum toolchain_use;
struct toolchain;
struct unit_env;

/* What is known: compilers are in it once the functions below have found them, PTO-ISA once a source needed it. The
 * session's own. */
struct unit_env *compile_session_env(struct compile_session *session);

/* The compiler for a use, found by the first call (toolchain_find()). The session's own; NULL with `err` (INFRA). */
const struct toolchain *compile_session_compiler(struct compile_session *session, enum toolchain_use use,
                                                 struct error *err);

/* The compiler for kernels with its `bfloat16` found out, by the first call (toolchain_probe()). */
const struct toolchain *compile_session_kernel_compiler(struct compile_session *session, struct error *err);

/* Revisions for a stamp (identity.h): of what is ours, and of the PTO-ISA that $PTO_ISA_ROOT names. Headers and PTO-ISA are
 * read by the first call. The session's own; NULL with `err`. */
const char *compile_session_cpu_revision(struct compile_session *session, struct error *err);
const char *compile_session_pto_revision(struct compile_session *session, struct error *err);

#endif
