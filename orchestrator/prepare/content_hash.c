#include "orchestrator/prepare/content_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/file_hash.h"

enum { PIECE = 1 << 20 };

static void put(XXH128_hash_t hash, char text[CONTENT_HASH_SIZE])
{
    snprintf(text, CONTENT_HASH_SIZE, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

void content_hash(const void *data, size_t size, char text[CONTENT_HASH_SIZE])
{
    put(XXH3_128bits(data, size), text);
}

static int add_all(int fd, XXH3_state_t *state, void *buffer)
{
    ssize_t n;

    while ((n = read(fd, buffer, PIECE)) != 0) {
        if (n > 0) {
            XXH3_128bits_update(state, buffer, (size_t)n);
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

int content_hash_file(const char *path, char text[CONTENT_HASH_SIZE], struct error *err)
{
    XXH3_state_t *state = XXH3_createState();
    void *buffer = malloc(PIECE);
    int fd = -1, rc = -1;

    if (!state || !buffer) {
        error_nomem(err, path, PIECE);
        goto out;
    }
    if (!file_is_regular(path)) {
        error_set(err, path, NULL, "%s is not there, or no regular file", path);
        goto out;
    }
    XXH3_128bits_reset(state);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    rc = fd < 0 ? -1 : add_all(fd, state, buffer);
    if (rc < 0) {
        error_errno(err, path, file_errno_hint(errno), "cannot read %s", path);
    } else {
        put(XXH3_128bits_digest(state), text);
    }
out:
    if (fd >= 0) {
        close(fd);
    }
    free(buffer);
    XXH3_freeState(state);
    return rc;
}
