#include "orchestrator/prepare/inventory_objects.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/install.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static char *key_text(struct key key)
{
    return text_format("%016" PRIx64 "%016" PRIx64, key.high, key.low);
}

/* Add and free `name` and `value`. */
static int take(struct inventory *v, enum inventory_group group, char *name, char *value, struct error *err)
{
    int rc = name && value ? inventory_add(v, group, name, value, err) : error_nomem(err, "the last replay", 64);

    free(name);
    free(value);
    return rc;
}

/* --- names ---------------------------------------------------------------- */

char *inventory_source_name(const struct program *p, size_t k)
{
    const char *name;

    if (k >= p->nkernel) {
        return text_format("orchestration %s/%s", p->name, base_name(p->orchestration));
    }
    name = base_name(p->kernels[k].source);
    for (size_t i = 0; i < p->nkernel; i++) {
        if (i != k && strcmp(base_name(p->kernels[i].source), name) == 0) {
            return text_format("kernel %s/%s (func_id %d)", p->name, name, p->kernels[k].func_id);
        }
    }
    return text_format("kernel %s/%s", p->name, name);
}

int inventory_roots_open(struct inventory_roots *r, struct error *err)
{
    const char *pto = getenv("PTO_ISA_ROOT");
    char found[PATH_MAX];

    *r = (struct inventory_roots){0};
    if (install_find(INSTALL_INCLUDE, found, sizeof found, err) < 0) {
        return -1;
    }
    r->own = realpath(found, NULL);
    r->pto = pto && *pto ? realpath(pto, NULL) : NULL;
    return 0;
}

void inventory_roots_close(struct inventory_roots *r)
{
    free(r->own);
    free(r->pto);
    real_paths_free(&r->paths);
    *r = (struct inventory_roots){0};
}

/* What comes behind `dir` and a slash in `path`; NULL when it is not below it. */
static const char *below(const char *path, const char *dir)
{
    size_t n = dir ? strlen(dir) : 0;

    return n && strncmp(path, dir, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

int inventory_header_name(struct inventory_roots *r, const char *build_dir, const struct made_of *made, size_t i,
                          const char *source, enum inventory_group *group, char **name, struct error *err)
{
    char *dir = strndup(source, (size_t)(base_name(source) - source)), *path = NULL, *real;
    const char *rest;

    if (dir && dir[0] && dir[1]) {
        dir[strlen(dir) - 1] = '\0';
    }
    path = dir ? made_of_path(made, i, dir) : NULL;
    free(dir);
    if (!path) {
        return error_nomem(err, source, 1);
    }
    real = real_path(&r->paths, path); /* "./../../tile.h" */
    if (real) {
        free(path);
        path = real;
    }
    *group = INVENTORY_HEADER;
    if ((rest = below(path, build_dir))) {
        /* as it is */
    } else if ((rest = below(path, r->pto))) {
        *group = INVENTORY_PTO_ISA;
    } else if ((rest = below(path, r->own))) {
        *group = INVENTORY_OWN;
    }
    *name = strdup(rest ? rest : path);
    free(path);
    return *name ? 0 : error_nomem(err, source, 1);
}

/* --- what was compiled ---------------------------------------------------- */

struct taking {
    struct inventory *out;
    struct inventory_roots roots;
    const char *build_dir;
};

static int take_headers(struct taking *t, const char *source, const struct made_of *made, char **reads,
                        struct error *err)
{
    struct hasher *h = hasher_new();
    int rc = h ? 0 : error_nomem(err, source, 1);

    for (size_t i = 0; rc == 0 && i < made->headers.n; i++) {
        enum inventory_group group;
        char *name;
        rc = inventory_header_name(&t->roots, t->build_dir, made, i, source, &group, &name, err);
        if (rc == 0) {
            hasher_text(h, name);
            hasher_key(h, made->contents[i]);
            rc = take(t->out, group, name, key_text(made->contents[i]), err);
        }
    }
    if (h) {
        *reads = key_text(hasher_end(h));
    }
    return rc;
}

static int take_source(struct taking *t, const struct program *p, size_t k, const struct made_of *made,
                       struct error *err)
{
    const char *source = k < p->nkernel ? p->kernels[k].source : p->orchestration;
    char *reads = NULL;

    if (!made->known) {
        return take(t->out, INVENTORY_SOURCE, inventory_source_name(p, k), strdup(INVENTORY_UNKNOWN), err);
    }
    if (take(t->out, INVENTORY_SOURCE, inventory_source_name(p, k), key_text(made->source), err) < 0 ||
        take_headers(t, source, made, &reads, err) < 0) {
        free(reads);
        return -1;
    }
    return take(t->out, INVENTORY_READS, inventory_source_name(p, k), reads, err);
}

static int take_compiler(struct inventory *v, const char *name, const char *version, struct key id, struct error *err)
{
    char *key = version ? key_text(id) : NULL;
    int rc =
        !version ? 0 : take(v, INVENTORY_COMPILER, strdup(name), key ? text_format("%s %s", key, version) : NULL, err);

    free(key);
    return rc;
}

int inventory_take_objects(struct inventory *out, const struct build *build, const struct program_table *programs,
                           const struct compiled *c, struct error *err)
{
    struct taking t = {.out = out, .build_dir = build->dir};
    int rc = inventory_roots_open(&t.roots, err);

    for (uint32_t i = 0; rc == 0 && i < c->count; i++) {
        const struct compiled_program *p = &c->items[i];
        if (!p->orchestration) {
            continue;
        }
        for (size_t k = 0; rc == 0 && k < p->nkernel; k++) {
            rc = take_source(&t, &programs->items[i], k, &p->kernels_made[k], err);
        }
        if (rc == 0) {
            rc = take_source(&t, &programs->items[i], p->nkernel, &p->orchestration_made, err);
        }
    }
    inventory_roots_close(&t.roots);
    if (rc < 0 || take_compiler(out, "the compiler of kernels", c->kernel_compiler, c->kernel_compiler_id, err) < 0 ||
        take_compiler(out, "the compiler of orchestrations", c->orchestration_compiler, c->orchestration_compiler_id,
                      err) < 0) {
        return -1;
    }
    return inventory_add(out, INVENTORY_OWN, "version", L3R_VERSION, err);
}
