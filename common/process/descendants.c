#include "common/process/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { MOST_SPARED = 16, NAP_NS = 1000000 };

static bool adopted;
static pid_t spared[MOST_SPARED];
static unsigned nspared;

/* What getdents64() gives. readdir() allocates, which a signal handler must not. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

static bool is_spared(pid_t pid)
{
    for (unsigned i = 0; i < nspared; i++) {
        if (spared[i] == pid) {
            return true;
        }
    }
    return false;
}

/* Call `visit` with each child in a list of the kernel's, "12 345 ". Returns how many it counted. */
static unsigned visit_list(int fd, unsigned (*visit)(pid_t pid))
{
    char text[1024];
    unsigned count = 0;
    pid_t pid = 0;
    ssize_t n;

    while ((n = read(fd, text, sizeof text)) > 0) {
        for (ssize_t i = 0; i < n; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                pid = pid * 10 + (text[i] - '0');
            } else if (pid > 0) {
                count += visit(pid);
                pid = 0;
            }
        }
    }
    return count + (pid > 0 ? visit(pid) : 0);
}

/* Children belong to threads: an orphan comes to any of them. */
static unsigned visit_children(unsigned (*visit)(pid_t pid))
{
    static const char file[] = "/children";
    int dir = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _Alignas(struct entry) char entries[2048];
    unsigned count = 0;
    long n;

    if (dir < 0) {
        return 0;
    }
    while ((n = syscall(SYS_getdents64, dir, entries, sizeof entries)) > 0) {
        for (long at = 0; at < n;) {
            const void *next = entries + at;
            const struct entry *e = next;
            size_t length = strlen(e->name);
            char path[64];
            int fd;

            at += e->size;
            if (e->name[0] == '.' || length + sizeof file > sizeof path) {
                continue;
            }
            memcpy(path, e->name, length);
            memcpy(path + length, file, sizeof file);
            fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
            if (fd >= 0) {
                count += visit_list(fd, visit);
                close(fd);
            }
        }
    }
    close(dir);
    return count;
}

/* Returns 1 while there is something to wait for. */
static unsigned end_child(pid_t pid)
{
    if (is_spared(pid)) {
        return 0;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, WNOHANG);
    return 1;
}

static unsigned spare_child(pid_t pid)
{
    if (nspared < MOST_SPARED) {
        spared[nspared++] = pid;
    }
    return 1;
}

void process_adopt(void)
{
    adopted = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

bool descendants_are_adopted(void)
{
    return adopted;
}

void process_spare_children(void)
{
    nspared = 0;
    visit_children(spare_child);
}

unsigned process_end_all(int limit_ms)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    int64_t end = clock_now_ms() + limit_ms;
    int saved = errno;
    unsigned left;

    /* A dead one's own children are ours only when the kernel has moved them: look again until there is none. */
    while ((left = visit_children(end_child)) > 0 && clock_now_ms() < end) {
        nanosleep(&nap, NULL);
    }
    errno = saved;
    return left;
}

void descendants_collect(bool (*known)(pid_t pid))
{
    siginfo_t info;

    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0 || known(info.si_pid) ||
            is_spared(info.si_pid)) {
            return;
        }
        waitpid(info.si_pid, NULL, WNOHANG);
    }
}
