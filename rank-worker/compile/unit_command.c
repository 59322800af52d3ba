#include "rank-worker/compile/unit_command.h"

#include <stdlib.h>
#include <string.h>

void ccache_environment(struct args *env)
{
    if (!getenv("CCACHE_SLOPPINESS")) {
        args_add(env, "CCACHE_SLOPPINESS=pch_defines,time_macros");
    }
    if (!getenv("CCACHE_DEPEND")) {
        args_add(env, "CCACHE_DEPEND=1"); /* we ask for dependencies anyway: no preprocessing on a miss */
    }
    args_add(env, "CCACHE_BASEDIR="); /* with it, dependencies become relative to a directory that is not ours */
}

bool unit_is_linked_apart(const struct unit *u, const struct unit_env *env, const char *ccache)
{
    if (u->kind == UNIT_HEADER || u->shared) {
        return false;
    }
    return (env->stack && !u->kernel) || ccache;
}

/* The first attempt is as documented; the second brings along the standard headers that the reference's headers
 * include by the way, and does without a precompiled header. A runtime's own command stays as it is. */
int unit_whole_command(const struct unit *u, const struct unit_env *env, struct args *out, struct error *err)
{
    args_add_all(out, (const char *const *)u->argv.v, u->argv.n);
    if (u->with_header) {
        args_add(out, "-include-pch");
        args_add(out, "%s", u->header->object);
    } else if (u->attempt > 1 && !env->stack) {
        args_add(out, "-DL3R_TRANSITIVE_INCLUDES");
    }
    if (u->kind != UNIT_HEADER && !env->stack) {
        args_add(out, "-ffile-prefix-map=%s/=", u->dir);
    }
    args_add_all(out, (const char *const[]){"-MD", "-MT", "object", "-MF", u->deps_path, "-o", u->output_path}, 7);
    args_add(out, "%s", u->named ? u->named : u->source);
    return args_done(out, err);
}

static void compile_part(const struct unit *u, const struct args *whole, const char *ccache, struct args *out)
{
    if (ccache) {
        args_add(out, "%s", ccache);
    }
    for (size_t i = 0; i < whole->n; i++) {
        if (strcmp(whole->v[i], "-shared") != 0) {
            args_add(out, "%s", strcmp(whole->v[i], u->output_path) == 0 ? u->object_path : whole->v[i]);
        }
    }
    args_add(out, "-c");
}

static void link_part(const struct unit *u, const struct unit_env *env, struct args *out)
{
    if (env->stack && !u->kernel) {
        stack_link(env->stack, &env->shared, u->object_path, u->output_path, out);
    } else {
        args_add_all(out, (const char *const[]){u->argv.v[0], "-shared", "-fPIC", u->object_path, "-o", u->output_path},
                     6);
        for (size_t i = 0; i < u->argv.n; i++) {
            if (strncmp(u->argv.v[i], LINKER_OPTION, sizeof LINKER_OPTION - 1) == 0) {
                args_add(out, "%s", u->argv.v[i]);
            }
        }
    }
}

int unit_next_command(const struct unit *u, const struct unit_env *env, const char *ccache, struct args *out,
                      struct error *err)
{
    struct args whole = {0};
    int rc;

    if (env->stack) {
        stack_run_in(env->stack, out);
    }
    if (u->linking) {
        link_part(u, env, out);
        return args_done(out, err);
    }
    if (!u->object_path) {
        return unit_whole_command(u, env, out, err);
    }
    rc = unit_whole_command(u, env, &whole, err);
    if (rc == 0) {
        compile_part(u, &whole, ccache, out);
        rc = args_done(out, err);
    }
    args_free(&whole);
    return rc;
}
