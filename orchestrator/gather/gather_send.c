/* The other processes' side of gather.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/segment/dfx.h"
#include "orchestrator/gather/gather.h"
#include "orchestrator/gather/gather_wire.h"
#include "orchestrator/gather/outbox.h"
#include "orchestrator/gather/parcel.h"
#include "orchestrator/messages/mpi_call.h"

enum { LOOK_NS = 100000000, LEAST_NAP_NS = 50000, MOST_NAP_NS = 1000000, BRISK_NS = 300000 };

/* How far a lane's dispatches have been handed over. */
struct cursor {
    uint32_t lane, at; /* node to look at next */
    uint32_t ndone;    /* of the lane's nodes, those before `at` */
    uint32_t nother;   /* of these, dispatches without k */
};

struct slot {
    struct parcel parcel;
    MPI_Request request;
    bool under_way;
};

struct gather_sender {
    const struct segment *seg;
    struct outbox *outbox;
    struct cursor *cursors;
    uint32_t ncursor;
    struct slot slots[GATHER_PARCELS];
    bool finishing, hurry;     /* of gather_finish() */
    bool all_added;            /* what was left then has been handed over */
    uint64_t nap_ns, moved_ns; /* moved_ns: when a parcel was last sent or taken */
};

char *gather_token_path(const char *dir, const char *token, struct error *err)
{
    char *path;

    if (asprintf(&path, "%s/" DFX_TOKEN_PREFIX "%s", dir, token) < 0) {
        error_nomem(err, dir, strlen(dir) + GATHER_TOKEN);
        return NULL;
    }
    return path;
}

/* 1: this process sees the directory that process 0 made; 0: it does not. */
static int sees(const char *dir, const char *token, struct error *err)
{
    char *path = gather_token_path(dir, token, err), *text;
    size_t size = 0;
    int rc;

    if (!path) {
        return -1;
    }
    text = file_read(path, GATHER_TOKEN, &size, NULL);
    rc = text && strcmp(text, token) == 0;
    free(text);
    free(path);
    return rc;
}

/* A directory that can be read need not be one that can be written: only trying shows it. */
static bool may_write(const char *dir, const char *token, uint32_t card)
{
    char below[DFX_PATH + 32], *path;
    int fd;

    snprintf(below, sizeof below, "%s/rank%u", dir, card);
    path = gather_token_path(below, token, NULL);
    fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    free(path);
    return fd >= 0;
}

int gather_must_send(const struct segment *seg, const char *token, uint32_t first, uint32_t count, struct error *err)
{
    const char *dir = seg->header->dfx.dir;
    int seen;

    if (!*token || count == 0) {
        return 0;
    }
    seen = sees(dir, token, err);
    return seen < 0 ? -1 : !seen || !may_write(dir, token, first);
}

static int open_sender(struct gather_sender *s, const struct segment *seg, uint32_t first, uint32_t count,
                       struct error *err)
{
    s->seg = seg;
    s->cursors = calloc(count ? count : 1, sizeof *s->cursors);
    if (!s->cursors) {
        return error_nomem(err, "profiles", count * sizeof *s->cursors);
    }
    for (s->ncursor = 0; s->ncursor < count; s->ncursor++) {
        s->cursors[s->ncursor].lane = first + s->ncursor;
    }
    for (int i = 0; i < GATHER_PARCELS; i++) {
        if (parcel_open(&s->slots[i].parcel, err) < 0) {
            return -1;
        }
    }
    return outbox_open(&s->outbox, NULL, err);
}

int gather_join(struct gather_sender **out, const struct segment *seg, uint32_t first, uint32_t count,
                struct error *err)
{
    struct gather_sender *s;

    *out = NULL;
    s = calloc(1, sizeof *s);
    if (!s) {
        return error_nomem(err, "profiles", sizeof *s);
    }
    if (open_sender(s, seg, first, count, err) < 0) {
        gather_leave(s);
        return -1;
    }
    if (seg->header->dfx.dump_args && outbox_is_in_memory(s->outbox)) {
        log_msg(LOG_WARN,
                "%s is kept in memory, and with it dumped arguments until they are sent: name a directory on "
                "a disk as $TMPDIR",
                outbox_dir(s->outbox));
    }
    *out = s;
    return 0;
}

const char *gather_dir(const struct gather_sender *s)
{
    return outbox_dir(s->outbox);
}

static int add_dispatch(struct gather_sender *s, struct cursor *c, const struct plan_node *n, struct error *err)
{
    char dir[64];

    /* Flat profiles are of one card, which process 0 has, and that sends nothing. */
    dfx_dispatch_dir("", false, c->lane, n->k, n->k == PLAN_NONE ? c->nother++ : 0, dir, sizeof dir);
    return outbox_add(s->outbox, dir + 1, err); /* without the slash */
}

