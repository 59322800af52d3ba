#include "rank-worker/compile/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "common/base/directory.h"
#include "rank-worker/compile/inline_names.h"
#include "rank-worker/compile/store_entry.h"
#include "rank-worker/compile/store_use.h"

/* Changes whenever the same key would lead to other bytes. */
static const char version[] = "l3replay object 2";

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int unit_open(struct unit *u, struct error *err)
{
    const char *source = u->kernel ? u->kernel->source : u->program->orchestration;
    const char *part = !u->kernel ? "orchestration" : u->kernel->core == CORE_AIC ? "aic" : "aiv";
    char *const *dirs = u->kernel ? u->kernel->include_dirs : NULL;

    u->lock = -1;
    u->source = strdup(source);
    u->dir = strndup(source, (size_t)(base_name(source) - source));
    u->label = text_format("%s/%s/%s", u->program->name, part, base_name(source));
    if (!u->source || !u->dir || !u->label) {
        return error_nomem(err, source, strlen(source));
    }
    if (strlen(u->dir) > 1) {
        u->dir[strlen(u->dir) - 1] = '\0';
    }
    return scan_source(u->source, dirs, u->kernel ? u->kernel->ninclude : 0, &u->scan, err);
}

static bool is_shown(const char *name)
{
    return name[0] != '.';
}

/* Names of the files that a quoted include could find first: a new header beside the source may change what an
 * unchanged source means. Other sources and objects there do not. */
static int hash_neighbours(struct hasher *h, const char *dir)
{
    static const char *const others[] = {".cpp", ".cc", ".o", ".so", ".bin", ".pto", ".py", ".json"};
    struct args names = {0};

    if (directory_list(dir, is_shown, &names) < 0) {
        return errno == ENOMEM ? -1 : 0;
    }
    for (size_t i = 0; i < names.n; i++) {
        const char *end = strrchr(names.v[i], '.');
        bool counts = true;
        for (size_t k = 0; counts && end && k < sizeof others / sizeof *others; k++) {
            counts = strcmp(end, others[k]) != 0;
        }
        if (counts) {
            hasher_text(h, names.v[i]);
        }
    }
    args_free(&names);
    return 0;
}

static int make_key(struct unit *u, const struct toolchain *tool, const struct unit_env *env, struct error *err)
{
    struct hasher *h = hasher_new();
    int rc = 0;

    if (!h) {
        return error_nomem(err, u->source, 1);
    }
    hasher_text(h, version);
    hasher_key(h, tool->id);
    for (size_t i = 0; i < u->argv.n; i++) {
        hasher_text(h, u->argv.v[i]);
    }
    hasher_text(h, base_name(u->source));
    if (env->stack) { /* debug information names the places */
        hasher_text(h, u->source);
        hasher_text(h, env->stack->directory);
    }
    hasher_key(h, u->meaning);
    if (u->kind != UNIT_HEADER) {
        rc = hash_neighbours(h, u->dir);
    }
    for (size_t i = 0; rc == 0 && u->kernel && i < u->kernel->ninclude; i++) {
        rc = hash_neighbours(h, u->kernel->include_dirs[i]);
    }
    u->first = hasher_end(h);
    u->list = store_path(&env->store, "headers", u->first, "");
    return rc < 0 || !u->list ? error_nomem(err, u->source, 1) : 0;
}

static struct key hash_bytes(const char *bytes, size_t n)
{
    XXH128_hash_t hash = XXH3_128bits(bytes, n);

    return (struct key){.high = hash.high64, .low = hash.low64};
}

/* Of the source's text. */
static struct key key_of_meaning(const struct unit *u)
{
    const bool shared = u->scan.own_inline_names || strlen(u->scan.text) != u->scan.nbytes ||
                        (!u->kernel && inline_names_occur(u->program->function_name));
    char *canonical = shared ? NULL : inline_names_canonical(u->scan.text);
    const struct key key = canonical ? hash_bytes(canonical, strlen(canonical)) : u->text;

    free(canonical);
    return key;
}

/* The command for the cpu device. */
static void cpu_command(struct unit *u, const struct toolchain *tool, const struct unit_env *env)
{
    toolchain_flags(tool, u->kernel ? TOOLCHAIN_KERNEL : TOOLCHAIN_ORCHESTRATION,
                    u->kernel ? u->kernel->core : CORE_AIV, &u->argv);
    if (u->kernel && u->scan.pto) {
        args_add(&u->argv, "-I%s/include", env->pto);
        args_add(&u->argv, "-I%s/include/pto", env->pto);
    }
    if (u->kernel && tool->bfloat16 == BFLOAT16_SHIM) {
        args_add(&u->argv, "-I%s/stdfloat-shim", env->include);
    }
    args_add(&u->argv, "-I%s", env->include);
    for (size_t i = 0; u->kernel && i < u->kernel->ninclude; i++) {
        args_add(&u->argv, "-I%s", u->kernel->include_dirs[i]);
    }
}

/* What orchestrations share stays an object file. */
static void shared_command(struct unit *u, const struct unit_env *env)
{
    const struct args *command = &env->stack->orchestration;

    for (size_t i = 0; i < command->n; i++) {
        if (strcmp(command->v[i], "-shared") != 0) {
            args_add(&u->argv, "%s", command->v[i]);
        }
    }
    args_add(&u->argv, "-c");
}

