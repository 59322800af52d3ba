#include "orchestrator/device/runtime_fill_build.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/install.h"
#include "rank-worker/compile/compile.h"

static int make_command(const struct runtime_info *info, struct stack_commands *c, struct error *err)
{
    c->directory = strdup(info->root);
    if (!c->directory) {
        return error_nomem(err, info->root, strlen(info->root));
    }
    args_add(&c->orchestration, "%s", info->commands.orchestration.v[0]);
    args_add_all(&c->orchestration, (const char *const[]){"-shared", "-fPIC", "-O2", "-std=c++17", "-w"}, 5);
    for (size_t i = 0; i < info->includes.n; i++) {
        args_add(&c->orchestration, "-I%s", info->includes.v[i]);
    }
    args_add(&c->orchestration, "-I%s/src/common/log/include", info->root);
    return args_done(&c->orchestration, err);
}

static int compile(const struct stack_commands *command, char *source, char **path, struct error *err)
{
    struct program program = {.name = (char[]){"simpler"},
                              .dir = command->directory,
                              .runtime = (char[]){""},
                              .orchestration = source,
                              .function_name = (char[]){""},
                              .config_name = (char[]){""}};
    const struct program_table table = {.count = 1, .items = &program};
    const struct compile_session_options options = {.stack = command};
    struct compile_session *session;
    struct compiled compiled = {0};
    int rc = compile_session_open(&options, &session, err);

    if (rc == 0) {
        rc = compile_programs(session, &table, &(struct compile_options){.jobs = 1}, &compiled, err);
    }
    if (rc == 0) {
        *path = compiled.items[0].orchestration;
        compiled.items[0].orchestration = NULL;
    }
    compiled_free(&compiled);
    compile_session_close(session);
    return rc;
}

int runtime_fill_build(const struct runtime_info *info, char **path, struct error *err)
{
    struct stack_commands command = {0};
    struct error inner = {0};
    char dir[4096], *source = NULL;
    int rc = install_find(INSTALL_FILL, dir, sizeof dir, err);

    *path = NULL;
    if (rc == 0) {
        source = file_join(dir, "runtime_fill.cpp", err);
        rc = source ? make_command(info, &command, err) : -1;
    }
    if (rc == 0 && compile(&command, source, path, &inner) < 0) {
        error_print(&inner);
        rc = error_set(err, info->root, "docs/devices.md lists the revisions that were tried: install one of them",
                       "this version of the simpler runtime (%s) lacks what l3replay needs, or has it otherwise: the "
                       "messages above name it",
                       info->commands.runtime_revision ? info->commands.runtime_revision : "of an unknown revision");
    }
    stack_commands_free(&command);
    free(source);
    return rc;
}
