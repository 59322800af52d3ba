#include "rank-worker/cache/binaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "common/base/file.h"
#include "rank-worker/cache/beside.h"
#include "rank-worker/cache/made_file.h"

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

/* Newest time that a binary may bear: it must not look newer than an edit that it does not contain. */
static struct timespec copy_time(const struct made_of *made, const char *source, struct timespec read_at,
                                 struct hashes *hashes)
{
    char *dir = strndup(source, (size_t)(strrchr(source, '/') - source));
    struct timespec when = read_at;

    for (size_t i = 0; dir && i <= made->headers.n; i++) {
        bool header = i < made->headers.n;
        char *path = header ? made_of_path(made, i, dir) : strdup(source);
        struct key key;
        struct stat st;

        if (path && stat(path, &st) == 0 &&
            (hashes_file(hashes, path, &key, NULL) < 0 || !key_equal(key, header ? made->contents[i] : made->source)) &&
            (st.st_mtim.tv_sec < when.tv_sec ||
             (st.st_mtim.tv_sec == when.tv_sec && st.st_mtim.tv_nsec <= when.tv_nsec))) {
            when = (struct timespec){.tv_sec = st.st_mtim.tv_sec - 1};
        }
        free(path);
    }
    free(dir);
    return when;
}

static int put_copy(const char *path, const char *text, size_t nbytes, struct timespec when, struct error *err)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, when};
    struct file_writer w = {0};

    if (file_replace_begin(&w, path, err) < 0) {
        return -1;
    }
    w.unsynced = true;
    fwrite(text, 1, nbytes, w.stream); /* errors are found by the commit */
    if (fflush(w.stream) == 0 && futimens(fileno(w.stream), times) < 0) {
        error_errno(err, path, NULL, "cannot set the time of %s", path);
        file_write_abort(&w);
        return -1;
    }
    return file_write_commit(&w, err);
}

/* Where the copies of a program's objects go, and what is noted of them. */
struct installing {
    const struct program *program;
    struct timespec read_at;
    struct hashes *hashes;
    struct made_file made;
};

/* One read serves both places. */
static int install_one(struct installing *in, const char *object, const char *cache, const char *source,
                       const struct made_of *made, struct error *err)
{
    size_t nbytes;
    char *text = file_read(object, (size_t)1 << 32, &nbytes, err), *beside = beside_source(source);
    struct timespec when = copy_time(made, source, in->read_at, in->hashes);
    XXH128_hash_t hash;
    int rc = -1;

    if (text && !beside) {
        error_nomem(err, source, strlen(source));
    } else if (text && put_copy(cache, text, nbytes, when, err) == 0 &&
               put_copy(beside, text, nbytes, when, err) == 0) {
        hash = XXH3_128bits(text, nbytes);
        rc = made_file_add(&in->made, in->program->dir, strrchr(cache, '/') + 1, source,
                           (struct key){.high = hash.high64, .low = hash.low64}, made, err);
    }
    free(beside);
    free(text);
    return rc;
}

static int install_all(struct installing *in, const struct compiled_program *objects, const char *platform,
                       struct error *err)
{
    const struct program *p = in->program;
    char path[PATH_ROOM];

    orchestration_path(p, path, sizeof path);
    if (install_one(in, objects->orchestration, path, p->orchestration, &objects->orchestration_made, err) < 0) {
        return -1;
    }
    for (size_t i = 0; i < p->nkernel; i++) {
        if (p->kernels[i].external) {
            continue;
        }
        kernel_path(p, &p->kernels[i], platform, path, sizeof path);
        if (install_one(in, objects->kernels[i], path, p->kernels[i].source, &objects->kernels_made[i], err) < 0) {
            return -1;
        }
    }
    return made_file_write(&in->made, p->dir, err);
}

int binaries_install(const struct program *p, const struct compiled_program *objects, const char *platform,
                     struct timespec read_at, struct error *err)
{
    struct installing in = {.program = p, .read_at = read_at, .hashes = hashes_new()};
    char path[PATH_ROOM];
    int rc = in.hashes ? 0 : error_nomem(err, p->name, 1);

