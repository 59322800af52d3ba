#include "orchestrator/tensor_file/zipped.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zip.h>

/* libzip reads the file through `source_call`, which notes where: that is how a stored entry's place is found. */
struct zipped {
    zip_t *zip;
    char *path;
    int fd;
    uint64_t at, size;
    bool noted;
    uint64_t first; /* offset of the first read since `noted` was cleared */
    zip_error_t error;
};

static const char *const hint = "save or copy the file again";

static zip_int64_t source_read(struct zipped *z, void *data, zip_uint64_t length)
{
    ssize_t n;

    if (!z->noted) {
        z->noted = true;
        z->first = z->at;
    }
    do {
        n = pread(z->fd, data, length, (off_t)z->at);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        zip_error_set(&z->error, ZIP_ER_READ, errno);
        return -1;
    }
    z->at += (uint64_t)n;
    return n;
}

static zip_int64_t source_call(void *state, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
    struct zipped *z = state;
    zip_int64_t offset;

    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, -1);
    case ZIP_SOURCE_OPEN:
        z->at = 0;
        return 0;
    case ZIP_SOURCE_READ:
        return source_read(z, data, length);
    case ZIP_SOURCE_STAT: {
        zip_stat_t *st = data;
        zip_stat_init(st);
        st->size = z->size;
        st->valid |= ZIP_STAT_SIZE;
        return sizeof *st;
    }
    case ZIP_SOURCE_SEEK:
        offset = zip_source_seek_compute_offset(z->at, z->size, data, length, &z->error);
        if (offset < 0) {
            return -1;
        }
        z->at = (uint64_t)offset;
        return 0;
    case ZIP_SOURCE_TELL:
        return (zip_int64_t)z->at;
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&z->error, data, length);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE:
        return 0;
    default:
        zip_error_set(&z->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
}

static int fail(const struct zipped *z, const char *name, const char *what, struct error *err)
{
    return error_set(err, z->path, hint, "%s: the entry %.200s of the zip archive %s", z->path, name, what);
}

static int open_zip(struct zipped *z, struct error *err)
{
    zip_source_t *source;
    zip_error_t fault;
    int rc = 0;

    zip_error_init(&fault);
    source = zip_source_function_create(source_call, z, &fault);
    z->zip = source ? zip_open_from_source(source, ZIP_RDONLY, &fault) : NULL;
    if (!z->zip) {
        rc = error_set(err, z->path, hint, "%s is not a usable zip archive: %s", z->path, zip_error_strerror(&fault));
        zip_source_free(source);
    }
    zip_error_fini(&fault);
    return rc;
}

int zipped_open(struct zipped **out, int fd, const char *path, struct error *err)
{
    struct zipped *z = calloc(1, sizeof *z);
    struct stat st;

    *out = NULL;
    if (!z || !(z->path = strdup(path))) {
        free(z);
        return error_nomem(err, path, sizeof *z + strlen(path));
    }
    z->fd = fd;
    zip_error_init(&z->error);
    if (fstat(fd, &st)) {
        error_errno(err, path, NULL, "cannot examine %s", path);
        zipped_close(z);
        return -1;
    }
    z->size = (uint64_t)st.st_size;
    if (open_zip(z, err)) {
        zipped_close(z);
        return -1;
    }
    *out = z;
    return 0;
}

void zipped_close(struct zipped *z)
{
    if (!z) {
        return;
    }
    if (z->zip) {
        zip_discard(z->zip);
    }
    zip_error_fini(&z->error);
    free(z->path);
    free(z);
}

int64_t zipped_count(const struct zipped *z)
{
    return zip_get_num_entries(z->zip, 0);
}

int zipped_entry(struct zipped *z, int64_t index, struct zipped_entry *out, struct error *err)
{
    const zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_COMP_SIZE;
    zip_stat_t st;

    if (zip_stat_index(z->zip, (zip_uint64_t)index, ZIP_FL_ENC_RAW, &st) < 0 || (st.valid & needed) != needed) {
        return error_set(err, z->path, hint, "%s: entry %" PRId64 " of the zip archive cannot be read: %s", z->path,
                         index, zip_strerror(z->zip));
    }
    if ((st.valid & ZIP_STAT_ENCRYPTION_METHOD) && st.encryption_method != ZIP_EM_NONE) {
        return fail(z, st.name, "is encrypted", err);
    }
    *out = (struct zipped_entry){st.name, st.size, index, st.comp_method == ZIP_CM_STORE};
    if (out->stored && st.comp_size != st.size) {
        return fail(z, st.name, "has two sizes", err);
    }
    return 0;
}

int zipped_find(struct zipped *z, const char *name, struct zipped_entry *out, struct error *err)
{
    const zip_int64_t index = zip_name_locate(z->zip, name, ZIP_FL_ENC_RAW);

    if (index < 0) {
        return 0;
    }
    return zipped_entry(z, index, out, err) ? -1 : 1;
}

static zip_file_t *open_entry(struct zipped *z, const struct zipped_entry *e, zip_flags_t flags, struct error *err)
{
    zip_file_t *file = zip_fopen_index(z->zip, (zip_uint64_t)e->index, flags);

    if (!file) {
        fail(z, e->name, zip_strerror(z->zip), err);
    }
    return file;
}

int zipped_place(struct zipped *z, const struct zipped_entry *e, uint64_t *offset, struct error *err)
{
    zip_file_t *file;
    char byte, same;
    bool read;

    *offset = 0;
    if (e->size == 0) {
        return 0;
    }
    file = open_entry(z, e, ZIP_FL_COMPRESSED, err);
    if (!file) {
        return -1;
    }
    z->noted = false;
    read = zip_fread(file, &byte, 1) == 1;
    zip_fclose(file);
    if (!read || !z->noted || z->first > z->size || z->size - z->first < e->size) {
        return fail(z, e->name, "is cut short", err);
    }
    if (pread(z->fd, &same, 1, (off_t)z->first) != 1 || same != byte) {
        return fail(z, e->name, "cannot be found in the file", err);
    }
    *offset = z->first;
    return 0;
}

int zipped_read(struct zipped *z, const struct zipped_entry *e, void *dst, uint64_t size, struct error *err)
{
    zip_file_t *file = open_entry(z, e, 0, err);
    uint64_t got = 0;
    char beyond;
    bool good;

    if (!file) {
        return -1;
    }
    while (got < size) {
        zip_int64_t n = zip_fread(file, (char *)dst + got, size - got);
        if (n <= 0) {
            break;
        }
        got += (uint64_t)n;
    }
    /* The checksum is compared at the end only, where one more read is refused. */
    good = got == size && (size < e->size || zip_fread(file, &beyond, 1) == 0);
    zip_fclose(file);
    return good ? 0 : fail(z, e->name, "is damaged", err);
}
