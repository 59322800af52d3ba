#include "orchestrator/watch/watch_keys.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void watch_keys_open(struct watch_keys *k, int fd)
{
    struct termios now;

    *k = (struct watch_keys){.fd = fd};
    /* A terminal of a job in the background would stop us. */
    if (!isatty(fd) || tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &k->before) < 0) {
        return;
    }
    now = k->before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    k->changed = tcsetattr(fd, TCSANOW, &now) == 0;
}

void watch_keys_close(struct watch_keys *k)
{
    if (k->changed) {
        tcsetattr(k->fd >= 0 ? k->fd : STDIN_FILENO, TCSANOW, &k->before);
    }
    k->changed = false;
}

enum watch_key watch_keys_read(struct watch_keys *k)
{
    char bytes[256];
    ssize_t n = read(k->fd, bytes, sizeof bytes);

    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return WATCH_NOTHING;
    }
    if (n <= 0) {
        k->fd = -1;
        return WATCH_NOTHING;
    }
    if (memchr(bytes, 'q', (size_t)n) || memchr(bytes, 4, (size_t)n)) { /* Ctrl-D too */
        return WATCH_QUIT;
    }
    return memchr(bytes, '\n', (size_t)n) ? WATCH_AGAIN : WATCH_NOTHING;
}
