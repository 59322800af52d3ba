#include "orchestrator/supervise/supervision.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { FLOOD_NAP_NS = 1000000 };

/* When strangers flood the event socket, it does not wake us: it is looked at after a nap, so that the flood gets little of
 * our time. */
int supervision_wait(struct supervision *s, uint64_t limit_ns, struct wakeup *wakeup, struct error *err)
{
    const bool flooded = s->events && events_more(s->events);
    const uint64_t nap_ns = flooded && limit_ns > FLOOD_NAP_NS ? FLOOD_NAP_NS : limit_ns;
    const struct timespec limit = {.tv_sec = (time_t)(nap_ns / 1000000000), .tv_nsec = (long)(nap_ns % 1000000000)};
    struct pollfd *fds = calloc(s->seg->header->nlane + 2u, sizeof *fds);
    struct signalfd_siginfo info;
    nfds_t n;

    if (!fds) {
        return error_nomem(err, "supervision", s->seg->header->nlane * sizeof *fds);
    }
    n = executors_poll(s->executors, fds);
    fds[n++] = (struct pollfd){.fd = s->signal_fd, .events = POLLIN};
    if (s->events && !flooded) {
        fds[n++] = (struct pollfd){.fd = events_fd(s->events), .events = POLLIN};
    }
    if (ppoll(fds, n, nap_ns == supervision_forever ? NULL : &limit, NULL) < 0 && errno != EINTR) {
        free(fds);
        return error_errno(err, "supervision", NULL, "ppoll");
    }
    free(fds);
    memset(wakeup, 0, sizeof *wakeup);
    while (read(s->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            wakeup->signal = (int)info.ssi_signo;
            wakeup->sender = (pid_t)info.ssi_pid;
        }
    }
    executors_service(s->executors);
    wakeup->all_gone = executors_reap(s->executors, &wakeup->failed, &wakeup->error) == 0;
    return 0;
}
