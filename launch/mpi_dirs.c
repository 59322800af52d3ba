#include "launch/mpi_dirs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/passed_signal.h"

static const char prefix[] = "l3replay-mpi.", shm[] = "/dev/shm", variable[] = "L3REPLAY_STARTED";
static const unsigned long long segment_nbytes = 8 << 20; /* of a process, with room to spare */

static bool has_room(int nproc)
{
    struct statvfs fs;

    return statvfs(shm, &fs) == 0 && (unsigned long long)fs.f_bavail * fs.f_frsize >= segment_nbytes * (unsigned)nproc;
}

static int set(const char *name, const char *value, struct error *err)
{
    return setenv(name, value, 0) == 0 ? 0 : error_nomem(err, name, 1);
}

int mpi_dirs_open(struct mpi_dirs *d, int nproc, struct error *err)
{
    const char *segments = NULL;

    *d = (struct mpi_dirs)MPI_DIRS_NONE;
    if (private_dir_make_temporary(&d->session, prefix, NULL) == 0) {
        d->started = file_join(d->session.path, "started", err);
        if (!d->started || set("OMPI_MCA_orte_tmpdir_base", d->session.path, err) < 0 ||
            setenv(variable, d->started, 1) < 0 || passed_signal_offer(d->session.path, err) < 0) {
            return -1;
        }
        segments = d->session.path;
    }
    if (has_room(nproc) && private_dir_make(&d->segments, shm, prefix, NULL) == 0) {
        segments = d->segments.path;
    }
    if (segments && set("OMPI_MCA_btl_vader_backing_directory", segments, err) < 0) {
        return -1;
    }
    /* The default keeps a store of some MB in $TMPDIR, and waits for ever where there is no room for it. */
    return set("PMIX_MCA_gds", "hash", err);
}

bool mpi_dirs_is_started(const struct mpi_dirs *d)
{
    return !d->started || access(d->started, F_OK) == 0;
}

void mpi_dirs_report_start(void)
{
    const char *path = getenv(variable);
    int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

    if (fd >= 0) {
        close(fd);
    }
}

void mpi_dirs_close(struct mpi_dirs *d)
{
    private_dir_remove(&d->session);
    private_dir_remove(&d->segments);
    free(d->started);
    d->started = NULL;
}
