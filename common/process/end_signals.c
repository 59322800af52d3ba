#include "common/process/end_signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int end_signals_open(struct error *err)
{
    sigset_t taken;
    int fd;

    sigemptyset(&taken);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGHUP);
    sigprocmask(SIG_BLOCK, &taken, NULL);
    fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? error_errno(err, NULL, "raise the limit of open files (ulimit -n)", "cannot make a signalfd") : fd;
}

int end_signals_read(int fd)
{
    struct signalfd_siginfo info;

    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}
