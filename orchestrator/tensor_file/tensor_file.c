#include "orchestrator/tensor_file/tensor_file.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/tensor_file/format_readers.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are handed on as they lie in memory");

static const char *const suffixes[TENSOR_FORMATS] = {"npy", "npz", "pt", "safetensors"};

const char *tensor_format_suffix(enum tensor_format format)
{
    return suffixes[format];
}

int tensor_format_parse(const char *name, enum tensor_format *format)
{
    for (int i = 0; i < TENSOR_FORMATS; i++) {
        if (i != TENSOR_NPZ && strcmp(name, suffixes[i]) == 0) {
            *format = (enum tensor_format)i;
            return 0;
        }
    }
    return -1;
}

/* --- opening ---------------------------------------------------------------- */

/* The long integer 0x1950a86a20f9469cfc6c that torch's older files begin with, after the pickle's protocol. */
static bool is_legacy_pt(const char *head, size_t size)
{
    static const char magic[] = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

    return size > 2 + sizeof magic && head[0] == '\x80' && memcmp(head + 2, magic, sizeof magic - 1) == 0;
}

static int list_zip(struct tensor_file *f, struct error *err)
{
    struct zipped *zip;
    bool is_pt = false;
    int rc = zipped_open(&zip, f->source.fd, f->source.path, err);

    for (int64_t i = 0; rc == 0 && !is_pt && i < zipped_count(zip); i++) {
        struct zipped_entry e;
        size_t length;

        rc = zipped_entry(zip, i, &e, err);
        length = rc ? 0 : strlen(e.name);
        is_pt = length >= 9 && strcmp(e.name + length - 9, "/data.pkl") == 0;
    }
    f->format = is_pt ? TENSOR_PT : TENSOR_NPZ;
    if (rc == 0) {
        rc = is_pt ? pt_list(&f->source, zip, &f->tensors, err) : npz_list(&f->source, zip, &f->tensors, err);
    }
    zipped_close(zip);
    return rc;
}

static int list_tensors(struct tensor_file *f, const char *head, size_t size, struct error *err)
{
    const char *path = f->source.path;

    if (size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0) {
        f->format = TENSOR_NPY;
        return npy_list(&f->source, head, size, &f->tensors, err);
    }
    if (size >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0)) {
        return list_zip(f, err);
    }
    if (is_legacy_pt(head, size)) {
        return error_set(err, path, "save it again with torch 1.6 or later",
                         "%s is a .pt file of the older form, which is no zip archive and is not read", path);
    }
    if (size > 8 && head[8] == '{') {
        f->format = TENSOR_SAFETENSORS;
        return safetensors_list(&f->source, head, &f->tensors, err);
    }
    return error_set(err, path, "name a .npy, .npz, .pt or .safetensors file",
                     "%s is not a tensor file: it begins as none of them", path);
}

static int read_list(struct tensor_file *f, struct error *err)
{
    const off_t nbytes = f->source.opened.st_size;
    const size_t size = nbytes < TENSOR_HEAD_SIZE ? (size_t)nbytes : TENSOR_HEAD_SIZE;
    char *head = malloc(TENSOR_HEAD_SIZE);
    int rc;

    if (!head) {
        return error_nomem(err, f->source.path, TENSOR_HEAD_SIZE);
    }
    rc = tensor_source_bytes(&f->source, head, size, 0, err) ? -1 : list_tensors(f, head, size, err);
    free(head);
    return rc;
}

int tensor_file_open(struct tensor_file **out, const char *path, struct error *err)
{
    struct tensor_file *f = calloc(1, sizeof *f);

    *out = NULL;
    if (!f) {
        return error_nomem(err, path, sizeof *f);
    }
    if (tensor_source_open(&f->source, path, err)) {
        free(f);
        return -1;
    }
    if (read_list(f, err)) {
        tensor_file_close(f);
        return -1;
    }
    *out = f;
    return 0;
}

void tensor_file_release(struct tensor_file *f)
{
    tensor_source_release(&f->source);
}

void tensor_file_close(struct tensor_file *f)
{
    if (f) {
        tensor_source_close(&f->source);
        tensor_list_free(&f->tensors);
        free(f);
    }
}

const struct tensor *tensor_file_find(const struct tensor_file *f, const char *key, size_t length)
{
    for (size_t i = 0; i < f->tensors.count; i++) {
        if (strlen(f->tensors.items[i].name) == length && memcmp(f->tensors.items[i].name, key, length) == 0) {
            return &f->tensors.items[i];
        }
    }
    return NULL;
}
