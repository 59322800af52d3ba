#include "orchestrator/device/runtime_info.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/json.h"
#include "orchestrator/device/runtime_answer.h"
#include "orchestrator/record/helper_error.h"
#include "rank-worker/compile/identity.h"

/* --- the answer ------------------------------------------------------------ */

static int read_text(const struct json_source *src, const cJSON *object, const char *key, char **out)
{
    const char *text;

    if (json_get_string(src, object, key, &text) < 0) {
        return -1;
    }
    *out = strdup(text);
    return *out ? 0 : error_nomem(src->err, key, strlen(text));
}

static int read_list(const struct json_source *src, const cJSON *object, const char *key, struct args *out)
{
    const cJSON *list, *item;
    const char *text;

    if (json_get_list(src, object, key, &list, NULL) < 0) {
        return -1;
    }
    cJSON_ArrayForEach(item, list) {
        if (json_get_string(src, item, NULL, &text) < 0) {
            return -1;
        }
        args_add(out, "%s", text);
    }
    return args_done(out, src->err);
}

/* A command begins with its compiler. */
static int read_command(const struct json_source *src, const cJSON *object, const char *key, struct args *out)
{
    if (read_list(src, object, key, out) < 0) {
        return -1;
    }
    return out->n > 0 ? 0 : json_fail(src, object, key, "is a command without words");
}

static int read_platform(const struct json_source *src, const cJSON *root, struct runtime_info *out)
{
    struct stack_commands *c = &out->commands;
    const cJSON *libraries, *commands;

    if (json_get_object(src, root, "libraries", &libraries) < 0 ||
        json_get_object(src, root, "commands", &commands) < 0) {
        return -1;
    }
    if (read_text(src, libraries, "host", &out->host) < 0 || read_text(src, libraries, "aicpu", &out->aicpu) < 0 ||
        read_text(src, libraries, "aicore", &out->aicore) < 0 ||
        read_text(src, libraries, "sim_context", &out->sim_context) < 0 ||
        read_text(src, libraries, "dispatcher", &out->dispatcher) < 0) {
        return -1;
    }
    if (read_text(src, commands, "directory", &c->directory) < 0 ||
        read_command(src, commands, "aic", &c->kernel[CORE_AIC]) < 0 ||
        read_command(src, commands, "aiv", &c->kernel[CORE_AIV]) < 0 ||
        read_command(src, commands, "orchestration", &c->orchestration) < 0 ||
        read_list(src, commands, "shared", &c->shared) < 0) {
        return -1;
    }
    return read_list(src, commands, "includes", &out->includes);
}

/* `commit`: of an installed package, to be freed; "" when it does not say. */
static int read_answer(const char *text, struct runtime_info *out, char **commit, struct error *err)
{
    struct json_source src = {.file = "the runtime's answer", .hint = HELPER_REPORT, .err = err};
    cJSON *root = json_parse(&src, text, strlen(text));
    int rc = -1;

    *commit = NULL;
    if (root && read_text(&src, root, "root", &out->root) == 0 && read_text(&src, root, "commit", commit) == 0 &&
        read_text(&src, root, "pto_isa", &out->pto_isa_pin) == 0 && read_list(&src, root, "built", &out->built) == 0) {
        rc = json_has(root, "libraries") ? read_platform(&src, root, out) : 0;
    }
    cJSON_Delete(root);
    return rc;
}

/* --- where it is, and what ------------------------------------------------- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* The directory as one name; "" when nobody named one. */
static char *find_root(const char *given, const char **found, struct error *err)
{
    const char *named = given ? given : variable("SIMPLER_ROOT");
    char *root;

    *found = given ? "--simpler-root" : named ? "SIMPLER_ROOT" : "the Python package simpler_setup";
    root = named ? realpath(named, NULL) : strdup("");
    if (!root) {
        error_errno(err, *found, "name a checkout of the simpler runtime that was built", "there is no %s", named);
    }
    return root;
}

/* Of a checkout, when it is as it was committed; else what the installed package was made of. */
static void find_revision(struct runtime_info *info, char **commit)
{
    char *git = file_join(info->root, ".git", NULL);

    if (git && access(git, F_OK) == 0) {
        info->commands.runtime_revision = identity_checkout(info->root, &info->unrevised);
    } else if (**commit) {
        info->commands.runtime_revision = *commit;
        *commit = NULL;
    } else {
        info->unrevised = "it is no git checkout, and the package does not name its commit";
    }
    free(git);
}

int runtime_info_ask(const char *root, const char *platform, const char *runtime, struct runtime_info *out,
                     struct error *err)
{
    const char *pto = variable("PTO_ISA_ROOT");
    char *given, *pto_isa = pto ? realpath(pto, NULL) : NULL, *text = NULL, *commit = NULL;
    int rc = -1;

    *out = (struct runtime_info){0};
    given = find_root(root, &out->found, err);
    if (given) {
        const struct runtime_question question = {.root = given,
                                                  .platform = platform ? platform : "",
                                                  .runtime = runtime ? runtime : "",
                                                  .pto_isa = pto_isa ? pto_isa : ""};

        text = runtime_answer(&question, err);
    }
    if (text && read_answer(text, out, &commit, err) == 0) {
        find_revision(out, &commit);
        out->commands.pto_isa_revision = pto_isa ? identity_checkout(pto_isa, NULL) : NULL;
        rc = 0;
    }
    free(commit);
    free(text);
    free(given);
    free(pto_isa);
    return rc;
}

void runtime_info_free(struct runtime_info *info)
{
    free(info->root);
    free(info->pto_isa_pin);
    free(info->host);
    free(info->aicpu);
    free(info->aicore);
    free(info->sim_context);
    free(info->dispatcher);
    args_free(&info->built);
    args_free(&info->includes);
    stack_commands_free(&info->commands);
    *info = (struct runtime_info){0};
}
