#include "rank-worker/compile/stack_commands.h"

#include <stdlib.h>
#include <string.h>

static void add_list(struct args *out, const struct args *list)
{
    args_add_all(out, (const char *const *)list->v, list->n);
}

void stack_command(const struct stack_commands *s, const struct kernel *kernel, struct args *out)
{
    add_list(out, kernel ? &s->kernel[kernel->core] : &s->orchestration);
    for (size_t i = 0; kernel && i < kernel->ninclude; i++) {
        args_add(out, "-I%s", kernel->include_dirs[i]);
    }
}

/* The order of the objects is that of the sources in the runtime's own command. */
void stack_link(const struct stack_commands *s, const struct args *shared, const char *object, const char *output,
                struct args *out)
{
    add_list(out, &s->orchestration);
    add_list(out, shared);
    args_add(out, "-o");
    args_add(out, "%s", output);
    args_add(out, "%s", object);
}

char *stack_path(const struct stack_commands *s, const char *name)
{
    return name[0] == '/' ? strdup(name) : text_format("%s/%s", s->directory, name);
}

void stack_run_in(const struct stack_commands *s, struct args *out)
{
    args_add(out, "/usr/bin/env");
    args_add(out, "-C");
    args_add(out, "%s", s->directory);
}

void stack_commands_free(struct stack_commands *s)
{
    free(s->directory);
    args_free(&s->kernel[CORE_AIC]);
    args_free(&s->kernel[CORE_AIV]);
    args_free(&s->orchestration);
    args_free(&s->shared);
    free(s->runtime_revision);
    free(s->pto_isa_revision);
    *s = (struct stack_commands){0};
}
