/*
 * toolchain - finding and identifying the compilers, and their flags.
 *
 * Kernels need C++23 as g++ 13 or clang 17 and later have it; orchestrations
 * C++17. Flags, and why: docs/formats.md, "What a compile is".
 */
#ifndef L3R_RANK_WORKER_COMPILE_TOOLCHAIN_H
#define L3R_RANK_WORKER_COMPILE_TOOLCHAIN_H

#include <stdbool.h>

#include "common/base/args.h"
#include "common/base/error.h"
#include "common/plan/program_table.h"
#include "rank-worker/compile/store.h"

enum toolchain_use { TOOLCHAIN_KERNEL = 0, TOOLCHAIN_ORCHESTRATION };

/* How a kernel gets std::bfloat16_t. */
enum toolchain_bfloat16 {
    BFLOAT16_UNKNOWN = 0,
    BFLOAT16_NONE, /* not at all: PTO-ISA would take half for it without a word */
    BFLOAT16_OWN,  /* from the compiler's own library */
    BFLOAT16_SHIM, /* from stdfloat-shim in our headers */
};

/* Begins the option that names a linker. */
#define LINKER_OPTION "-fuse-ld="

struct toolchain {
    char *path;    /* absolute, as it is run */
    char *version; /* first line of its --version */
    int major;
    bool clang;
    enum toolchain_bfloat16 bfloat16;
    struct key id;      /* path, version output, and size and mtime of the file it resolves to */
    const char *linker; /* a quicker one than the compiler's own, as -fuse-ld= calls it; NULL: none is there */
};

/* The compiler for a use: $L3REPLAY_KERNEL_CXX or $L3REPLAY_ORCH_CXX (a path, or a name on PATH), else the
 * first usable one of a list of names. INFRA, naming the packages, when there is none. What compilers say of themselves
 * is kept in the store. */
int toolchain_find(enum toolchain_use use, const struct store *store, char *const *env, struct toolchain *tool,
                   struct error *err);
void toolchain_free(struct toolchain *tool);

/* The compiler that a runtime's own command names (stack_commands.h): a path, or a name on PATH. INFRA when it is not
 * there, or does not answer. */
int toolchain_named(const char *name, const struct store *store, char *const *env, struct toolchain *tool,
                    struct error *err);

/* Find out `bfloat16` of a kernel compiler with the headers in `include`; the answer is kept in the store. */
int toolchain_probe(struct toolchain *tool, const struct store *store, const char *include, char *const *env,
                    struct error *err);

/* Environment that compilers are run in: ours, with messages in English and temporary files in `tmpdir`. */
int toolchain_environment(const char *tmpdir, struct args *env, struct error *err);

/* Hash the variables of the environment that change what a compiler reads or writes. */
void toolchain_hash_environment(struct hasher *h);

/* The command without include directories and files: compiler and flags. `core` counts for kernels only. */
void toolchain_flags(const struct toolchain *tool, enum toolchain_use use, enum core_type core, struct args *argv);

#endif
