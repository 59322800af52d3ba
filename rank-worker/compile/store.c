#include "rank-worker/compile/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "common/base/args.h"
#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/lock.h"
#include "common/base/log.h"
#include "common/base/private_dir.h"
#include "rank-worker/compile/store_entry.h"
#include "rank-worker/compile/store_room.h"

enum { STALE_SECONDS = 24 * 3600 };

static const char private_hint[] =
    "set L3REPLAY_CACHE_DIR (or TMPDIR) to a directory that can be written, with room for "
    "objects, on a file system without noexec";

/* The private store of this process, for atexit(). */
static struct private_dir private_store = PRIVATE_DIR_NONE;
static pid_t private_owner;

struct hasher *hasher_new(void)
{
    XXH3_state_t *state = XXH3_createState();

    if (state) {
        XXH3_128bits_reset(state);
    }
    return (struct hasher *)state;
}

void hasher_bytes(struct hasher *h, const void *data, size_t nbytes)
{
    uint64_t length = nbytes;

    XXH3_128bits_update((XXH3_state_t *)h, &length, sizeof length);
    XXH3_128bits_update((XXH3_state_t *)h, data, nbytes);
}

void hasher_text(struct hasher *h, const char *text)
{
    hasher_bytes(h, text, strlen(text));
}

void hasher_key(struct hasher *h, struct key key)
{
    hasher_bytes(h, &key, sizeof key);
}

struct key hasher_end(struct hasher *h)
{
    XXH128_hash_t hash = XXH3_128bits_digest((XXH3_state_t *)h);

    XXH3_freeState((XXH3_state_t *)h);
    return (struct key){.high = hash.high64, .low = hash.low64};
}

static void remove_tree(const char *path)
{
    static const struct directory_remove how = {.go_on = true, .one_device = true};

    directory_remove(path, &how);
}

static void remove_private(void)
{
    if (private_owner == getpid()) {
        private_dir_remove(&private_store);
    }
}

static void host_name(char *name, size_t size)
{
    if (gethostname(name, size) < 0) {
        snprintf(name, size, "host");
    }
    name[size - 1] = '\0';
}

/* A directory below tmp/ is left over when its process is gone, or, of another host, when it is a day old. */
static bool is_stale(const char *tmp, const char *entry, const char *host)
{
    size_t length = strlen(host);
    char path[4096];
    struct stat st;
    long pid;

    if (strncmp(entry, host, length) == 0 && entry[length] == '-') {
        pid = strtol(entry + length + 1, NULL, 10);
        return pid > 0 && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
    }
    snprintf(path, sizeof path, "%s/%s", tmp, entry);
    return stat(path, &st) == 0 && time(NULL) - st.st_mtime > STALE_SECONDS;
}

static void tidy(const char *tmp, const char *host)
{
    struct args names = {0};
    char *path;

    directory_list(tmp, NULL, &names);
    for (size_t i = 0; i < names.n; i++) {
        if (names.v[i][0] == '.' || !is_stale(tmp, names.v[i], host)) {
            continue;
        }
        path = text_format("%s/%s", tmp, names.v[i]);
        if (path) {
            remove_tree(path);
        }
        free(path);
    }
    args_free(&names);
}

/* Objects run as us: where others could have put them, they are not used. */
static int open_part(const char *path, bool sticky, struct error *err)
{
    if (directory_make_ours(path, NULL) < 0 || access(path, W_OK | X_OK) < 0) {
        return error_errno(err, path, store_hint(errno), "cannot write %s", path);
    }
    return directory_check_ours(path, sticky, err);
}

/* Make the layout below `base` and the directory of this process. */
static int open_at(struct store *s, const char *base, struct error *err)
{
    static const char *const parts[] = {"objects", "headers", "pch",   "golden", "recordings",
                                        "tools",   "wanted",  "locks", "users",  "tmp"};
    char host[65], *path;
    int rc = 0;

    host_name(host, sizeof host);
    s->root = text_format("%s/v1", base);
    s->tmp = text_format("%s/v1/tmp/%s-%ld-XXXXXX", base, host, (long)getpid());
    if (!s->root || !s->tmp) {
        return error_nomem(err, base, 4096);
    }
    if (open_part(base, true, err) < 0 || open_part(s->root, false, err) < 0) {
        return -1;
    }
    for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof *parts; i++) {
        path = text_format("%s/%s", s->root, parts[i]);
        rc = path ? open_part(path, false, err) : error_nomem(err, base, 4096);
        if (rc == 0 && strcmp(parts[i], "tmp") == 0) {
            tidy(path, host);
        }
        free(path);
    }
    if (rc == 0 && !mkdtemp(s->tmp)) {
        rc = error_errno(err, s->root, store_hint(errno), "cannot write %s", base);
    }
    if (rc == 0 && store_room_check(s->tmp, base, err) < 0) {
        remove_tree(s->tmp);
        rc = -1;
    }
    return rc;
}

static void forget(struct store *s)
{
    free(s->root);
    free(s->tmp);
    *s = (struct store){0};
}

static int open_private(struct store *s, struct error *err)
{
    if (private_owner != getpid()) {
        if (private_dir_make_temporary(&private_store, "l3replay-store.", err) < 0) {
            snprintf(err->hint, sizeof err->hint, "%s", private_hint);
            return -1;
        }
        private_owner = getpid();
        atexit(remove_private);
    }
    s->is_private = true;
    if (open_at(s, private_store.path, err) == 0) {
        return 0;
    }
    snprintf(err->hint, sizeof err->hint, "%s", private_hint);
    forget(s);
    return -1;
}

