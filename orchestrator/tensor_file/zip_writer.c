#include "orchestrator/tensor_file/zip_writer.h"

#include <errno.h>
#include <string.h>

#include <zip.h>

#include "common/base/file.h"

/* libzip writes through `call`: the file is made by common/base/file.h, whole or not at all. */
struct target {
    FILE *stream;
    zip_error_t error;
};

static zip_int64_t seek(struct target *t, void *data, zip_uint64_t length)
{
    zip_source_args_seek_t *args = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, length, &t->error);

    if (!args || fseeko(t->stream, (off_t)args->offset, args->whence)) {
        if (args) {
            zip_error_set(&t->error, ZIP_ER_SEEK, errno);
        }
        return -1;
    }
    return 0;
}

static zip_int64_t write_bytes(struct target *t, const void *data, zip_uint64_t length)
{
    if (fwrite(data, 1, length, t->stream) != length) {
        zip_error_set(&t->error, ZIP_ER_WRITE, errno);
        return -1;
    }
    return (zip_int64_t)length;
}

static zip_int64_t describe(void *data)
{
    zip_stat_t *st = data;

    zip_stat_init(st);
    st->size = 0; /* nothing of an old archive is kept */
    st->valid |= ZIP_STAT_SIZE;
    return sizeof *st;
}

static zip_int64_t call(void *state, void *data, zip_uint64_t length, zip_source_cmd_t command)
{
    struct target *t = state;

    switch (command) {
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                              ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_COMMIT_WRITE,
                                              ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE,
                                              ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_STAT:
        return describe(data);
    case ZIP_SOURCE_WRITE:
        return write_bytes(t, data, length);
    case ZIP_SOURCE_SEEK_WRITE:
        return seek(t, data, length);
    case ZIP_SOURCE_TELL_WRITE:
        return (zip_int64_t)ftello(t->stream);
    case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&t->error, data, length);
    default:
        return 0;
    }
}

static int fail(const char *path, const char *why, struct error *err)
{
    return error_set(err, path, file_errno_hint(errno), "cannot write %s: %s", path, why);
}

static int add_parts(zip_t *zip, const char *path, const struct zip_part *parts, size_t count, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        zip_source_t *source = zip_source_buffer(zip, parts[i].size ? parts[i].data : "", parts[i].size, 0);
        zip_int64_t index = source ? zip_file_add(zip, parts[i].name, source, ZIP_FL_ENC_UTF_8) : -1;

        if (index < 0 || zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) < 0) {
            if (index < 0) {
                zip_source_free(source);
            }
            return fail(path, zip_strerror(zip), err);
        }
    }
    return 0;
}

int zip_write(FILE *stream, const char *path, const struct zip_part *parts, size_t count, struct error *err)
{
    struct target target = {.stream = stream};
    zip_source_t *source;
    zip_error_t fault;
    zip_t *zip;
    int rc = -1;

    zip_error_init(&target.error);
    zip_error_init(&fault);
    source = zip_source_function_create(call, &target, &fault);
    zip = source ? zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &fault) : NULL;
    if (!zip) {
        fail(path, zip_error_strerror(&fault), err);
        zip_source_free(source);
    } else if (add_parts(zip, path, parts, count, err) == 0 && zip_close(zip) == 0) {
        rc = 0;
        zip = NULL;
    } else if (zip_get_error(zip) && zip_error_code_zip(zip_get_error(zip)) != ZIP_ER_OK) {
        fail(path, zip_strerror(zip), err);
    }
    if (zip) {
        zip_discard(zip);
    }
    zip_error_fini(&fault);
    zip_error_fini(&target.error);
    return rc;
}
