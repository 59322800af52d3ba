#include "orchestrator/supervise/job_stop.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/segment/executor_end.h"

enum { STOP_LIMIT_MS = 3000 };

/* After all work is done: executors end themselves within EXECUTOR_END_LIMIT_MS, if they are not stopped. */
enum { END_LIMIT_MS = 2 * EXECUTOR_END_LIMIT_MS };

/* Send it to every process that is connected and was not sent it yet. One that connects later gets it then. */
static void send_stop(struct supervision *s, struct overview *o)
{
    struct event stop = {.kind = EVENT_STOP};
    struct error err;

    for (int r = 1; r < s->job->size; r++) {
        if (!o->connected[r] || o->stop_sent[r]) {
            continue;
        }
        stop.rank = (uint32_t)r;
        if (events_send(s->events, &stop, &err) < 0) {
            error_print(&err);
        }
        o->stop_sent[r] = 1;
    }
}

void stop_begin(struct supervision *s, struct overview *o)
{
    if (!o->stopping) {
        o->stopping = true;
        o->stop_at_ns = clock_now_ns();
        executors_kill(s->executors);
    }
    send_stop(s, o);
}

int stop_what_is_left(struct supervision *s, struct overview *o, struct error *err)
{
    uint64_t now = clock_now_ns();

    if (!o->stopping && o->stall.idle_ns > (uint64_t)END_LIMIT_MS * 1000000u) {
        log_msg(LOG_WARN, "all work was done, but processes of the cards did not end within %d s: they were ended",
                END_LIMIT_MS / 1000);
        stop_begin(s, o);
        return 0;
    }
    if (!o->stopping || now - o->stop_at_ns < (uint64_t)STOP_LIMIT_MS * 1000000u) {
        return 0;
    }
    for (int r = 1; r < s->job->size; r++) {
        if (!o->done[r] && !o->stopped[r]) {
            s->unsure = true;
            return error_set(err, NULL, "see whether it is stopped, or its host too busy",
                             "all work was done, but process %d of the job does not answer", r);
        }
    }
    return 0;
}

void stop_all_processes(struct supervision *s, struct overview *o)
{
    struct error ignored;
    struct wakeup wakeup;
    bool failed = false;

    stop_begin(s, o);
    while (o->nstopped < s->job->size - 1 && clock_now_ns() - o->stop_at_ns < (uint64_t)STOP_LIMIT_MS * 1000000u) {
        if (supervision_wait(s, o->more ? 0 : supervision_tick_ns, &wakeup, &ignored) < 0 || wakeup.signal) {
            break;
        }
        overview_events(s, o, &failed, &ignored);
        send_stop(s, o);
    }
    s->unsure = s->unsure || o->nstopped < s->job->size - 1;
}
