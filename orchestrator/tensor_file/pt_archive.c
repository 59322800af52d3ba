/* .pt files: a zip archive of a pickle and of storages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/tensor_file/format_readers.h"
#include "orchestrator/tensor_file/pt.h"

enum { PICKLE_MAX_BYTES = 64 << 20 };

static const char *const hint = "save it again: torch.save(tensor, file)";

struct archive {
    struct zipped *zip;
    const char *path;
    char *root; /* what the names of entries begin with, without the slash */
};

static int find_entry(const struct archive *a, const char *name, struct zipped_entry *out, struct error *err)
{
    char path[1024];

    if ((size_t)snprintf(path, sizeof path, "%s/%s", a->root, name) >= sizeof path) {
        return 0;
    }
    return zipped_find(a->zip, path, out, err);
}

static int find_storage(void *context, const char *key, struct pt_storage *out, struct error *err)
{
    const struct archive *a = context;
    struct zipped_entry e;
    char name[300];
    int found;

    snprintf(name, sizeof name, "data/%.200s", key);
    found = find_entry(a, name, &e, err);
    if (found <= 0) {
        return found < 0 ? -1 : error_set(err, a->path, hint, "%s lacks the storage %s", a->path, name);
    }
    *out = (struct pt_storage){.nbytes = e.size, .packed = e.stored ? -1 : e.index};
    return e.stored ? zipped_place(a->zip, &e, &out->offset, err) : 0;
}

/* Torch writes "big" there on such machines; older versions write nothing, and are little-endian. */
static int check_byte_order(const struct archive *a, struct error *err)
{
    struct zipped_entry e;
    char order[16] = "";
    int found = find_entry(a, "byteorder", &e, err);

    if (found <= 0) {
        return found;
    }
    if (e.size >= sizeof order || zipped_read(a->zip, &e, order, e.size, err)) {
        return e.size >= sizeof order ? error_set(err, a->path, hint, "%s has an unknown byte order", a->path) : -1;
    }
    return strncmp(order, "little", 6) == 0
               ? 0
               : error_set(err, a->path, "save it again on a little-endian machine",
                           "%s has elements in big-endian order, which is not read", a->path);
}

static int check_kind(const struct archive *a, struct error *err)
{
    struct zipped_entry e;
    int found = find_entry(a, "constants.pkl", &e, err);

    if (found > 0) {
        return error_set(err, a->path, hint, "%s is a TorchScript module, no saved tensor", a->path);
    }
    return found < 0 ? -1 : check_byte_order(a, err);
}

static int read_pickle(const struct archive *a, struct tensor_list *out, const struct zipped_entry *e,
                       struct error *err)
{
    char *pickle;
    int rc = -1;

    if (e->size > PICKLE_MAX_BYTES) {
        return error_set(err, a->path, hint, "the pickle of %s is larger than 64 MB", a->path);
    }
    pickle = malloc(e->size + 1);
    if (!pickle) {
        return error_nomem(err, a->path, e->size);
    }
    if (zipped_read(a->zip, e, pickle, e->size, err) == 0) {
        rc = pt_read_pickle(pickle, e->size, a->path, find_storage, (void *)a, out, err);
    }
    free(pickle);
    if (rc == 0 && out->count == 0) {
        return error_set(err, a->path, hint, "%s holds no tensor", a->path);
    }
    return rc;
}

int pt_list(const struct tensor_source *f, struct zipped *zip, struct tensor_list *out, struct error *err)
{
    struct archive a = {.zip = zip, .path = f->path};
    int rc = 0;

    for (int64_t i = 0; rc == 0 && i < zipped_count(zip); i++) {
        struct zipped_entry e;
        const char *slash;

        rc = zipped_entry(zip, i, &e, err);
        slash = rc ? NULL : strrchr(e.name, '/');
        if (!slash || strcmp(slash, "/data.pkl") != 0) {
            continue;
        }
        a.root = strndup(e.name, (size_t)(slash - e.name));
        rc = !a.root ? error_nomem(err, f->path, 64) : check_kind(&a, err) ? -1 : read_pickle(&a, out, &e, err);
        free(a.root);
        return rc;
    }
    return rc ? -1 : error_set(err, f->path, hint, "%s holds no data.pkl", f->path);
}