/* Hand over the dispatches that have ended since the last look. Files are complete before `ndone` says so. */
static int add_finished(struct gather_sender *s, struct error *err)
{
    const struct plan *plan = &s->seg->plan;

    for (uint32_t i = 0; i < s->ncursor; i++) {
        struct cursor *c = &s->cursors[i];
        uint32_t ndone = atomic_load_explicit(&lane_status(s->seg, c->lane)->ndone, memory_order_acquire);

        for (; c->ndone < ndone && c->at < plan->nnode; c->at++) {
            const struct plan_node *n = &plan->nodes[c->at];

            if (n->lane != c->lane) {
                continue;
            }
            c->ndone++;
            if (n->kind == PLAN_DISPATCH && add_dispatch(s, c, n, err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int add_files(struct gather_sender *s, struct error *err)
{
    if (s->all_added) {
        return 0;
    }
    if (add_finished(s, err) < 0) {
        return -1;
    }
    /* What a failed dispatch has left; the queue must be empty, or files in it would be added again. */
    if (!s->finishing || !outbox_is_empty(s->outbox)) {
        return 0;
    }
    s->all_added = true;
    return outbox_add(s->outbox, "", err);
}

static void report_moved(struct gather_sender *s)
{
    s->nap_ns = LEAST_NAP_NS;
    s->moved_ns = clock_now_ns();
}

static int test_slot(struct gather_sender *s, struct slot *slot, struct error *err)
{
    int done = 0, rc = MPI_Test(&slot->request, &done, MPI_STATUS_IGNORE);

    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Test");
    }
    if (done) {
        slot->under_way = false;
        report_moved(s);
    }
    return 0;
}

static int send_slot(struct slot *slot, struct events *events, uint32_t process, struct error *err)
{
    const struct event event = {.kind = EVENT_PARCEL, .rank = process, .nbytes = slot->parcel.used};
    int rc =
        MPI_Isend(slot->parcel.bytes, (int)slot->parcel.used, MPI_BYTE, 0, GATHER_TAG, MPI_COMM_WORLD, &slot->request);

    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Isend");
    }
    slot->under_way = true;
    return events_send(events, &event, err);
}

int gather_pump(struct gather_sender *s, struct events *events, uint32_t process, struct error *err)
{
    /* What cannot be found is reported, and missing then: it is no reason to stop kernels. */
    if (add_files(s, err) < 0) {
        error_print(err);
    }
    s->nap_ns = s->nap_ns < MOST_NAP_NS ? s->nap_ns + s->nap_ns / 2 : MOST_NAP_NS;
    for (int i = 0; i < GATHER_PARCELS; i++) {
        struct slot *slot = &s->slots[i];

        if (slot->under_way && test_slot(s, slot, err) < 0) {
            return -1;
        }
        if (slot->under_way || outbox_is_empty(s->outbox)) {
            continue;
        }
        slot->parcel.used = 0;
        outbox_pack(s->outbox, &slot->parcel);
        if (send_slot(slot, events, process, err) < 0) {
            return -1;
        }
        report_moved(s);
    }
    outbox_tidy(s->outbox);
    return 0;
}

static bool is_under_way(const struct gather_sender *s)
{
    for (int i = 0; i < GATHER_PARCELS; i++) {
        if (s->slots[i].under_way) {
            return true;
        }
    }
    return false;
}

void gather_finish(struct gather_sender *s, bool hurry)
{
    s->finishing = true;
    s->hurry = hurry;
}

bool gather_is_idle(const struct gather_sender *s)
{
    return s->all_added && outbox_is_empty(s->outbox) && !is_under_way(s);
}

uint64_t gather_nap_ns(const struct gather_sender *s)
{
    /* While kernels run the core is theirs. Afterwards a message must not wait for the end of a nap at every step. */
    if (is_under_way(s)) {
        return s->hurry && clock_now_ns() - s->moved_ns < BRISK_NS ? 0 : s->nap_ns;
    }
    if (gather_is_idle(s)) {
        return UINT64_MAX;
    }
    return s->finishing ? 0 : LOOK_NS;
}

void gather_leave(struct gather_sender *s)
{
    if (!s) {
        return;
    }
    outbox_close(s->outbox);
    for (int i = 0; i < GATHER_PARCELS; i++) {
        if (!s->slots[i].under_way) {
            parcel_close(&s->slots[i].parcel);
        }
    }
    free(s->cursors);
    free(s);
}
