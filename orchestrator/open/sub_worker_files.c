#include "orchestrator/open/sub_worker_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/json.h"

enum { MAX_MANIFEST = 1 << 20 };

/* The entry of that name, made where there is none. `name` need not be terminated at `length`. */
static struct sub_worker *entry(struct sub_workers *s, const char *name, size_t length, struct error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strlen(s->items[i].name) == length && memcmp(s->items[i].name, name, length) == 0) {
            return &s->items[i];
        }
    }
    if (array_room(&s->items, &s->capacity, s->count, sizeof *s->items)) {
        error_nomem(err, "sub_workers", (s->count + 1) * sizeof *s->items);
        return NULL;
    }
    s->items[s->count] = (struct sub_worker){.name = strndup(name, length)};
    if (!s->items[s->count].name) {
        error_nomem(err, "sub_workers", length + 1);
        return NULL;
    }
    return &s->items[s->count++];
}

static int add_file(struct sub_workers *s, const char *folder, const char *file, struct error *err)
{
    size_t length = strlen(file);
    struct sub_worker *sub;

    if (length <= 3 || strcmp(file + length - 3, ".py") != 0 || strncmp(file, "__", 2) == 0 || *file == '.') {
        return 0;
    }
    sub = entry(s, file, length - 3, err);
    if (!sub) {
        return -1;
    }
    sub->file = file_join(folder, file, err);
    return sub->file ? 0 : -1;
}

static int read_folder(struct sub_workers *s, const char *folder, struct error *err)
{
    struct args names = {0};
    int rc = 0;

    if (directory_list(folder, NULL, &names) < 0) {
        rc = error_errno(err, folder, file_errno_hint(errno), "cannot list the sub-workers");
    }
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        rc = add_file(s, folder, names.v[i], err);
    }
    args_free(&names);
    return rc;
}

static int take_required(struct sub_workers *s, const char *path, struct error *err)
{
    struct json_source src = {.file = path, .hint = "compile the build again", .err = err};
    cJSON *root = json_read(&src, MAX_MANIFEST);
    const cJSON *list = NULL, *item;
    int rc = root ? json_get_list(&src, root, NULL, &list, NULL) : -1;

    cJSON_ArrayForEach(item, list) {
        const char *name;
        struct sub_worker *sub = json_get_string(&src, item, NULL, &name) ? NULL : entry(s, name, strlen(name), err);
        if (!sub) {
            rc = -1;
            break;
        }
        sub->required = true;
    }
    cJSON_Delete(root);
    return rc;
}

static int read_required(struct sub_workers *s, const char *folder, struct error *err)
{
    char *path = file_join(folder, "__required__.json", err);
    int rc = path ? file_is_there(path, err) : -1;

    if (rc == 1) {
        rc = take_required(s, path, err);
    }
    free(path);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sub_worker *)a)->name, ((const struct sub_worker *)b)->name);
}

int sub_workers_open(const char *dir, struct sub_workers *out, struct error *err)
{
    char *folder = file_join(dir, "sub_workers", err);
    int rc = folder ? file_is_there(folder, err) : -1;

    memset(out, 0, sizeof *out);
    if (rc == 1) {
        rc = file_is_directory(folder) && (read_folder(out, folder, err) < 0 || read_required(out, folder, err) < 0)
                 ? -1
                 : 0;
    }
    if (rc < 0) {
        sub_workers_free(out);
    }
    free(folder);
    if (out->count) {
        qsort(out->items, out->count, sizeof *out->items, by_name);
    }
    return rc;
}

void sub_workers_free(struct sub_workers *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].name);
        free(s->items[i].file);
    }
    free(s->items);
    memset(s, 0, sizeof *s);
}

const struct sub_worker *sub_workers_find(const struct sub_workers *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->items[i].name, name) == 0) {
            return &s->items[i];
        }
    }
    return NULL;
}
