#include "rank-worker/compile/store_use.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/lock.h"
#include "rank-worker/compile/store_entry.h"

enum { LOCK_LIMIT_MS = 10000, LOCK_NAP_MS = 5, LIST_MAX = 64 << 20 };

/* This process's list in one store. There is more than one store in tests only. */
struct list {
    struct list *next;
    char *root, *path;
    int fd;
    pid_t owner; /* a fork has none */
};

static struct list *lists;

static void remove_lists(void)
{
    for (struct list *l = lists; l; l = l->next) {
        if (l->owner == getpid()) {
            unlink(l->path);
        }
    }
}

int store_lock_all(const struct store *s, bool alone, bool *unlocked, struct error *err)
{
    char *path = text_format("%s/locks/store", s->root);
    int fd = path ? store_open_file(path, O_RDWR | O_CREAT) : -1, waited = 0, rc;

    *unlocked = false;
    if (fd < 0) {
        error_errno(err, path, store_hint(errno), "cannot open the lock of the object store");
        free(path);
        return -1;
    }
    while ((rc = lock_try(fd, alone)) != 1) {
        if (rc < 0) {
            *unlocked = true;
            break;
        }
        if (waited >= LOCK_LIMIT_MS) {
            error_set(err, path, "look for an l3replay that was stopped",
                      "another process has held the lock of the "
                      "object store for %d s",
                      LOCK_LIMIT_MS / 1000);
            close(fd);
            fd = -1;
            break;
        }
        poll(NULL, 0, LOCK_NAP_MS);
        waited += LOCK_NAP_MS;
    }
    free(path);
    return fd;
}

/* The lock of the store is held: nobody takes the list for one of the dead before it is locked. */
static struct list *open_list(const struct store *s, struct error *err)
{
    struct list *l;

    for (l = lists; l; l = l->next) {
        if (l->owner == getpid() && strcmp(l->root, s->root) == 0) {
            return l;
        }
    }
    l = calloc(1, sizeof *l);
    if (!l) {
        error_nomem(err, "object store", sizeof *l);
        return NULL;
    }
    l->root = strdup(s->root);
    l->path = text_format("%s/users/%ld-XXXXXX", s->root, (long)getpid());
    l->owner = getpid();
    l->fd = l->root && l->path ? mkostemp(l->path, O_CLOEXEC | O_APPEND) : -1;
    if (l->fd < 0) {
        error_errno(err, l->path, store_hint(errno), "cannot say what is used in the object store");
        free(l->root);
        free(l->path);
        free(l);
        return NULL;
    }
    fchmod(l->fd, 0644); /* a process that trims reads it */
    lock_try(l->fd, true);
    if (!lists) {
        atexit(remove_lists);
    }
    l->next = lists;
    lists = l;
    return l;
}

static int append(const struct list *l, const char *name, struct error *err)
{
    char *line = text_format("%s\n", name);
    size_t length = line ? strlen(line) : 0;
    ssize_t n = -1;

    do {
        n = line ? write(l->fd, line, length) : -1;
    } while (n < 0 && line && errno == EINTR);
    free(line);
    if (n == (ssize_t)length && n > 0) {
        return 0;
    }
    return error_errno(err, l->path, store_hint(errno), "cannot say what is used in the object store");
}

int store_hold(const struct store *s, const char *path, struct error *err)
{
    const char *name = path + strlen(s->root) + 1;
    bool unlocked;
    int lock = store_lock_all(s, false, &unlocked, err), rc = -1;
    struct list *l = lock < 0 ? NULL : open_list(s, err);

    if (l) {
        rc = append(l, name, err);
    }
    store_unlock(lock);
    return rc;
}

int store_use(const struct store *s, const char *path, struct error *err)
{
    if (store_hold(s, path, err) < 0) {
        return -1;
    }
    utimensat(AT_FDCWD, path, NULL, 0); /* another user's entry may stay as old as it is */
    return 0;
}

