#include "orchestrator/prepare/real_paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The directory of the first `length` bytes; NULL: it is not there, or cannot be kept. */
static const char *real_dir(struct real_paths *r, const char *path, size_t length)
{
    char *dir, *found;

    for (size_t i = 0; i < r->dirs.n; i++) {
        if (strncmp(r->dirs.v[i], path, length) == 0 && !r->dirs.v[i][length]) {
            return r->real.v[i];
        }
    }
    dir = strndup(path, length);
    found = dir ? realpath(dir, NULL) : NULL;
    if (!found || r->dirs.failed || r->real.failed) {
        free(dir);
        free(found);
        return NULL;
    }
    args_take(&r->dirs, dir);
    args_take(&r->real, found);
    return r->dirs.failed || r->real.failed ? NULL : r->real.v[r->real.n - 1];
}

char *real_path(struct real_paths *r, const char *path)
{
    const char *slash = strrchr(path, '/'), *dir;
    struct stat st;

    if (!slash || slash == path || !slash[1] || strcmp(slash, "/.") == 0 || strcmp(slash, "/..") == 0 ||
        lstat(path, &st) < 0 || S_ISLNK(st.st_mode) || !(dir = real_dir(r, path, (size_t)(slash - path)))) {
        return realpath(path, NULL);
    }
    return text_format("%s%s", strcmp(dir, "/") == 0 ? "" : dir, slash);
}

void real_paths_free(struct real_paths *r)
{
    args_free(&r->dirs);
    args_free(&r->real);
}
