#include "rank-worker/compile/store_entry.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "common/base/args.h"
#include "common/base/directory.h"
#include "common/base/file.h"

/* "\nl3replay-seal <32 hex>\n" */
enum { SEAL_LENGTH = 47, ENTRY_MAX = 1 << 30 };

const char *store_hint(int errnum)
{
    switch (errnum) {
    case ENOSPC:
    case EDQUOT:
        return "make room on that file system, or set L3REPLAY_CACHE_DIR to a directory on another one";
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return file_errno_hint(errnum);
    default:
        return "set L3REPLAY_CACHE_DIR to a directory that can be written";
    }
}

void store_clear(const char *path)
{
    static const struct directory_remove how = {.go_on = true, .one_device = true};

    if (unlink(path) < 0 && (errno == EISDIR || errno == EPERM)) {
        directory_remove(path, &how);
    }
}

static bool is_in_the_way(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int store_open_file(const char *path, int flags)
{
    struct stat st;
    int fd;

    if ((flags & O_CREAT) && is_in_the_way(path)) {
        store_clear(path);
    }
    fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

static void put_seal(char *to, size_t size, const void *data, size_t nbytes)
{
    XXH128_hash_t hash = XXH3_128bits(data, nbytes);

    snprintf(to, size, "\nl3replay-seal %016" PRIx64 "%016" PRIx64 "\n", hash.high64, hash.low64);
}

/* The bytes of a sealed file, with a NUL in place of the seal; NULL when there is none, or not with its right seal. */
static char *read_sealed(const char *path, size_t *nbytes)
{
    char seal[SEAL_LENGTH + 2];
    size_t size = 0;
    char *data = file_read(path, ENTRY_MAX, &size, NULL);

    if (data && size >= SEAL_LENGTH) {
        *nbytes = size - SEAL_LENGTH;
        put_seal(seal, sizeof seal, data, *nbytes);
        if (memcmp(data + *nbytes, seal, SEAL_LENGTH) == 0) {
            data[*nbytes] = '\0';
            return data;
        }
    }
    free(data);
    return NULL;
}

static int write_all(int fd, const char *data, size_t nbytes)
{
    while (nbytes > 0) {
        ssize_t n = write(fd, data, nbytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return -1;
        }
        data += n;
        nbytes -= (size_t)n;
    }
    return 0;
}

int store_seal(const char *path, struct error *err)
{
    char seal[SEAL_LENGTH + 2];
    size_t size;
    char *data = file_read(path, ENTRY_MAX - SEAL_LENGTH, &size, err);
    int fd, rc;

    if (!data) {
        return -1;
    }
    put_seal(seal, sizeof seal, data, size);
    free(data);
    fd = store_open_file(path, O_WRONLY | O_APPEND);
    rc = fd < 0 ? -1 : write_all(fd, seal, SEAL_LENGTH);
    if (rc < 0) {
        error_errno(err, path, store_hint(errno), "cannot write in the object store");
    }
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

bool store_is_elf(const char *path)
{
    int fd = store_open_file(path, O_RDONLY);
    Elf64_Ehdr head;
    struct stat st;
    bool whole;

    if (fd < 0) {
        return false;
    }
    /* The section table is the last thing in a file that a linker writes: present means not cut. */
    whole = fstat(fd, &st) == 0 && read(fd, &head, sizeof head) == (ssize_t)sizeof head &&
            memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
            head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize <= (uint64_t)st.st_size;
    close(fd);
    return whole;
}

bool store_has_object(const char *path)
{
    size_t nbytes;
    char *data = read_sealed(path, &nbytes);
    bool whole = data && nbytes > SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0;

    free(data);
    return whole;
}

bool store_has_file(const char *path)
{
    int fd = store_open_file(path, O_RDONLY);
    struct stat st;
    bool there = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0;

    if (fd >= 0) {
        close(fd);
    }
    return there;
}

char *store_sealed_text(const char *text, size_t nbytes, size_t *sealed_nbytes)
{
    char *sealed = malloc(nbytes + SEAL_LENGTH + 2);

    if (!sealed) {
        return NULL;
    }
    if (nbytes) {
        memcpy(sealed, text, nbytes);
    }
    put_seal(sealed + nbytes, SEAL_LENGTH + 2, text, nbytes);
    *sealed_nbytes = nbytes + SEAL_LENGTH;
    return sealed;
}

char *store_kept_text(const char *path)
{
    size_t nbytes;

    return read_sealed(path, &nbytes);
}
