#include "orchestrator/supervise/overview.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

int overview_open(struct overview *o, const struct segment *seg, const struct mpi_job *job, struct error *err)
{
    memset(o, 0, sizeof *o);
    o->nprocess = job->size;
    if (control_check_open(&o->check, seg, err) < 0) {
        return -1;
    }
    o->connected = calloc((size_t)job->size * 4, 1);
    if (!o->connected) {
        control_check_close(&o->check);
        return error_nomem(err, "supervision", (uint64_t)job->size * 4);
    }
    o->stop_sent = o->connected + job->size;
    o->done = o->stop_sent + job->size;
    o->stopped = o->done + job->size;
    stall_begin(&o->stall, clock_now_ns());
    return 0;
}

void overview_close(struct overview *o)
{
    control_check_close(&o->check);
    free(o->connected);
}

static void note_event(struct overview *o, const struct event *event, bool *failed, struct error *err)
{
    o->connected[event->rank] = 1;
    if (event->kind == EVENT_DONE && !o->done[event->rank]) {
        o->done[event->rank] = 1;
    } else if (event->kind == EVENT_STOPPED && !o->stopped[event->rank]) {
        o->stopped[event->rank] = 1;
        o->nstopped++;
    } else if (event->kind == EVENT_FAILED && !*failed) {
        *failed = true;
        *err = event->error;
    }
}

void overview_events(struct supervision *s, struct overview *o, bool *failed, struct error *err)
{
    struct event event = {0};

    o->more = false;
    while (!o->more && !s->unsure && s->events && events_next(s->events, &event)) {
        if (s->receiver && gather_take(s->receiver, &event, *failed ? NULL : err) < 0) {
            s->unsure = *failed = true;
        } else {
            note_event(o, &event, failed, err);
        }
        o->more = event.kind == EVENT_PARCEL;
    }
}

bool overview_is_over(const struct overview *o)
{
    int n = 0;

    for (int r = 1; r < o->nprocess; r++) {
        n += o->done[r] || o->stopped[r];
    }
    return n == o->nprocess - 1;
}
