#include "common/base/python.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/executable.h"

enum { DEFAULT_LIMIT_S = 60 };

static bool is_script(const char *path)
{
    char head[2] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    if (read(fd, head, sizeof head) != (ssize_t)sizeof head) {
        head[0] = '\0';
    }
    close(fd);
    return head[0] == '#' && head[1] == '!';
}

int python_find(char **path, struct error *err)
{
    const char *rest = getenv("PATH");
    char *script = NULL;

    *path = NULL;
    do {
        free(*path); /* a script after the first */
        if (executable_next("python3", &rest, path, err) < 0) {
            free(script);
            return -1;
        }
        if (*path && !is_script(*path)) {
            free(script);
            return 0;
        }
        if (!script) {
            script = *path;
            *path = NULL;
        }
    } while (rest);
    free(*path);
    *path = script ? script : strdup("python3");
    return *path ? 0 : error_nomem(err, "python3", sizeof "python3");
}

unsigned python_for_user(char paths[PYTHON_USER_MAX][PATH_MAX])
{
    static const char *const variables[] = {"L3REPLAY_SUBWORKER_PYTHON", "L3REPLAY_PYTHON"};
    static const char system[] = "/usr/bin/python3";
    const char *venv = getenv("VIRTUAL_ENV");

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);

        if (value && *value) {
            snprintf(paths[0], PATH_MAX, "%s", value);
            return 1;
        }
    }
    snprintf(paths[0], PATH_MAX, "%s/bin/python3", venv ? venv : "");
    if (!venv || !*venv || access(paths[0], X_OK) != 0) {
        snprintf(paths[0], PATH_MAX, "python3");
    }
    snprintf(paths[1], PATH_MAX, "%s", system);
    return access(system, X_OK) == 0 ? 2 : 1;
}

int python_limit(double *seconds, struct error *err)
{
    const char *text = getenv("L3REPLAY_RECORD_TIMEOUT");
    char *end;

    *seconds = DEFAULT_LIMIT_S;
    if (text && *text) {
        *seconds = strtod(text, &end);
        if (*end || !(*seconds > 0 && *seconds <= INT_MAX / 1000 - 1)) {
            return error_set(err, "L3REPLAY_RECORD_TIMEOUT", "give seconds, as in L3REPLAY_RECORD_TIMEOUT=300",
                             "'%s' is not a positive number of seconds", text);
        }
    }
    return 0;
}
