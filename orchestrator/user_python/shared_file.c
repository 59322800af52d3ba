#include "orchestrator/user_python/shared_file.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/args.h"

int shared_file_make(struct error *err)
{
    int fd = memfd_create("l3replay-python", MFD_CLOEXEC);

    return fd < 0 ? error_errno(err, "memfd", "raise the limit of open files (ulimit -n)", "cannot make shared memory")
                  : fd;
}

char *shared_file_path(int fd, struct error *err)
{
    char *path = text_format("/proc/%ld/fd/%d", (long)getpid(), fd);

    if (!path) {
        error_nomem(err, "shared memory", 64);
    }
    return path;
}
