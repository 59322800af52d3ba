/*
 * unnamed_files - where the runtime's temporary files go.
 *
 * A simulator writes every library that it loads to a file in /tmp or /usr/lib64 first, and removes some of them only at
 * its end, which a crash or a kill does not let it reach. It makes them with mkstemp() and mkstemps(), which are ours in the
 * executor (rank-worker/CMakeLists.txt exports them): the file is one without a name in any directory, and goes with the
 * process.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A memfd whose path takes the template's place, or -1. The descriptor in the path stays open: its number must not come to
 * mean another library, which the dynamic linker would take for this one. */
static int unnamed_file(char *template)
{
    const char *name = strrchr(template, '/');
    const size_t room = strlen(template);
    char path[64];
    int kept, fd;

    kept = memfd_create(name ? name + 1 : template, MFD_CLOEXEC);
    if (kept < 0) {
        return -1;
    }
    fd = fcntl(kept, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || (size_t)snprintf(path, sizeof path, "/proc/self/fd/%d", kept) > room) {
        close(kept);
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    memcpy(template, path, strlen(path) + 1);
    return fd;
}

/* The C library's own function, for what cannot be put elsewhere. */
static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (!function) {
        errno = ENOSYS;
    }
    return function;
}

int mkstemp(char *template)
{
    int (*real)(char *);
    int fd = unnamed_file(template);

    if (fd < 0) {
        *(void **)&real = next("mkstemp");
        fd = real ? real(template) : -1;
    }
    return fd;
}

int mkstemps(char *template, int suffix)
{
    int (*real)(char *, int);
    int fd = unnamed_file(template);

    if (fd < 0) {
        *(void **)&real = next("mkstemps");
        fd = real ? real(template, suffix) : -1;
    }
    return fd;
}
