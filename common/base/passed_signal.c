#include "common/base/passed_signal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/file.h"

static const char variable[] = "L3REPLAY_SIGNAL";

int passed_signal_offer(const char *dir, struct error *err)
{
    char *path = file_join(dir, "signal", err);
    int rc = path ? setenv(variable, path, 1) : -1;

    if (path && rc < 0) {
        error_nomem(err, variable, 1);
    }
    free(path);
    return rc;
}

void passed_signal_set(int sig)
{
    const char *path = getenv(variable);
    int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

    if (fd >= 0) {
        dprintf(fd, "%d\n", sig);
        close(fd);
    }
}

int passed_signal_get(int sig)
{
    const char *path = getenv(variable);
    char text[16] = "";
    int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    int passed = 0;

    if (fd >= 0) {
        if (read(fd, text, sizeof text - 1) > 0) {
            passed = atoi(text);
        }
        close(fd);
    }
    return passed > 0 && passed < NSIG ? passed : sig;
}
