#include "rank-worker/cache/binaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/log.h"

enum { PATH_ROOM = 4096 };

/* Name without directory and without the last suffix. */
static void stem_of(const char *path, char *buf, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');

    snprintf(buf, size, "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static void kernel_path(const struct program *p, const struct kernel *k, const char *platform, char *buf, size_t size)
{
    char stem[256];

    stem_of(k->source, stem, sizeof stem);
    snprintf(buf, size, "%s/cache/incore_%d_%s_%s_%s.bin", p->dir, k->func_id, k->core == CORE_AIC ? "aic" : "aiv",
             stem, platform);
}

static void orchestration_path(const struct program *p, char *buf, size_t size)
{
    char stem[256];

    stem_of(p->orchestration, stem, sizeof stem);
    snprintf(buf, size, "%s/cache/orch_%s.bin", p->dir, stem);
}

static void beside_path(const char *source, char *buf, size_t size)
{
    const char *slash = strrchr(source, '/'), *dot = strrchr(source, '.');
    size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - source) : strlen(source);

    snprintf(buf, size, "%.*s.so", (int)n, source);
}

/* One read serves both places. */
static int install_one(const char *object, const char *cache, const char *source, struct error *err)
{
    size_t nbytes;
    char *text = file_read(object, (size_t)1 << 32, &nbytes, err);
    char beside[PATH_ROOM];
    int rc = -1;

    if (!text) {
        return -1;
    }
    beside_path(source, beside, sizeof beside);
    if (file_write_unsynced(cache, text, nbytes, err) == 0 && file_write_unsynced(beside, text, nbytes, err) == 0) {
        rc = 0;
    }
    free(text);
    return rc;
}

int binaries_install(const struct program *p, const struct compiled_program *objects, const char *platform,
                     struct error *err)
{
    char path[PATH_ROOM];

    snprintf(path, sizeof path, "%s/cache", p->dir);
    if (file_make_dirs(path, err) < 0) {
        return -1;
    }
    orchestration_path(p, path, sizeof path);
    if (install_one(objects->orchestration, path, p->orchestration, err) < 0) {
        return -1;
    }
    for (size_t i = 0; i < p->nkernel; i++) {
        if (p->kernels[i].external) {
            continue;
        }
        kernel_path(p, &p->kernels[i], platform, path, sizeof path);
        if (install_one(objects->kernels[i], path, p->kernels[i].source, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take_existing(const char *path, char **out, struct error *err)
{
    if (!file_is_regular(path)) {
        return 0;
    }
    *out = strdup(path);
    return *out ? 1 : error_nomem(err, path, strlen(path) + 1);
}

int binaries_find(const struct program *p, const char *platform, struct compiled_program *out, struct error *err)
{
    char path[PATH_ROOM];
    int rc;

    *out = (struct compiled_program){.nkernel = p->nkernel,
                                     .kernels = calloc(p->nkernel + 1, sizeof *out->kernels),
                                     .kernels_made = calloc(p->nkernel + 1, sizeof *out->kernels_made)};
    if (!out->kernels || !out->kernels_made) {
        compiled_program_free(out);
        return error_nomem(err, p->name, p->nkernel * sizeof *out->kernels);
    }
    orchestration_path(p, path, sizeof path);
    rc = take_existing(path, &out->orchestration, err);
    for (size_t i = 0; rc == 1 && i < p->nkernel; i++) {
        kernel_path(p, &p->kernels[i], platform, path, sizeof path);
        rc = p->kernels[i].external ? 0 : take_existing(path, &out->kernels[i], err);
    }
    if (rc != 1) {
        compiled_program_free(out);
    }
    return rc;
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

static void warn_one(const struct program *p, const char *source, const char *binary)
{
    if (is_newer(source, binary)) {
        log_msg(LOG_WARN,
                "%s of program %s was edited after the binary that runs was built: the old one runs "
                "(--no-recompile)",
                strrchr(source, '/') ? strrchr(source, '/') + 1 : source, p->name);
    }
}

void binaries_warn_stale(const struct program *p, const struct compiled_program *b)
{
    warn_one(p, p->orchestration, b->orchestration);
    for (size_t i = 0; i < p->nkernel; i++) {
        warn_one(p, p->kernels[i].source, b->kernels[i]);
    }
}
