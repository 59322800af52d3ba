#include "rank-worker/cache/stale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "rank-worker/compile/hashes.h"

/* A header that has changed, and for whom. */
struct header {
    char *path, *name;
    const char *user; /* a source that includes it */
    unsigned nuser;
};

struct check {
    const struct program *program;
    struct hashes *hashes;
    struct header *headers;
    size_t count, capacity;
    unsigned nunknown;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_newer(const char *source, const char *binary)
{
    struct stat s, b;

    if (stat(source, &s) < 0 || stat(binary, &b) < 0) {
        return false;
    }
    return s.st_mtim.tv_sec != b.st_mtim.tv_sec ? s.st_mtim.tv_sec > b.st_mtim.tv_sec
                                                : s.st_mtim.tv_nsec > b.st_mtim.tv_nsec;
}

static bool is_same(const struct check *c, const char *path, struct key content)
{
    struct key key;

    return hashes_file(c->hashes, path, &key, NULL) == 0 && key_equal(key, content);
}

static void warn_source(const struct check *c, const char *source)
{
    log_msg(LOG_WARN,
            "%s of program %s was edited after the binary that runs was built: the old one runs (--no-recompile)",
            base_name(source), c->program->name);
}

static int note_header(struct check *c, char *path, const char *name, const char *user, struct error *err)
{
    struct header *h;

    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->headers[i].path, path) == 0) {
            c->headers[i].nuser++;
            free(path);
            return 0;
        }
    }
    if (array_room(&c->headers, &c->capacity, c->count, sizeof *c->headers)) {
        free(path);
        return error_nomem(err, name, sizeof *c->headers);
    }
    h = &c->headers[c->count++];
    *h = (struct header){.path = path, .name = strdup(strncmp(name, "./", 2) == 0 ? name + 2 : name), .user = user};
    h->nuser = 1;
    return h->name ? 0 : error_nomem(err, name, strlen(name) + 1);
}

static int check_one(struct check *c, const char *source, const char *binary, const struct made_of *made,
                     struct error *err)
{
    char *dir = strndup(source, (size_t)(base_name(source) - source));
    int rc = dir ? 0 : error_nomem(err, source, strlen(source));

    if (dir && dir[0] && dir[1]) {
        dir[strlen(dir) - 1] = '\0';
    }
    if (!made->known) {
        c->nunknown++;
        if (is_newer(source, binary)) {
            warn_source(c, source);
        }
    } else if (!is_same(c, source, made->source)) {
        warn_source(c, source);
    }
    for (size_t i = 0; rc == 0 && i < made->headers.n; i++) {
        char *path = made_of_path(made, i, dir);
        if (!path) {
            rc = error_nomem(err, source, 1);
        } else if (is_same(c, path, made->contents[i])) {
            free(path);
        } else {
            rc = note_header(c, path, made->headers.v[i], base_name(source), err);
        }
    }
    free(dir);
    return rc;
}

static void warn_headers(const struct check *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct header *h = &c->headers[i];
        char others[48] = "";

        if (h->nuser > 1) {
            snprintf(others, sizeof others, " and %u other source%s", h->nuser - 1, h->nuser == 2 ? "" : "s");
        }
        log_msg(LOG_WARN,
                "%s, a header of %s%s of program %s, was edited after the binary that runs was built: the old one runs "
                "(--no-recompile)",
                h->name, h->user, others, c->program->name);
    }
    if (c->nunknown) {
        log_msg(LOG_WARN,
                "what %u binar%s of program %s %s made of is not known: whether sources were edited since is judged by "
                "their times, and headers are not looked at (--no-recompile)",
                c->nunknown, c->nunknown == 1 ? "y" : "ies", c->program->name, c->nunknown == 1 ? "was" : "were");
    }
}

int stale_warn(const struct program *p, const struct compiled_program *b, struct error *err)
{
    struct check c = {.program = p, .hashes = hashes_new()};
    int rc = c.hashes ? check_one(&c, p->orchestration, b->orchestration, &b->orchestration_made, err)
                      : error_nomem(err, p->name, 1);

    for (size_t i = 0; rc == 0 && i < p->nkernel; i++) {
        rc = check_one(&c, p->kernels[i].source, b->kernels[i], &b->kernels_made[i], err);
    }
    warn_headers(&c);
    for (size_t i = 0; i < c.count; i++) {
        free(c.headers[i].path);
        free(c.headers[i].name);
    }
    free(c.headers);
    hashes_free(c.hashes);
    return rc;
}
