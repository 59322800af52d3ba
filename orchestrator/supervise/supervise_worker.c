#include "orchestrator/supervise/supervise_worker.h"

#include <string.h>

static int report_event(struct supervision *s, enum event_kind kind, const struct error *error, struct error *err)
{
    struct event event = {.kind = kind, .rank = (uint32_t)s->job->rank};

    if (error) {
        event.error = *error;
    }
    return events_send(s->events, &event, err);
}

/* Returns 1 on FINISH. */
static int worker_events(struct supervision *s, struct error *err)
{
    struct event event;

    while (events_next(s->events, &event)) {
        if (event.kind == EVENT_FINISH) {
            return 1;
        }
        if (event.kind == EVENT_STOP) {
            executors_kill(s->executors);
            if (report_event(s, EVENT_STOPPED, NULL, err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* Send profiles. Returns in `*limit_ns` for how long the next wait may be. */
static int send_profiles(struct supervision *s, bool all_gone, bool hurry, uint64_t *limit_ns, struct error *err)
{
    *limit_ns = supervision_forever;
    if (!s->sender) {
        return 0;
    }
    if (all_gone) {
        gather_finish(s->sender, hurry);
    }
    if (gather_pump(s->sender, s->events, (uint32_t)s->job->rank, err) < 0) {
        return -1;
    }
    *limit_ns = gather_nap_ns(s->sender);
    return 0;
}

int supervise_send(struct supervision *s, struct error *err)
{
    struct wakeup wakeup = {0};
    uint64_t limit_ns;

    while (send_profiles(s, true, true, &limit_ns, err) == 0) {
        if (gather_is_idle(s->sender)) {
            return report_event(s, EVENT_GATHERED, NULL, err);
        }
        if (supervision_wait(s, limit_ns, &wakeup, err) < 0) {
            return -1;
        }
        s->interrupted = wakeup.signal != 0;
        if (s->interrupted) {
            return 0;
        }
    }
    return -1;
}

int supervise_worker(struct supervision *s, struct error *err)
{
    bool done_sent = false, failed = s->failure != NULL;
    struct event hello = {.kind = EVENT_HELLO, .rank = (uint32_t)s->job->rank, .nbytes = s->sender != NULL};
    struct wakeup wakeup;
    uint64_t limit_ns = 0; /* an idle process has nothing to wait for: the first look must not sleep */
    int rc;

    if (events_send(s->events, &hello, err) < 0 || (s->failure && report_event(s, EVENT_FAILED, s->failure, err) < 0)) {
        return -1;
    }
    while ((rc = worker_events(s, err)) == 0) {
        if (supervision_wait(s, limit_ns, &wakeup, err) < 0) {
            return -1;
        }
        if (wakeup.signal) {
            s->interrupted = true;
            executors_kill(s->executors);
            error_set(&wakeup.error, NULL, NULL, "process %d of the job received signal %d (%s)", s->job->rank,
                      wakeup.signal, strsignal(wakeup.signal));
            return report_event(s, EVENT_FAILED, &wakeup.error, err);
        }
        if (wakeup.failed) {
            failed = true;
            if (report_event(s, EVENT_FAILED, &wakeup.error, err) < 0) {
                return -1;
            }
        }
        if (wakeup.all_gone && !done_sent && !failed) {
            done_sent = true;
            if (report_event(s, EVENT_DONE, NULL, err) < 0) {
                return -1;
            }
        }
        if (send_profiles(s, wakeup.all_gone, false, &limit_ns, err) < 0) {
            return -1;
        }
    }
    return rc < 0 ? -1 : 0;
}
