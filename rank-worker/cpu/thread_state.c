#include "rank-worker/cpu/thread_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Those in which a kernel that hangs is likely to be. */
static const struct {
    long number;
    const char *name;
} calls[] = {
    {SYS_futex, "futex"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_wait4, "wait4"},
    {SYS_waitid, "waitid"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "sendto"},
    {SYS_accept, "accept"},
    {SYS_connect, "connect"},
    {SYS_rt_sigsuspend, "sigsuspend"},
    {SYS_rt_sigtimedwait, "sigwait"},
#ifdef SYS_pause
    {SYS_pause, "pause"},
#endif
#ifdef SYS_poll
    {SYS_poll, "poll"},
#endif
#ifdef SYS_select
    {SYS_select, "select"},
#endif
#ifdef SYS_epoll_wait
    {SYS_epoll_wait, "epoll_wait"},
#endif
};

/* Returns the number of bytes, or -1. */
static ssize_t read_of_thread(pid_t tid, const char *file, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, file);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    const ssize_t n = pread(fd, text, size - 1, 0);
    const int why = errno;
    close(fd);
    errno = why;
    text[n > 0 ? n : 0] = '\0';
    return n;
}

char cpu_thread_state(pid_t tid)
{
    char text[256];
    if (read_of_thread(tid, "stat", text, sizeof(text)) < 0) {
        return errno == ENOENT || errno == ESRCH ? 'Z' : '?';
    }
    const char *name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && name_end[2] ? name_end[2] : '?';
}

const char *cpu_thread_syscall(pid_t tid, char *buf, size_t size)
{
    char text[256], *end;
    buf[0] = '\0';
    if (read_of_thread(tid, "syscall", text, sizeof(text)) <= 0) {
        return buf;
    }
    const long number = strtol(text, &end, 10); /* "running", when it is in none */
    if (end == text || number < 0) {
        return buf;
    }
    snprintf(buf, size, "system call %ld", number);
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        if (calls[i].number == number) {
            snprintf(buf, size, "%s", calls[i].name);
        }
    }
    return buf;
}
