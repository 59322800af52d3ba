/*
 * stack_commands - the commands with which an installed runtime of the stack compiles, as it says them itself.
 *
 * The cpu device compiles against headers of ours, with flags of ours (toolchain.h). For a runtime of the stack the commands
 * are its own: they are run here as they are, in its directory, so that the same bytes come out as where its tools run them.
 * What orchestrations share is compiled once, and linked to each.
 */
#ifndef L3R_RANK_WORKER_COMPILE_STACK_COMMANDS_H
#define L3R_RANK_WORKER_COMPILE_STACK_COMMANDS_H

#include "common/base/args.h"
#include "common/plan/program_table.h"

struct stack_commands {
    char *directory;           /* that the commands run in; relative paths in them begin there */
    struct args kernel[2];     /* by enum core_type: compiler, flags and include directories */
    struct args orchestration; /* the same, with what the linker gets */
    struct args shared;        /* sources that are linked to each orchestration, as the command names them */
    char *runtime_revision;    /* NULL: not known */
    char *pto_isa_revision;    /* NULL: not known */
};

/* The command for a kernel, or an orchestration (NULL), but for its output and source. */
void stack_command(const struct stack_commands *s, const struct kernel *kernel, struct args *out);

/* The command that links `object` and the objects of the shared sources into `output`. */
void stack_link(const struct stack_commands *s, const struct args *shared, const char *object, const char *output,
                struct args *out);

/* Path of a file that a command names; to be freed, NULL without memory. */
char *stack_path(const struct stack_commands *s, const char *name);

/* What comes before a command, so that it runs in the directory. */
void stack_run_in(const struct stack_commands *s, struct args *out);

void stack_commands_free(struct stack_commands *s); /* a zeroed struct is fine */

#endif
