#include "common/process/inherited.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "common/process/child_setup.h"

int process_reset_self(void)
{
    sigset_t none;

    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            return -1;
        }
    }
    child_reset_signals(1UL << SIGHUP | 1UL << SIGINT | 1UL << SIGQUIT);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* the write fails with EFBIG, and its caller reports that */
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}
