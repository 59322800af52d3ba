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

/* "\nl3replay-seal <32 hex>" */
enum { SEAL_LENGTH = STORE_SEAL_SIZE - 1, ENTRY_MAX = 1 << 30 };

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

    snprintf(to, size, "\nl3replay-seal %016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

/* The bytes of a sealed file, with a NUL in place of the seal; NULL when there is none, or not with its right seal. */
static char *read_sealed(const char *path, size_t *nbytes)
{
    char seal[STORE_SEAL_SIZE];
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

int store_seal_text(const char *path, char text[STORE_SEAL_SIZE], struct error *err)
{
    size_t size;
    char *data = file_read(path, ENTRY_MAX - SEAL_LENGTH, &size, err);

    if (!data) {
        return -1;
    }
    put_seal(text, STORE_SEAL_SIZE, data, size);
    free(data);
    return 0;
}

int store_seal(const char *path, struct error *err)
{
    char seal[STORE_SEAL_SIZE];
    int fd, rc;

    if (store_seal_text(path, seal, err) < 0) {
        return -1;
    }
    fd = store_open_file(path, O_WRONLY | O_APPEND);
    rc = fd >= 0 && file_put(fd, seal, SEAL_LENGTH) == SEAL_LENGTH ? 0 : -1;
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

bool store_is_file(const char *path)
{
    int fd = store_open_file(path, O_RDONLY);
    struct stat st;
    bool there = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0;

    if (fd >= 0) {
        close(fd);
    }
    return there;
}

char *store_seal_path(const char *path)
{
    return text_format("%s.seal", path);
}

bool store_has_file(const char *path)
{
    char seal[STORE_SEAL_SIZE], *beside = store_seal_path(path);
    size_t size = 0;
    char *kept = beside ? file_read(beside, SEAL_LENGTH, &size, NULL) : NULL;
    bool whole = kept && store_seal_text(path, seal, NULL) == 0 && size == SEAL_LENGTH && memcmp(kept, seal, size) == 0;

    free(kept);
    free(beside);
    return whole;
}

char *store_sealed_text(const char *text, size_t nbytes, size_t *sealed_nbytes)
{
    char *sealed = malloc(nbytes + STORE_SEAL_SIZE);

    if (!sealed) {
        return NULL;
    }
    if (nbytes) {
        memcpy(sealed, text, nbytes);
    }
    put_seal(sealed + nbytes, STORE_SEAL_SIZE, text, nbytes);
    *sealed_nbytes = nbytes + SEAL_LENGTH;
    return sealed;
}

char *store_kept_text(const char *path)
{
    size_t nbytes;

    return read_sealed(path, &nbytes);
}
