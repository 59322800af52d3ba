#include "orchestrator/messages/peers.h"

#include <mpi.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/oom_kills.h"
#include "orchestrator/messages/mpi_call.h"

struct peers {
    int count;
    int *pids;
    struct pollfd *fds; /* of process 0 itself, and of those that cannot be watched: -1 */
};

static int gather_pids(int *pids, struct error *err)
{
    int pid = (int)getpid();
    MPI_Request request;
    int rc = MPI_Igather(&pid, 1, MPI_INT, pids, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);

    return rc != MPI_SUCCESS ? mpi_call_error(err, rc, "MPI_Igather")
                             : mpi_call_wait(&request, 0, true, "MPI_Igather", err);
}

int peers_open(struct peers **out, const struct mpi_job *job, struct error *err)
{
    struct peers *p;

    *out = NULL;
    if (job->size == 1) {
        return 0;
    }
    if (job->rank > 0) {
        return gather_pids(NULL, err);
    }
    p = calloc(1, sizeof *p);
    if (p) {
        p->pids = calloc((size_t)job->size, sizeof *p->pids);
        p->fds = calloc((size_t)job->size, sizeof *p->fds);
    }
    if (!p || !p->pids || !p->fds) {
        peers_close(p);
        return error_nomem(err, "job", (uint64_t)job->size * sizeof *p->fds);
    }
    if (gather_pids(p->pids, err) < 0) {
        peers_close(p);
        return -1;
    }
    for (int r = 0; r < job->size; r++) {
        const long fd = r == 0 ? -1 : syscall(SYS_pidfd_open, p->pids[r], 0);

        p->fds[r] = (struct pollfd){.fd = (int)fd, .events = POLLIN};
    }
    p->count = job->size;
    *out = p;
    return 0;
}

int peers_ended(const struct peers *peers)
{
    if (!peers || poll(peers->fds, (nfds_t)peers->count, 0) <= 0) {
        return 0;
    }
    for (int r = 1; r < peers->count; r++) {
        if (peers->fds[r].revents & POLLIN) {
            return r;
        }
    }
    return 0;
}

int peers_blame(const struct peers *peers, int rank, struct error *err)
{
    char host[256] = "?";

    gethostname(host, sizeof host - 1);
    return error_set(err, NULL, oom_kills_hint(),
                     "process %d of the job (process id %d on host %s) was killed, or crashed, while cards ran", rank,
                     peers->pids[rank], host);
}

void peers_close(struct peers *peers)
{
    for (int r = 1; peers && r < peers->count; r++) {
        if (peers->fds[r].fd >= 0) {
            close(peers->fds[r].fd);
        }
    }
    if (peers) {
        free(peers->pids);
        free(peers->fds);
    }
    free(peers);
}
