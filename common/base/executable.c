#include "common/base/executable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* With errno set where it is none. */
static bool is_executable(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0) {
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
        return false;
    }
    return access(path, X_OK) == 0;
}

int executable_next(const char *name, const char **rest, char **path, struct error *err)
{
    *path = NULL;
    while (*rest) {
        const char *entry = *rest, *end = strchrnul(entry, ':');
        int n = (int)(end - entry);

        *rest = *end ? end + 1 : NULL;
        if (asprintf(path, "%.*s/%s", n ? n : 1, n ? entry : ".", name) < 0) {
            *path = NULL;
            return error_nomem(err, name, (size_t)n + strlen(name) + 2);
        }
        if (is_executable(*path)) {
            return 0;
        }
        free(*path);
        *path = NULL;
    }
    return 0;
}

int executable_find(const char *name, char **path, struct error *err)
{
    const char *rest = getenv("PATH");

    if (!strchr(name, '/')) {
        return executable_next(name, &rest, path, err);
    }
    *path = NULL;
    if (!is_executable(name)) {
        return 0;
    }
    *path = strdup(name);
    return *path ? 0 : error_nomem(err, name, strlen(name) + 1);
}

int executable_need(const char *name, const char *where, const char *hint, char **path, struct error *err)
{
    *path = NULL;
    if (strchr(name, '/') && !is_executable(name)) {
        return error_errno(err, where, hint, "cannot execute %s", name);
    }
    if (executable_find(name, path, err) < 0) {
        return -1;
    }
    return *path ? 0 : error_set(err, where, hint, "there is no program %s on PATH", name);
}
