#include "rank-worker/compile/headers_later.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "rank-worker/compile/build_units.h"
#include "rank-worker/compile/store_entry.h"

static const char first_line[] = "l3replay-wanted 1\n";

static char *order_path(const struct store *s, struct key key)
{
    return text_format("%s/wanted/%016" PRIx64 "%016" PRIx64, s->root, key.high, key.low);
}

int headers_order(const struct unit *header, const struct unit_env *env, struct error *err)
{
    char *text = NULL, *path;
    size_t size = 0;
    FILE *out;
    int rc = -1;

    if (env->store.is_private) {
        return 0;
    }
    path = order_path(&env->store, header->first);
    out = path ? open_memstream(&text, &size) : NULL;
    if (!out) {
        free(path);
        return error_nomem(err, header->label, 1);
    }
    fputs(first_line, out);
    for (size_t i = 0; i < header->argv.n; i++) {
        fprintf(out, "%s\n", header->argv.v[i]);
    }
    if (fclose(out) != 0) {
        error_nomem(err, header->label, 1);
    } else {
        rc = store_keep_text(&env->store, path, text, size, err);
    }
    free(text);
    free(path);
    return rc;
}

bool headers_are_ordered(void)
{
    char *root = store_default_root();
    char *path = root ? text_format("%s/wanted", root) : NULL;
    struct args names = {0};
    bool some;

    some = path && directory_list(path, NULL, &names) == 0 && names.n > 0;
    args_free(&names);
    free(path);
    free(root);
    return some;
}

/* The command of an order; a path with an end of line in it is no order. */
static int read_order(const char *path, struct args *argv, struct error *err)
{
    const size_t length = sizeof first_line - 1;
    char *text = store_kept_text(path), *next;
    int rc = 0;

    if (text && strncmp(text, first_line, length) == 0) {
        for (char *line = text + length; (next = strchr(line, '\n')); line = next + 1) {
            *next = '\0';
            args_add(argv, "%s", line);
        }
        rc = args_done(argv, err) < 0 ? -1 : argv->n > 0;
    }
    free(text);
    return rc;
}

static int parse_key(const char *name, struct key *key)
{
    char rest;

    return strlen(name) == 32 && sscanf(name, "%16" SCNx64 "%16" SCNx64 "%c", &key->high, &key->low, &rest) == 2;
}

/* A unit for the order at `path`: 1 filled, 0 when it is none, -1 on error. */
static int open_order(struct unit *u, const char *path, const struct unit_env *env, struct error *err)
{
    const char *slash = strrchr(path, '/');
    int rc = parse_key(slash + 1, &u->first) ? read_order(path, &u->argv, err) : 0;

    if (rc <= 0) {
        return rc;
    }
    u->list = store_path(&env->store, "headers", u->first, "");
    u->source = store_path(&env->store, "pch", u->first, ".hpp");
    u->label = strdup("precompiled header");
    slash = u->source ? strrchr(u->source, '/') : NULL;
    u->dir = slash ? strndup(u->source, (size_t)(slash - u->source)) : NULL;
    if (!u->list || !u->dir || !u->label) {
        return error_nomem(err, path, strlen(path));
    }
    hashes_refresh(env->hashes);
    return hashes_file(env->hashes, u->source, &u->text, NULL) == 0;
}

/* 1 made, 0 not, -1 on error. */
static int make(const char *path, const struct unit_env *env, struct error *err)
{
    struct unit u = {.kind = UNIT_HEADER, .state = UNIT_WAITING, .lock = -1};
    struct build_counts counts = {0};
    int rc = open_order(&u, path, env, err);

    unlink(path);
    if (rc > 0) {
        rc = unit_lookup(&u, env, err);
        rc = rc != 0 ? rc : build_units(&u, 1, env, 1, true, &counts, err);
        rc = rc < 0 ? -1 : u.state == UNIT_DONE;
    }
    unit_close(&u);
    return rc;
}

int headers_make_ordered(struct compile_session *session, unsigned *made, struct error *err)
{
    const struct unit_env *env = compile_session_env(session);
    char *dir = text_format("%s/wanted", env->store.root);
    struct args names = {0};
    int rc = 0;

    *made = 0;
    if (!dir) {
        return error_nomem(err, "object store", 1);
    }
    if (directory_list(dir, NULL, &names) < 0 && errno != ENOENT) {
        rc = error_errno(err, dir, store_hint(errno), "cannot read the object store");
    }
    for (size_t i = 0; rc >= 0 && i < names.n; i++) {
        char *path = names.v[i][0] == '.' ? NULL : text_format("%s/%s", dir, names.v[i]);

        rc = path ? make(path, env, err) : 0;
        *made += rc > 0;
        free(path);
    }
    args_free(&names);
    free(dir);
    return rc < 0 ? -1 : 0;
}
