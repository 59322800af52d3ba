#include "rank-worker/compile/compile_session.h"

#include <limits.h>
#include <stdlib.h>

#include "common/base/executable.h"
#include "common/base/install.h"
#include "rank-worker/compile/identity.h"
#include "rank-worker/compile/unit_command.h"

struct compile_session {
    struct unit_env env;
    char *cpu_revision, *pto_revision; /* NULL: not found out yet */
};

/* Given, else where l3replay is installed or built; symbolic links are resolved, as two names for one directory
 * would be two keys. */
static char *find_include(const char *given, struct error *err)
{
    char found[PATH_MAX], *path;

    if (!given && install_find(INSTALL_INCLUDE, found, sizeof found, err) < 0) {
        return NULL;
    }
    path = realpath(given ? given : found, NULL);
    if (!path) {
        error_errno(err, given, "check L3REPLAY_INCLUDE_DIR", "the directory of the cpu device's headers is not there");
    }
    return path;
}

static int use_ccache(struct unit_env *env, struct error *err)
{
    if (executable_find("ccache", &env->ccache, err) < 0) {
        return -1;
    }
    ccache_environment(&env->env);
    return args_done(&env->env, err);
}

static int open_env(struct unit_env *env, const struct compile_session_options *options, struct error *err)
{
    env->stack = options->stack;
    env->limit_s = options->limit_s > 0 ? options->limit_s : COMPILE_LIMIT_S;
    env->include = find_include(options->include, err);
    if (!env->include) {
        return -1;
    }
    env->hashes = hashes_new();
    if (!env->hashes) {
        return error_nomem(err, "compile", 1);
    }
    if (store_open(&env->store, err) < 0 || toolchain_environment(env->store.tmp, &env->env, err) < 0) {
        return -1;
    }
    return options->no_ccache ? 0 : use_ccache(env, err);
}

int compile_session_open(const struct compile_session_options *options, struct compile_session **session,
                         struct error *err)
{
    *session = calloc(1, sizeof **session);
    if (!*session) {
        return error_nomem(err, "compile", sizeof **session);
    }
    if (open_env(&(*session)->env, options, err) < 0) {
        compile_session_close(*session);
        *session = NULL;
        return -1;
    }
    return 0;
}

void compile_session_close(struct compile_session *session)
{
    struct unit_env *env;

    if (!session) {
        return;
    }
    env = &session->env;
    args_free(&env->shared);
    free(env->include);
    free(env->pto);
    free(env->ccache);
    hashes_free(env->hashes);
    store_close(&env->store);
    args_free(&env->env);
    toolchain_free(&env->tools[TOOLCHAIN_KERNEL]);
    toolchain_free(&env->tools[TOOLCHAIN_ORCHESTRATION]);
    free(session->cpu_revision);
    free(session->pto_revision);
    free(session);
}

struct unit_env *compile_session_env(struct compile_session *session)
{
    return &session->env;
}

const struct toolchain *compile_session_compiler(struct compile_session *session, enum toolchain_use use,
                                                 struct error *err)
{
    struct unit_env *env = &session->env;
    struct toolchain *tool = &env->tools[use];

    if (!tool->path && env->stack) {
        const struct args *command =
            use == TOOLCHAIN_KERNEL ? &env->stack->kernel[CORE_AIV] : &env->stack->orchestration;

        return toolchain_named(command->v[0], &env->store, env->env.v, tool, err) == 0 ? tool : NULL;
    }
    if (!tool->path && toolchain_find(use, &env->store, env->env.v, tool, err) < 0) {
        return NULL;
    }
    return tool;
}

const struct toolchain *compile_session_kernel_compiler(struct compile_session *session, struct error *err)
{
    struct unit_env *env = &session->env;
    struct toolchain *tool = &env->tools[TOOLCHAIN_KERNEL];

    if (!compile_session_compiler(session, TOOLCHAIN_KERNEL, err) ||
        (!env->stack && tool->bfloat16 == BFLOAT16_UNKNOWN &&
         toolchain_probe(tool, &env->store, env->include, env->env.v, err) < 0)) {
        return NULL;
    }
    return tool;
}

const char *compile_session_cpu_revision(struct compile_session *session, struct error *err)
{
    if (!session->cpu_revision) {
        const struct toolchain *kernel = compile_session_compiler(session, TOOLCHAIN_KERNEL, err);
        const struct toolchain *orchestration =
            kernel ? compile_session_compiler(session, TOOLCHAIN_ORCHESTRATION, err) : NULL;

        if (orchestration) {
            session->cpu_revision = identity_cpu_revision(session->env.include, kernel, orchestration, err);
        }
    }
    return session->cpu_revision;
}

const char *compile_session_pto_revision(struct compile_session *session, struct error *err)
{
    if (!session->pto_revision) {
        session->pto_revision = identity_pto_revision(getenv("PTO_ISA_ROOT"), err);
    }
    return session->pto_revision;
}
