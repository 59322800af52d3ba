#include "rank-worker/compile/ccache.h"

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

void ccache_compile(const struct args *whole, const char *ccache, const char *output, const char *object,
                    struct args *out)
{
    args_add(out, "%s", ccache);
    for (size_t i = 0; i < whole->n; i++) {
        if (strcmp(whole->v[i], "-shared") != 0) {
            args_add(out, "%s", strcmp(whole->v[i], output) == 0 ? object : whole->v[i]);
        }
    }
    args_add(out, "-c");
}

void ccache_link(const struct args *whole, const char *object, const char *output, struct args *out)
{
    args_add_all(out, (const char *const[]){whole->v[0], "-shared", "-fPIC", object, "-o", output}, 6);
}