    snprintf(path, sizeof path, "%s/cache", p->dir);
    if (rc == 0 && (file_make_dirs(path, err) < 0 || made_file_discard(p->dir, err) < 0 ||
                    install_all(&in, objects, platform, err) < 0)) {
        rc = -1;
    }
    made_file_free(&in.made);
    hashes_free(in.hashes);
    return rc;
}

static int take_existing(const char *path, char **out, struct error *err)
{
    if (!file_is_regular(path)) {
        return 0;
    }
    *out = strdup(path);
    return *out ? 1 : error_nomem(err, path, strlen(path) + 1);
}

static int find_all(const struct program *p, const char *platform, struct compiled_program *out, struct error *err)
{
    char path[PATH_ROOM];
    int rc;

    orchestration_path(p, path, sizeof path);
    rc = take_existing(path, &out->orchestration, err);
    for (size_t i = 0; rc == 1 && i < p->nkernel; i++) {
        kernel_path(p, &p->kernels[i], platform, path, sizeof path);
        rc = p->kernels[i].external ? 0 : take_existing(path, &out->kernels[i], err);
    }
    return rc;
}

static int copy_made(const struct made_file *f, const struct program *p, const char *binary, struct hashes *hashes,
                     struct made_of *out, struct error *err)
{
    const struct made_entry *e = made_file_find(f, p->dir, strrchr(binary, '/') + 1, hashes);

    if (!e) {
        return 0;
    }
    return made_of_copy(&e->made, out) < 0 ? error_nomem(err, binary, e->made.headers.n * sizeof *out->contents) : 0;
}

/* What the binaries that were found were made of, where it is known. */
static int find_made(const struct program *p, struct compiled_program *out, struct error *err)
{
    struct hashes *hashes = hashes_new();
    struct made_file f = {0};
    int rc = hashes ? made_file_read(p->dir, &f, err) : error_nomem(err, p->name, 1);

    if (rc == 0) {
        rc = copy_made(&f, p, out->orchestration, hashes, &out->orchestration_made, err);
    }
    for (size_t i = 0; rc == 0 && i < p->nkernel; i++) {
        rc = copy_made(&f, p, out->kernels[i], hashes, &out->kernels_made[i], err);
    }
    made_file_free(&f);
    hashes_free(hashes);
    return rc;
}

int binaries_find(const struct program *p, const char *platform, struct compiled_program *out, struct error *err)
{
    int rc;

    *out = (struct compiled_program){.nkernel = p->nkernel,
                                     .kernels = calloc(p->nkernel + 1, sizeof *out->kernels),
                                     .kernels_made = calloc(p->nkernel + 1, sizeof *out->kernels_made)};
    rc = out->kernels && out->kernels_made ? find_all(p, platform, out, err)
                                           : error_nomem(err, p->name, p->nkernel * sizeof *out->kernels_made);
    if (rc == 1 && find_made(p, out, err) < 0) {
        rc = -1;
    }
    if (rc != 1) {
        compiled_program_free(out);
    }
    return rc;
}

static bool same_content(const char *a, const char *b, struct hashes *hashes)
{
    struct key x, y;

    return a && b && hashes_file(hashes, a, &x, NULL) == 0 && hashes_file(hashes, b, &y, NULL) == 0 && key_equal(x, y);
}

int binaries_hold(const struct program *p, const struct compiled_program *objects, const char *platform,
                  struct error *err)
{
    struct compiled_program found;
    struct hashes *hashes = hashes_new();
    int rc = hashes ? binaries_find(p, platform, &found, err) : error_nomem(err, p->name, 1);

    if (rc == 1) {
        rc = made_of_equal(&found.orchestration_made, &objects->orchestration_made) &&
             same_content(found.orchestration, objects->orchestration, hashes);
        for (size_t i = 0; rc && i < p->nkernel; i++) {
            rc = made_of_equal(&found.kernels_made[i], &objects->kernels_made[i]) &&
                 same_content(found.kernels[i], objects->kernels[i], hashes);
        }
        compiled_program_free(&found);
    }
    hashes_free(hashes);
    return rc;
}
