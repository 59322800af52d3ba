/* Process 0's side of gather.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "orchestrator/gather/gather.h"
#include "orchestrator/gather/gather_wire.h"
#include "orchestrator/gather/parcel.h"
#include "orchestrator/messages/mpi_call.h"

enum { LIMIT_S = 10 };

enum sender_state { SENDER_NONE = 0, SENDER_SENDS, SENDER_BROKEN, SENDER_DONE };

struct gather_receiver {
    struct inbox *inbox;
    char *token_path; /* NULL: there is none */
    uint8_t *states;  /* enum sender_state, by process */
    uint32_t nprocess, nheard, nsender, ndone;
    bool hurry;
    struct parcel parcel;
};

/* A name that no earlier run has used: a file system that remembers that a name was not there cannot know this one. */
static int make_token(struct gather_receiver *r, const char *dir, bool stream, char token[GATHER_TOKEN],
                      struct error *err)
{
    uint64_t nonce[2];

    if (getrandom(nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce) {
        return error_errno(err, "getrandom", NULL, "cannot make a token");
    }
    snprintf(token, GATHER_TOKEN, "%016llx%016llx", (unsigned long long)nonce[0], (unsigned long long)nonce[1]);
    if (stream) { /* nobody will find it */
        return 0;
    }
    r->token_path = gather_token_path(dir, token, err);
    if (!r->token_path) {
        return -1;
    }
    errno = 0;
    if (file_write_unsynced(r->token_path, token, strlen(token), err) == 0) {
        return 0;
    }
    if (errno != ENOSPC && errno != EDQUOT) {
        return -1;
    }
    /* A full disk costs profiles, not the run: nobody finds the token, all send, and what cannot be kept is named. */
    free(r->token_path);
    r->token_path = NULL;
    return 0;
}

int gather_open(struct gather_receiver **out, const char *dir, int nprocess, bool stream, char token[GATHER_TOKEN],
                struct error *err)
{
    struct gather_receiver *r = calloc(1, sizeof *r);

    *out = r;
    token[0] = '\0';
    if (!r) {
        return error_nomem(err, "profiles", sizeof *r);
    }
    r->nprocess = (uint32_t)nprocess;
    r->states = calloc(r->nprocess, sizeof *r->states);
    if (!r->states) {
        error_nomem(err, "profiles", r->nprocess);
    } else if (inbox_open(&r->inbox, dir, r->nprocess, err) == 0 && parcel_open(&r->parcel, err) == 0 &&
               make_token(r, dir, stream, token, err) == 0) {
        return 0;
    }
    gather_close(r);
    *out = NULL;
    return -1;
}

/* Once in each pass. */
static void begin_sender(struct gather_receiver *r, uint32_t process)
{
    if (r->states[process] == SENDER_NONE) {
        r->nsender++;
    } else if (r->states[process] == SENDER_DONE) {
        r->ndone--;
    }
    r->states[process] = SENDER_SENDS;
}

static void remove_token(struct gather_receiver *r)
{
    if (r->token_path) {
        unlink(r->token_path);
    }
    free(r->token_path);
    r->token_path = NULL;
}

/* Who says hello has looked for the token. */
static void greet(struct gather_receiver *r, const struct event *event)
{
    if (event->nbytes) {
        begin_sender(r, event->rank);
    }
    if (++r->nheard == r->nprocess - 1) {
        remove_token(r);
    }
}

static void end_sender(struct gather_receiver *r, uint32_t process)
{
    if (r->states[process] != SENDER_SENDS && r->states[process] != SENDER_BROKEN) {
        return;
    }
    r->states[process] = SENDER_DONE;
    r->ndone++;
}

static int receive(struct gather_receiver *r, uint32_t process, uint64_t nbytes, struct error *err)
{
    const uint64_t deadline_ns = clock_now_ns() + (uint64_t)LIMIT_S * 1000000000;
    struct error fault;
    MPI_Request request;
    int rc;

    if (nbytes > PARCEL_NBYTES || !r->parcel.bytes) {
        return error_set(err, "profiles", NULL, "process %u announces a parcel of %llu bytes", process,
                         (unsigned long long)nbytes);
    }
    rc = MPI_Irecv(r->parcel.bytes, (int)nbytes, MPI_BYTE, (int)process, GATHER_TAG, MPI_COMM_WORLD, &request);
    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Irecv");
    }
    rc = mpi_call_wait(&request, deadline_ns, r->hurry, "MPI_Irecv", err);
    if (rc == 1) {
        rc = error_set(err, "profiles", "look at its host", "process %u announced profiles and did not send them",
                       process);
    }
    if (rc < 0) {
        r->parcel.bytes = NULL; /* MPI may still write to it: it belongs to nobody any more */
        return -1;
    }
    /* What follows from a broken sender is received, to keep the count of messages, and dropped. */
    if (r->states[process] == SENDER_SENDS &&
        inbox_take(r->inbox, process, r->parcel.bytes, (size_t)nbytes, &fault) < 0) {
        inbox_add_loss(r->inbox, "(others of the same process)", fault.what);
        r->states[process] = SENDER_BROKEN;
    }
    return 0;
}

int gather_take(struct gather_receiver *r, const struct event *event, struct error *err)
{
    switch (event->kind) {
    case EVENT_HELLO:
        greet(r, event);
        return 0;
    case EVENT_PARCEL:
        return receive(r, event->rank, event->nbytes, err);
    case EVENT_GATHERED:
        inbox_end_source(r->inbox, event->rank, "its end did not arrive");
        end_sender(r, event->rank);
        return 0;
    default:
        return 0;
    }
}

bool gather_is_complete(const struct gather_receiver *r)
{
    return r->ndone == r->nsender;
}

void gather_hurry(struct gather_receiver *r)
{
    r->hurry = true;
}

void gather_give_up(struct gather_receiver *r, const char *why)
{
    char what[64];

    for (uint32_t p = 0; p < r->nprocess; p++) {
        if (r->states[p] != SENDER_SENDS) {
            continue;
        }
        inbox_end_source(r->inbox, p, why);
        snprintf(what, sizeof what, "(whatever process %u had not sent)", p);
        inbox_add_loss(r->inbox, what, why);
        end_sender(r, p);
    }
}

uint32_t gather_senders(const struct gather_receiver *r)
{
    return r->nsender;
}

const struct inbox *gather_inbox(const struct gather_receiver *r)
{
    return r->inbox;
}

void gather_close(struct gather_receiver *r)
{
    if (!r) {
        return;
    }
    remove_token(r);
    inbox_close(r->inbox);
    parcel_close(&r->parcel);
    free(r->states);
    free(r);
}