/* --- counts --------------------------------------------------------------- */

static struct store_counts read_counts(int fd)
{
    struct store_counts c = {0};
    char text[64] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);

    if (n <= 0 || sscanf(text, "%" SCNu64 " %" SCNu64, &c.lookups, &c.hits) != 2 || c.hits > c.lookups) {
        return (struct store_counts){0};
    }
    return c;
}

static int open_counts(const struct store *s, int flags)
{
    char *path = text_format("%s/counts", s->root);
    int fd = path ? store_open_file(path, flags) : -1;

    free(path);
    return fd;
}

static void write_counts(int fd, struct store_counts c)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%20" PRIu64 " %20" PRIu64 "\n", c.lookups, c.hits);

    if (pwrite(fd, text, (size_t)n, 0) != n && ftruncate(fd, 0) < 0) {
        return; /* half a line is read as none */
    }
}

void store_count(const struct store *s, struct store_counts more)
{
    int fd = open_counts(s, O_RDWR | O_CREAT);
    struct store_counts c;

    /* Not waited for: others hold it for a moment only, and a count is not worth more. */
    if (fd >= 0 && lock_try(fd, true) == 1) {
        c = read_counts(fd);
        write_counts(fd, (struct store_counts){c.lookups + more.lookups, c.hits + more.hits});
    }
    if (fd >= 0) {
        close(fd);
    }
}

struct store_counts store_counts_read(const struct store *s)
{
    int fd = open_counts(s, O_RDONLY);
    struct store_counts c = {0};

    if (fd >= 0) {
        c = read_counts(fd);
        close(fd);
    }
    return c;
}

void store_counts_clear(const struct store *s)
{
    char *path = text_format("%s/counts", s->root);

    if (path) {
        unlink(path);
    }
    free(path);
}

/* --- what is used --------------------------------------------------------- */

static int add_names(struct args *names, char *text, struct error *err)
{
    for (char *line = text, *end; *line && (end = strchr(line, '\n')); line = end + 1) {
        args_take(names, strndup(line, (size_t)(end - line)));
    }
    return names->failed ? error_nomem(err, "object store", strlen(text)) : 0;
}

static int read_list(struct args *names, const char *path, struct error *err)
{
    size_t nbytes;
    int fd = store_open_file(path, O_RDONLY), rc;
    bool dead;
    char *text;

    if (fd < 0 && errno == EINVAL) {
        store_clear(path); /* no list of ours */
        return 0;
    }
    if (fd < 0) {
        return errno == ENOENT ? 0 : error_errno(err, path, NULL, "cannot read what is used in the object store");
    }
    dead = lock_try(fd, false) == 1;
    close(fd);
    if (dead) {
        unlink(path);
        return 0;
    }
    text = file_read(path, LIST_MAX, &nbytes, err);
    rc = text ? add_names(names, text, err) : -1;
    free(text);
    return rc;
}

int store_names_read(const struct store *s, struct args *names, struct error *err)
{
    char *users = text_format("%s/users", s->root), *path;
    struct args files = {0};
    int rc = 0;

    *names = (struct args){0};
    if (!users || directory_list(users, NULL, &files) < 0) {
        rc = error_errno(err, users, store_hint(errno), "cannot read what is used in the object store");
    }
    for (size_t i = 0; i < files.n && rc == 0; i++) {
        if (files.v[i][0] == '.') {
            continue;
        }
        path = text_format("%s/%s", users, files.v[i]);
        rc = path ? read_list(names, path, err) : error_nomem(err, users, strlen(users));
        free(path);
    }
    args_free(&files);
    free(users);
    args_sort_unique(names);
    if (rc < 0) {
        args_free(names);
    }
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool store_names_have(const struct args *names, const char *name)
{
    return names->n && bsearch(&name, names->v, names->n, sizeof *names->v, by_name);
}
