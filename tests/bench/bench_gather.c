/*
 * Gathering profiles: from the outbox of one process through MPI to files of process 0, beside a plain MPI transfer of
 * the same bytes and a plain write of them, one after the other, in the same run.
 *
 *     mpirun --oversubscribe -np 2 bench_gather [DIR [MB]]     DIR: where process 0 writes (default /var/tmp)
 *
 * The outbox is in $TMPDIR: where that is in memory and DIR is not, the two do not share a disk, as on two hosts. Times
 * are medians of REPEATS. Memory is what the peaks of sender and process 0 grew by.
 */
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include "common/base/clock.h"
#include "orchestrator/gather/gather.h"
#include "orchestrator/gather/parcel.h"
#include "orchestrator/messages/mpi_job.h"
#include "tests/bench/build_writer.h"

struct shape {
    const char *name;
    uint32_t nfile;
    uint64_t nbytes; /* of each */
};

struct bench {
    struct mpi_job job;
    char dir[4096];
    unsigned char *block; /* 1 MiB */
};

struct figures {
    double transfer, written, gathered; /* s */
    long sender_kb, own_kb;
};

enum { BLOCK = 1 << 20, REPEATS = 7 };

static void die(const struct error *err)
{
    error_print(err);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(bool good, const char *what)
{
    if (!good) {
        perror(what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static long peak_kb(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void write_file(const struct bench *b, const char *path, uint64_t nbytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    must(fd >= 0, path);
    for (uint64_t at = 0; at < nbytes;) {
        ssize_t n = write(fd, b->block, nbytes - at < BLOCK ? nbytes - at : BLOCK);

        must(n > 0, path);
        at += (uint64_t)n;
    }
    close(fd);
}

static void write_files(const struct bench *b, const char *dir, const struct shape *s)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/rank0", dir);
    must(mkdir(path, 0777) == 0, path);
    snprintf(path, sizeof path, "%s/rank0/d0", dir);
    must(mkdir(path, 0777) == 0, path);
    for (uint32_t i = 0; i < s->nfile; i++) {
        snprintf(path, sizeof path, "%s/rank0/d0/f%u", dir, i);
        write_file(b, path, s->nbytes);
    }
}

static double plain_transfer(const struct bench *b, const struct shape *s)
{
    uint64_t begun = clock_now_ns();

    for (uint32_t i = 0; i < s->nfile; i++) {
        for (uint64_t at = 0; at < s->nbytes; at += BLOCK) {
            int n = (int)(s->nbytes - at < BLOCK ? s->nbytes - at : BLOCK);

            if (b->job.rank == 0) {
                MPI_Recv(b->block, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Send(b->block, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return (double)(clock_now_ns() - begun) / 1e9;
}

static double plain_write(const struct bench *b, const struct shape *s)
{
    char dir[4128];
    uint64_t begun;
    double took;

    snprintf(dir, sizeof dir, "%s/plain", b->dir);
    must(mkdir(dir, 0777) == 0, dir);
    begun = clock_now_ns();
    write_files(b, dir, s);
    took = (double)(clock_now_ns() - begun) / 1e9;
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return took;
}

static void send_all(const struct bench *b, const struct shape *s)
{
    struct segment_header header = {0};
    struct segment_lane lane = {0};
    const uint64_t lanes[2] = {0, sizeof lane};
    struct segment seg = {.header = &header, .lanes = lanes, .parts[SEGMENT_CONTROL].base = (char *)&lane};
    struct event hello = {.kind = EVENT_HELLO, .rank = 1, .nbytes = 1};
    struct event gathered = {.kind = EVENT_GATHERED, .rank = 1};
    struct events_address address;
    struct gather_sender *sender = NULL;
    struct events *events;
    struct error err;
    long before;

    MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (events_connect(&events, &address, 1, &err) < 0 || gather_join(&sender, &seg, 0, 1, &err) < 0) {
        die(&err);
    }
    write_files(b, gather_dir(sender), s);
    before = peak_kb();
    MPI_Barrier(MPI_COMM_WORLD);
    if (events_send(events, &hello, &err) < 0) {
        die(&err);
    }
    gather_finish(sender, true);
    while (gather_pump(sender, events, 1, &err) == 0 && !gather_is_idle(sender)) {
        const struct timespec nap = {.tv_nsec = (long)gather_nap_ns(sender)};

        ppoll(NULL, 0, &nap, NULL);
    }
    if (events_send(events, &gathered, &err) < 0) {
        die(&err);
    }
    before = peak_kb() - before;
    MPI_Send(&before, 1, MPI_LONG, 0, 2, MPI_COMM_WORLD);
    gather_leave(sender);
    events_close(events);
}

static double receive_all(const struct bench *b, long *sender_kb, long *own_kb)
{
    struct events_address address;
    char token[GATHER_TOKEN], dir[4128];
    struct gather_receiver *receiver = NULL;
    struct events *events;
    struct event event;
    struct error err;
    uint64_t begun;
    double took;

    snprintf(dir, sizeof dir, "%s/gathered", b->dir);
    must(mkdir(dir, 0777) == 0, dir);
    if (events_serve(&events, 2, &address, &err) < 0 || gather_open(&receiver, dir, 2, true, token, &err) < 0) {
        die(&err);
    }
    MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
    gather_hurry(receiver);
    *own_kb = peak_kb();
    MPI_Barrier(MPI_COMM_WORLD);
    begun = clock_now_ns();
    do {
        struct pollfd fd = {.fd = events_fd(events), .events = POLLIN};

        while (events_next(events, &event)) {
            if (gather_take(receiver, &event, &err) < 0) {
                die(&err);
            }
        }
        if (!gather_senders(receiver) || !gather_is_complete(receiver)) {
            poll(&fd, 1, 200);
        }
    } while (!gather_senders(receiver) || !gather_is_complete(receiver));
    took = (double)(clock_now_ns() - begun) / 1e9;
    *own_kb = peak_kb() - *own_kb;
    MPI_Recv(sender_kb, 1, MPI_LONG, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (inbox_totals(gather_inbox(receiver)).nloss) {
        fputs("files were lost\n", stderr);
    }
    gather_close(receiver);
    events_close(events);
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return took;
}

/* One after the other, so that a slow moment of the machine concerns all three. */
static void run_once(const struct bench *b, const struct shape *s, struct figures *out)
{
    MPI_Barrier(MPI_COMM_WORLD);
    out->transfer = plain_transfer(b, s);
    if (b->job.rank == 0) {
        out->written = plain_write(b, s);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (b->job.rank == 0) {
        out->gathered = receive_all(b, &out->sender_kb, &out->own_kb);
    } else {
        send_all(b, s);
    }
}

static void run_shape(const struct bench *b, const struct shape *s)
{
    double transfers[REPEATS], writes[REPEATS], gathers[REPEATS],
        megabytes = (double)s->nfile * (double)s->nbytes / 1e6;
    double transfer, written, gathered;
    long sender_kb = 0, own_kb = 0;
    struct figures f;

    for (int i = 0; i < REPEATS; i++) {
        run_once(b, s, &f);
        transfers[i] = f.transfer;
        writes[i] = f.written;
        gathers[i] = f.gathered;
        sender_kb = f.sender_kb > sender_kb ? f.sender_kb : sender_kb;
        own_kb = f.own_kb > own_kb ? f.own_kb : own_kb;
    }
    if (b->job.rank != 0) {
        return;
    }
    transfer = quantile(transfers, REPEATS, 0.5);
    written = quantile(writes, REPEATS, 0.5);
    gathered = quantile(gathers, REPEATS, 0.5);
    printf("%-18s %8.0f MB  transfer %7.3f s  write %7.3f s  gather %7.3f s  %6.0f MB/s  %8.0f files/s  ratio %.2f  "
           "memory +%ld, +%ld KB\n",
           s->name, megabytes, transfer, written, gathered, megabytes / gathered, s->nfile / gathered,
           (transfer + written) / gathered, sender_kb, own_kb);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    struct error err;

    if (mpi_job_start(&b.job, &argc, &argv, &err) < 0) {
        die(&err);
    }
    if (b.job.size != 2) {
        fputs("run it with 2 processes\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    uint64_t megabytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 256;
    const struct shape shapes[] = {
        {"4 MiB files", (uint32_t)(megabytes / 4), 4 << 20},
        {"64 MiB files", (uint32_t)(megabytes / 64), 64 << 20},
        {"one file", 1, megabytes << 20},
        {"4 KiB files", 20000, 4096},
        {"300 byte files", 20000, 300},
    };

    snprintf(b.dir, sizeof b.dir, "%s/l3r-bench-gather.XXXXXX", argc > 1 ? argv[1] : "/var/tmp");
    if (b.job.rank == 0) {
        must(mkdtemp(b.dir) != NULL, b.dir);
    }
    b.block = malloc(BLOCK);
    must(b.block != NULL, "malloc");
    for (size_t i = 0; i < BLOCK; i++) {
        b.block[i] = (unsigned char)(i * 2654435761u >> 13);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        run_shape(&b, &shapes[i]);
    }
    if (b.job.rank == 0) {
        rmdir(b.dir);
    }
    free(b.block);
    mpi_job_end();
    return 0;
}
