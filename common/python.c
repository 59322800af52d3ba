#include "common/python.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_script(const char *path)
{
    char head[2] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    if (read(fd, head, sizeof head) != (ssize_t)sizeof head)
        head[0] = '\0';
    close(fd);
    return head[0] == '#' && head[1] == '!';
}

void python_find(char *buf, size_t size)
{
    const char *at = getenv("PATH");
    char candidate[4096];

    snprintf(buf, size, "python3");
    while (at && *at) {
        size_t n = strcspn(at, ":");

        snprintf(candidate, sizeof candidate, "%.*s/python3", (int)n, at);
        if (n && access(candidate, X_OK) == 0) {
            bool script = is_script(candidate);

            if (!script || strcmp(buf, "python3") == 0)
                snprintf(buf, size, "%s", candidate);
            if (!script)
                return;
        }
        at += n + (at[n] == ':');
    }
}
