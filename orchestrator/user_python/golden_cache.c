#include "orchestrator/user_python/golden_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/json_write.h"
#include "common/base/log.h"
#include "orchestrator/kept/kept_files.h"
#include "rank-worker/compile/store_entry.h"
#include "rank-worker/compile/store_trim.h"
#include "rank-worker/compile/store_use.h"

enum { VERSION = 1 };

void golden_entry_free(struct golden_entry *e)
{
    cJSON_Delete(e->about);
    args_free(&e->files);
    args_free(&e->arrays);
    *e = (struct golden_entry){0};
}

int golden_cache_open(struct golden_cache *c, struct error *err)
{
    uint64_t limit;

    *c = (struct golden_cache){0};
    c->begun = kept_files_clock();
    if (store_limit(&limit, err) < 0 || store_open(&c->store, err) < 0) {
        return -1;
    }
    c->usable = !c->store.is_private; /* that one goes with this process */
    c->limit = limit / 2;
    return 0;
}

void golden_cache_close(struct golden_cache *c)
{
    store_close(&c->store);
    c->usable = false;
}

static char *array_path(const struct golden_cache *c, struct key key, size_t i)
{
    char suffix[40];

    snprintf(suffix, sizeof suffix, ".%zu.npy", i);
    return store_path(&c->store, "golden", key, suffix);
}

/* --- finding ---------------------------------------------------------------- */

static bool take_arrays(const struct golden_cache *c, struct key key, size_t narray, struct args *arrays)
{
    for (size_t i = 0; i < narray; i++) {
        char *path = array_path(c, key, i);

        if (!path || store_hold(&c->store, path, NULL) < 0 || !kept_file_is_ours(path)) {
            free(path);
            return false;
        }
        args_take(arrays, path);
    }
    return !arrays->failed;
}

bool golden_cache_find(struct golden_cache *c, struct key key, size_t narray, struct golden_entry *out)
{
    char *path = c->usable ? store_path(&c->store, "golden", key, ".json") : NULL, *text;
    struct json_source src = {.file = path, .bytes = true};
    int64_t version = 0, count = -1;
    const cJSON *about;
    cJSON *json = NULL;
    bool found = false;

    *out = (struct golden_entry){0};
    text = path && store_use(&c->store, path, NULL) == 0 && kept_file_is_ours(path) ? store_kept_text(path) : NULL;
    if (text) {
        json = json_parse(&src, text, strlen(text));
    }
    if (json && json_get_int(&src, json, "version", VERSION, VERSION, &version) == 0 &&
        json_get_int(&src, json, "arrays", 0, INT32_MAX, &count) == 0 && (size_t)count == narray &&
        json_get_object(&src, json, "about", &about) == 0) {
        found = kept_files_same(&src, json, &out->files) && take_arrays(c, key, narray, &out->arrays);
    }
    if (found) {
        char *line = json_line(about, "golden", NULL);
        struct json_source again = {.file = path};

        out->about = line ? json_parse(&again, line, strlen(line)) : NULL;
        found = out->about != NULL;
        free(line);
    }
    if (!found) {
        golden_entry_free(out);
    }
    cJSON_Delete(json);
    free(text);
    free(path);
    return found;
}

/* --- keeping ---------------------------------------------------------------- */

static int copy(int from, const char *to, struct error *err)
{
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    off_t at = 0;
    ssize_t n = 1;

    while (fd >= 0 && (n > 0 || (n < 0 && errno == EINTR))) {
        n = sendfile(fd, from, &at, 1 << 30);
    }
    if (fd < 0 || n < 0) {
        error_errno(err, to, store_hint(errno), "cannot write in the object store");
    }
    if (fd >= 0 && close(fd) < 0 && n == 0) {
        n = error_errno(err, to, store_hint(errno), "cannot write in the object store");
    }
    return fd < 0 || n < 0 ? -1 : 0;
}

static int keep_array(const struct golden_cache *c, struct key key, size_t i, int fd, struct error *err)
{
    char *to = array_path(c, key, i), *from = text_format("%s/array", c->store.tmp);
    int rc = to && from ? 0 : error_nomem(err, "object store", 512);

    if (rc == 0 &&
        (store_hold(&c->store, to, err) < 0 || copy(fd, from, err) < 0 || store_publish(from, to, true, err) < 0)) {
        rc = -1;
    }
    if (rc < 0 && from) {
        unlink(from);
    }
    free(to);
    free(from);
    return rc;
}

static int keep_text(const struct golden_cache *c, struct key key, const char *about, const struct args *files,
                     size_t narray, struct error *err)
{
    struct json_writer w = {.bytes = true};
    cJSON *root = json_new_object(&w);
    char *path = store_path(&c->store, "golden", key, ".json"), *head, *text;
    int rc = -1;

    json_put_u64(&w, root, "version", VERSION);
    json_put_u64(&w, root, "arrays", narray);
    kept_files_put(&w, root, files);
    head = json_finish_line(&w, root, "object store", err);
    if (head) { /* "about" is JSON already: put in before the last brace */
        head[strlen(head) - 1] = '\0';
        text = text_format("%s,\"about\":%s}", head, about);
        if (path && text && store_use(&c->store, path, err) == 0) {
            rc = store_keep_text(&c->store, path, text, strlen(text), err);
        }
        free(text);
    }
    free(head);
    free(path);
    return rc;
}

void golden_cache_keep(struct golden_cache *c, struct key key, const char *about, const struct args *files,
                       const int *fds, size_t narray)
{
    struct store_trimmed trimmed;
    struct error err = {0};
    uint64_t nbytes = 0;
    struct stat st;
    int rc = 0;

    for (size_t i = 0; i < narray; i++) {
        nbytes += fstat(fds[i], &st) == 0 ? (uint64_t)st.st_size : 0;
    }
    if (!c->usable || !kept_files_are_old(files, c->begun)) {
        return;
    }
    if (c->limit && nbytes > c->limit) {
        log_msg(LOG_INFO, "results of golden.py are not kept: they have more than half of L3REPLAY_CACHE_MAX");
        return;
    }
    for (size_t i = 0; rc == 0 && i < narray; i++) {
        rc = keep_array(c, key, i, fds[i], &err);
    }
    if (rc == 0) {
        rc = keep_text(c, key, about, files, narray, &err);
    }
    if (rc == 0 && c->limit && nbytes) {
        rc = store_trim(&c->store, c->limit * 2, &trimmed, &err);
    }
    if (rc < 0) {
        log_msg(LOG_WARN, "the results of golden.py are not kept: %s", err.what);
    }
}
