#include "orchestrator/gather/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/file_hash.h"
#include "common/base/private_dir.h"

enum { PAGE = 4096 };

struct outbox {
    struct private_dir dir;
    char **paths; /* handed over, relative; the first `next` are done */
    size_t count, capacity, next;
    int fd;               /* of paths[next] when it is begun; -1: none is */
    int done_fd;          /* of a file that is through; -1: none */
    uint64_t done_nbytes; /* of it that still take room */
    uint64_t offset;
    XXH3_state_t *hash;
};

static const char *default_base(void)
{
    const char *base = getenv("TMPDIR");

    return base && *base ? base : "/var/tmp";
}

int outbox_open(struct outbox **out, const char *base, struct error *err)
{
    struct outbox *o = calloc(1, sizeof *o);

    *out = NULL;
    if (!o) {
        return error_nomem(err, "profiles", sizeof *o);
    }
    o->fd = o->done_fd = -1;
    o->dir = (struct private_dir)PRIVATE_DIR_NONE;
    o->hash = XXH3_createState();
    if (!o->hash) {
        error_nomem(err, "profiles", XXH3_SECRET_SIZE_MIN);
    } else if (private_dir_make(&o->dir, base ? base : default_base(), "l3replay-outbox.", err) == 0) {
        *out = o;
        return 0;
    }
    outbox_close(o);
    return -1;
}

const char *outbox_dir(const struct outbox *o)
{
    return o->dir.path;
}

bool outbox_is_in_memory(const struct outbox *o)
{
    struct statfs fs;

    return statfs(o->dir.path, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

bool outbox_is_empty(const struct outbox *o)
{
    return o->next == o->count;
}

static int queue_file(struct outbox *o, const char *path, struct error *err)
{
    if (array_room(&o->paths, &o->capacity, o->count, sizeof *o->paths)) {
        return error_nomem(err, "profiles", (o->count + 1) * sizeof *o->paths);
    }
    if (parcel_path_check(path, err) < 0) {
        return -1;
    }
    o->paths[o->count] = strdup(path);
    return o->paths[o->count++] ? 0 : error_nomem(err, path, strlen(path) + 1);
}

static int queue_entry(struct outbox *o, const char *dir, const char *name, struct error *err)
{
    char *path = NULL;
    size_t length;
    struct stat st;
    int rc = 0;

    if (name[0] == '.' || (!*dir && strcmp(name, "lock") == 0)) {
        return 0;
    }
    if ((*dir ? asprintf(&path, "%s/%s", dir, name) : asprintf(&path, "%s", name)) < 0) {
        return error_nomem(err, dir, strlen(dir) + strlen(name) + 2);
    }
    char *full = file_join(o->dir.path, path, err);
    if (!full) {
        rc = -1;
    } else if (lstat(full, &st) == 0 && S_ISDIR(st.st_mode)) {
        rc = outbox_add(o, path, err);
    } else if (!file_is_unfinished(name, &length)) {
        rc = queue_file(o, path, err);
    }
    free(full);
    free(path);
    return rc;
}

int outbox_add(struct outbox *o, const char *dir, struct error *err)
{
    char *full = file_join(o->dir.path, dir, err);
    struct args names = {0};
    int rc = 0;

    if (!full) {
        return -1;
    }
    if (directory_list(full, NULL, &names) < 0 && errno != ENOENT && errno != ENOTDIR) {
        rc = error_errno(err, full, file_errno_hint(errno), "cannot look for finished profiles");
    }
    free(full);
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        rc = queue_entry(o, dir, names.v[i], err);
    }
    args_free(&names);
    return rc;
}

static void begin_file(struct outbox *o)
{
    o->offset = 0;
    XXH3_64bits_reset(o->hash);
    o->fd = openat(o->dir.fd, o->paths[o->next], O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

static void let_go(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

static void end_file(struct outbox *o)
{
    unlinkat(o->dir.fd, o->paths[o->next], 0); /* what stays goes with the directory */
    let_go(&o->done_fd);
    o->done_fd = o->fd;
    o->done_nbytes = o->offset;
    o->fd = -1;
    free(o->paths[o->next]);
    o->paths[o->next++] = NULL;
    if (o->next == o->count) {
        o->next = o->count = 0;
    }
}

/* A piece that is not the last ends at a page of the file: kernels take far longer for writes that begin within one. */
static size_t whole_pages(uint64_t offset, size_t room)
{
    const size_t beyond = (size_t)((offset + room) % PAGE);

    return room > PAGE ? room - beyond : room;
}

/* Fill `at`; fewer bytes than `room` only at the end of the file. -1 with errno. */
static ssize_t read_full(int fd, void *at, size_t room)
{
    size_t got = 0;

    while (got < room) {
        ssize_t n = read(fd, (char *)at + got, room - got);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        if (n == 0) {
            break;
        }
        got += (size_t)n;
    }
    return (ssize_t)got;
}

static void pack_loss(struct parcel *p, const char *path, uint64_t offset, void *at, size_t room)
{
    int length = snprintf(at, room, "cannot read it on its host: %s", strerror(errno));

    if (length < 0 || (size_t)length >= room) {
        length = (int)room - 1;
    }
    parcel_add(p, path, offset, (uint32_t)length, PARCEL_LOST, 0);
}

void outbox_pack(struct outbox *o, struct parcel *p)
{
    while (o->next < o->count) {
        const char *path = o->paths[o->next];
        size_t room;
        void *at = parcel_room(p, path, &room);
        ssize_t n = -1;

        if (!at) {
            return;
        }
        if (o->fd < 0) {
            begin_file(o);
        }
        room = whole_pages(o->offset, room);
        if (o->fd >= 0) {
            n = read_full(o->fd, at, room);
        }
        if (n < 0) {
            pack_loss(p, path, o->offset, at, room);
            end_file(o);
            continue;
        }
        XXH3_64bits_update(o->hash, at, (size_t)n);
        if ((size_t)n == room) { /* the end, if this is it, is a piece of its own */
            parcel_add(p, path, o->offset, (uint32_t)n, PARCEL_MORE, 0);
            o->offset += (uint64_t)n;
            return;
        }
        parcel_add(p, path, o->offset, (uint32_t)n, PARCEL_LAST, XXH3_64bits_digest(o->hash));
        end_file(o);
    }
}

void outbox_tidy(struct outbox *o)
{
    if (o->done_fd < 0) {
        return;
    }
    o->done_nbytes -= o->done_nbytes < PARCEL_NBYTES ? o->done_nbytes : PARCEL_NBYTES;
    if (o->done_nbytes == 0 || ftruncate(o->done_fd, (off_t)o->done_nbytes) < 0) {
        let_go(&o->done_fd);
    }
}

void outbox_close(struct outbox *o)
{
    if (!o) {
        return;
    }
    let_go(&o->fd);
    let_go(&o->done_fd);
    for (size_t i = o->next; i < o->count; i++) {
        free(o->paths[i]);
    }
    free(o->paths);
    XXH3_freeState(o->hash);
    private_dir_remove(&o->dir);
    free(o);
}