static char *default_base(void)
{
    const char *dir = getenv("L3REPLAY_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *cwd, *path;

    if (dir && *dir == '/') {
        return strdup(dir);
    }
    if (dir && *dir) {
        cwd = realpath(".", NULL);
        path = cwd ? text_format("%s/%s", cwd, dir) : NULL;
        free(cwd);
        return path;
    }
    if (xdg && *xdg == '/') {
        return text_format("%s/l3replay", xdg);
    }
    return home && *home == '/' ? text_format("%s/.cache/l3replay", home) : strdup("");
}

char *store_default_root(void)
{
    char *base = default_base();
    char *root = base && *base ? text_format("%s/v1", base) : NULL;

    free(base);
    return root;
}

int store_open(struct store *s, struct error *err)
{
    char *base = default_base();
    struct error cause;
    int rc = 0;

    *s = (struct store){0};
    if (!base) {
        return error_nomem(err, "object store", 4096);
    }
    if (!*base) {
        error_set(&cause, NULL, store_hint(0), "there is no cache directory (no HOME)");
    }
    if (!*base || open_at(s, base, &cause) < 0) {
        if (private_owner != getpid()) { /* said once */
            log_note("compiled objects are not kept: %s (%s)", cause.what, cause.hint);
        }
        forget(s);
        rc = open_private(s, err);
    }
    free(base);
    return rc;
}

void store_close(struct store *s)
{
    if (s->tmp) {
        remove_tree(s->tmp);
    }
    forget(s);
}

char *store_path(const struct store *s, const char *kind, struct key key, const char *suffix)
{
    unsigned long long high = key.high, low = key.low;

    return text_format("%s/%s/%02llx/%016llx%016llx%s", s->root, kind, high >> 56, high, low, suffix);
}

static int sync_file(const char *path)
{
    int fd = store_open_file(path, O_RDONLY), rc;

    if (fd < 0) {
        return -1;
    }
    rc = fsync(fd);
    if (rc < 0 && (errno == EINVAL || errno == EROFS)) {
        rc = 0; /* a file system without it */
    }
    close(fd);
    return rc;
}

/* A directory under the entry's name, or something else than a directory under that of its directory. */
static int move_to(const char *from, const char *dir, const char *to)
{
    if (directory_make_ours(dir, NULL) < 0) {
        store_clear(dir);
        if (directory_make_ours(dir, NULL) < 0) {
            return -1;
        }
    }
    if (rename(from, to) == 0) {
        return 0;
    }
    if (errno != EISDIR && errno != ENOTEMPTY && errno != EEXIST) {
        return -1;
    }
    store_clear(to);
    return rename(from, to);
}

int store_publish(const char *from, const char *to, bool synced, struct error *err)
{
    char *dir = strdup(to);
    struct stat st;
    int rc = 0;

    if (!dir) {
        return error_nomem(err, to, strlen(to));
    }
    *strrchr(dir, '/') = '\0';
    if (stat(from, &st) < 0 || chmod(from, st.st_mode & 0444) < 0 || (synced && sync_file(from) < 0) ||
        move_to(from, dir, to) < 0) {
        rc = error_errno(err, to, store_hint(errno), "cannot keep a compiled object");
    }
    free(dir);
    return rc;
}

int store_write(const struct store *s, const char *to, const char *text, size_t nbytes, struct error *err)
{
    static atomic_uint count;
    char *from = text_format("%s/write-%u", s->tmp, atomic_fetch_add(&count, 1));
    int fd = from ? open(from, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1, rc = -1;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

    if (!file) {
        error_errno(err, to, store_hint(errno), "cannot write in the object store");
        if (fd >= 0) {
            close(fd);
        }
        goto out;
    }
    rc = fwrite(text, 1, nbytes, file) == nbytes ? 0 : -1;
    if (fclose(file) != 0) {
        rc = -1;
    }
    if (rc < 0) {
        error_errno(err, to, store_hint(errno), "cannot write in the object store");
    } else {
        rc = store_publish(from, to, false, err);
    }
out:
    free(from);
    return rc;
}

int store_lock(const struct store *s, struct key key, struct error *err)
{
    char *path = text_format("%s/locks/%03llx", s->root, (unsigned long long)(key.high >> 52));
    int fd = path ? store_open_file(path, O_RDWR | O_CREAT) : -1;

    if (fd < 0) {
        error_errno(err, path, store_hint(errno), "cannot open a lock of the object store");
        free(path);
        return -1;
    }
    free(path);
    if (lock_try(fd, true) == 0) {
        close(fd);
        return STORE_LOCK_BUSY;
    }
    /* Also on a file system without locks: work may be done twice, never wrongly. */
    return fd;
}

void store_unlock(int fd)
{
    lock_release(fd);
}

int store_keep_text(const struct store *s, const char *to, const char *text, size_t nbytes, struct error *err)
{
    size_t sealed_nbytes;
    char *sealed = store_sealed_text(text, nbytes, &sealed_nbytes);
    int rc;

    if (!sealed) {
        return error_nomem(err, to, nbytes);
    }
    rc = store_write(s, to, sealed, sealed_nbytes, err);
    free(sealed);
    return rc;
}