int unit_prepare(struct unit *u, const struct unit_env *env, struct error *err)
{
    const struct toolchain *tool = &env->tools[u->kernel ? TOOLCHAIN_KERNEL : TOOLCHAIN_ORCHESTRATION];

    u->text = hash_bytes(u->scan.text, u->scan.nbytes);
    u->meaning = env->stack ? u->text : key_of_meaning(u);
    free(u->scan.text);
    u->scan.text = NULL;
    if (u->shared) {
        shared_command(u, env);
    } else if (env->stack) {
        stack_command(env->stack, u->kernel, &u->argv);
    } else {
        cpu_command(u, tool, env);
    }
    if (args_done(&u->argv, err) < 0) {
        return -1;
    }
    return make_key(u, tool, env, err);
}

/* A precompiled header may be made later and elsewhere (headers_later.h): its include directories have whole paths. */
static void add_header_word(struct unit *u, const char *word, const struct unit_env *env)
{
    char *path = env->stack && strncmp(word, "-I", 2) == 0 ? stack_path(env->stack, word + 2) : NULL;

    if (path) {
        args_add(&u->argv, "-I%s", path);
    } else {
        args_add(&u->argv, "%s", word);
    }
    free(path);
}

int unit_header(struct unit *u, const struct unit *of, const struct unit_env *env, struct error *err)
{
    const struct toolchain *tool = &env->tools[TOOLCHAIN_KERNEL];

    *u = (struct unit){.kind = UNIT_HEADER, .program = of->program, .lock = -1};
    u->text = hash_bytes(of->scan.prefix, strlen(of->scan.prefix));
    u->meaning = u->text;
    u->source = strdup("prefix.hpp");
    u->label = text_format("precompiled header of %s", of->label);
    for (size_t i = 0; i < of->argv.n; i++) {
        if (strcmp(of->argv.v[i], "-shared") != 0 &&
            strncmp(of->argv.v[i], LINKER_OPTION, sizeof LINKER_OPTION - 1) != 0) {
            add_header_word(u, of->argv.v[i], env);
        }
    }
    /* Whether it is current depends on the content of its headers, not by their times. */
    args_add(&u->argv, "-Xclang");
    args_add(&u->argv, "-fno-pch-timestamp");
    args_add(&u->argv, "-fpch-instantiate-templates");
    args_add(&u->argv, "-xc++-header");
    if (!u->source || !u->label || args_done(&u->argv, err) < 0) {
        return error_nomem(err, of->source, 1);
    }
    if (make_key(u, tool, env, err) < 0) {
        return -1;
    }
    free(u->source);
    u->source = store_path(&env->store, "pch", u->first, ".hpp");
    u->dir = u->source ? strndup(u->source, (size_t)(base_name(u->source) - u->source - 1)) : NULL;
    return u->dir ? 0 : error_nomem(err, of->source, 1);
}

char *unit_object_path(const struct unit *u, const struct unit_env *env, struct key key)
{
    return u->kind == UNIT_HEADER ? store_path(&env->store, "pch", key, ".pch")
                                  : store_path(&env->store, "objects", key, ".so");
}

bool unit_has_object(const struct unit *u, const char *path)
{
    return u->kind == UNIT_HEADER ? store_has_file(path) : store_has_object(path);
}

int unit_seal(const struct unit *u, const struct unit_env *env, struct error *err)
{
    char text[STORE_SEAL_SIZE], *path;
    int rc;

    if (u->kind != UNIT_HEADER) {
        return store_seal(u->output_path, err);
    }
    if (store_seal_text(u->output_path, text, err) < 0) {
        return -1;
    }
    path = store_seal_path(u->object);
    rc = path ? store_write(&env->store, path, text, strlen(text), err) : error_nomem(err, u->source, 1);
    free(path);
    return rc;
}

int unit_lookup(struct unit *u, const struct unit_env *env, struct error *err)
{
    struct made_of made = {.known = true, .source = u->text};
    struct key key = {0};
    char *path = NULL;
    int rc = deps_load(u->list, &made.headers, err);

    if (rc > 0) {
        rc = deps_key(env->hashes, u->dir, &made, u->first, &key, NULL, err);
    }
    if (rc > 0) {
        path = unit_object_path(u, env, key);
        rc = path ? 1 : error_nomem(err, u->source, 1);
    }
    made_of_free(&u->made);
    u->made = made;
    if (rc <= 0) {
        return rc;
    }
    /* First on the list of what is used: what is there then stays. */
    rc = store_use(&env->store, u->list, err) < 0 || store_use(&env->store, path, err) < 0 ? -1 : 0;
    if (rc < 0 || !unit_has_object(u, path)) {
        free(path);
        return rc;
    }
    free(u->object);
    u->object = path;
    return 1;
}

void unit_close(struct unit *u)
{
    store_unlock(u->lock);
    scan_free(&u->scan);
    args_free(&u->argv);
    free(u->source);
    free(u->dir);
    free(u->label);
    free(u->list);
    free(u->object);
    free(u->output_path);
    free(u->object_path);
    free(u->deps_path);
    free(u->first_output);
    free(u->command);
    made_of_free(&u->made);
    *u = (struct unit){.lock = -1};
}
