#include "orchestrator/user_python/golden_set.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/user_python/shared_file.h"

int golden_set_make(struct golden_set *set, size_t count, struct error *err)
{
    *set =
        (struct golden_set){.files = calloc(count + 1, sizeof *set->files), .fds = calloc(count + 1, sizeof *set->fds)};
    if (!set->files || !set->fds) {
        return error_nomem(err, "golden.py", count * sizeof *set->files);
    }
    return 0;
}

void golden_set_close(struct golden_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->fds[i] >= 0) {
            close(set->fds[i]);
        }
        set->fds[i] = -1;
    }
}

void golden_set_free(struct golden_set *set)
{
    golden_set_close(set);
    for (size_t i = 0; i < set->count; i++) {
        free((char *)set->files[i].file);
    }
    free(set->files);
    free(set->fds);
    *set = (struct golden_set){0};
}

int golden_set_add(struct golden_set *set, const char *param, struct error *err)
{
    int fd = shared_file_make(err);
    char *path = fd < 0 ? NULL : shared_file_path(fd, err);

    if (!path) {
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    set->files[set->count] = (struct named_file){.name = param, .file = path};
    set->fds[set->count++] = fd;
    return 0;
}

int golden_set_take(struct golden_set *set, const struct golden_entry *e, const char *const *params, struct error *err)
{
    for (size_t i = 0; i < e->arrays.n; i++) {
        char *path = strdup(e->arrays.v[i]);

        if (!path) {
            return error_nomem(err, "golden.py", strlen(e->arrays.v[i]) + 1);
        }
        set->files[set->count] = (struct named_file){.name = params[i], .file = path};
        set->fds[set->count++] = -1;
    }
    return 0;
}
