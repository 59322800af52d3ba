#include "orchestrator/tensor_file/tensor_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"

static int examine(const struct tensor_source *s, struct stat *st, struct error *err)
{
    return fstat(s->fd, st) ? error_errno(err, s->path, file_errno_hint(errno), "cannot examine %s", s->path) : 0;
}

int tensor_source_open(struct tensor_source *s, const char *path, struct error *err)
{
    *s = (struct tensor_source){.path = strdup(path), .fd = -1};
    if (!s->path) {
        return error_nomem(err, path, strlen(path));
    }
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd < 0) {
        error_errno(err, path, file_errno_hint(errno), "cannot open %s", path);
    } else if (examine(s, &s->opened, err) == 0) {
        if (S_ISREG(s->opened.st_mode)) {
            return 0;
        }
        error_set(err, path, "name a .npy, .npz, .pt or .safetensors file", "%s is not a regular file", path);
    }
    tensor_source_close(s);
    return -1;
}

void tensor_source_release(struct tensor_source *s)
{
    if (s->fd >= 0) {
        close(s->fd);
    }
    s->fd = -1;
}

void tensor_source_close(struct tensor_source *s)
{
    tensor_source_release(s);
    free(s->path);
    s->path = NULL;
}

int tensor_source_bytes(const struct tensor_source *s, void *dst, uint64_t size, uint64_t offset, struct error *err)
{
    for (uint64_t got = 0; got < size;) {
        ssize_t n = pread(s->fd, (char *)dst + got, size - got, (off_t)(offset + got));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return error_errno(err, s->path, file_errno_hint(errno), "cannot read %s", s->path);
        }
        if (n == 0) {
            return error_set(err, s->path, "try again when nothing writes to it", "%s became shorter while it was read",
                             s->path);
        }
        got += (uint64_t)n;
    }
    return 0;
}

static bool same_state(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int tensor_source_unchanged(const struct tensor_source *s, struct error *err)
{
    struct stat now;

    if (examine(s, &now, err)) {
        return -1;
    }
    if (!same_state(&now, &s->opened)) {
        return error_set(err, s->path, "replay again when nothing writes to it", "%s was changed during the replay",
                         s->path);
    }
    return 0;
}
