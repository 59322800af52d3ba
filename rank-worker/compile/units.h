/*
 * units - one source each: its command line, its key, and whether the store has its object.
 *
 * Two levels of keys: `first` hashes what is known before compiling (compiler, flags, environment, the source's
 * text and name, names of the headers beside it) and leads to the list of headers that were read last time;
 * the object's key adds the content of those. A precompiled header is a unit as well.
 */
#ifndef L3R_RANK_WORKER_COMPILE_UNITS_H
#define L3R_RANK_WORKER_COMPILE_UNITS_H

#include <stdbool.h>
#include <time.h>

#include "common/plan/program_table.h"
#include "rank-worker/compile/deps.h"
#include "rank-worker/compile/scan.h"
#include "rank-worker/compile/stack_commands.h"
#include "rank-worker/compile/toolchain.h"
#include "rank-worker/compile/unknown_name.h"

enum unit_kind { UNIT_HEADER = 0, UNIT_KERNEL, UNIT_ORCHESTRATION }; /* also the order of compiling: longest first */
enum unit_state { UNIT_WAITING = 0, UNIT_RUNNING, UNIT_DONE, UNIT_FAILED };

struct unit {
    enum unit_kind kind;
    enum unit_state state;
    const struct program *program;
    const struct kernel *kernel; /* NULL: the orchestration */
    char **slot;                 /* where the caller wants the object's path; NULL: a precompiled header */
    struct made_of *made_slot;   /* and what it was made of */
    char *source, *dir, *label;  /* label: "chip_orch/aiv/k.cpp", for people */
    const char *named;           /* how the command names the source; NULL: by its path */
    bool shared;                 /* linked to each orchestration (stack_commands.h): an object file */
    struct scan scan;
    struct args argv;   /* compiler, flags and include directories */
    struct key text;    /* content of the source */
    struct key meaning; /* the same, but for what does not matter: the numbers of inlined names */
    struct key first;
    char *list;          /* the store's header list of `first` */
    char *object;        /* set by unit_lookup, or when it was built */
    struct made_of made; /* what `object` was made of */

    /* While it is being built. */
    struct unit *header; /* the precompiled header to use where it is there in time, or NULL */
    bool with_header;    /* it was */
    int attempt, reruns, lock;
    struct timespec begun, blocked;
    char *output_path, *deps_path, *command;
    char *first_output;             /* the compiler's messages, of the first attempt that failed */
    int signal;                     /* that ended the compiler; 0: none */
    int timed_out;                  /* the limit in seconds that it overran; 0: it did not */
    bool left_out;                  /* it failed without being compiled: another one overran the limit */
    bool cut;                       /* there were more messages */
    char unknown[96];               /* it failed for this name; "": for something else */
    enum unknown_kind unknown_kind; /* what the name is of */
    char *object_path;              /* between compiling and linking, where they are apart; else NULL */
    bool linking;
    struct key seen; /* key of the last run, when files changed during it */
};

struct unit_env {
    struct store store;
    struct hashes *hashes;
    struct toolchain tools[2]; /* by enum toolchain_use */
    struct args env;
    char *include; /* our headers */
    char *pto;     /* PTO-ISA; NULL when no source needs it */
    char *ccache;  /* NULL: none, or not wanted */
    int limit_s;   /* for one run of a compiler */

    const struct stack_commands *stack; /* compiles with these; NULL: for the cpu device */
    struct args shared;                 /* objects of stack->shared, in its order, once they are there */
};

/* Fill source, dir, label and scan of a unit whose kind, program and kernel are set. */
int unit_open(struct unit *u, struct error *err);

/* Command line and keys; needs the tools found. */
int unit_prepare(struct unit *u, const struct unit_env *env, struct error *err);

/* Make `u` the precompiled header for the prefix of kernel unit `of`. */
int unit_header(struct unit *u, const struct unit *of, const struct unit_env *env, struct error *err);

/* 1 when the store has the object (u->object set), 0 when it must be built, -1 on error. */
int unit_lookup(struct unit *u, const struct unit_env *env, struct error *err);

/* Path of the object under `key`; malloc'd. */
char *unit_object_path(const struct unit *u, const struct unit_env *env, struct key key);

bool unit_has_object(const struct unit *u, const char *path);

/* Seal what was built, at `output_path`, before store_publish() puts it at `object` (store_entry.h). */
int unit_seal(const struct unit *u, const struct unit_env *env, struct error *err);

void unit_close(struct unit *u);

#endif
