#include "orchestrator/supervise/supervise_root.h"

#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "orchestrator/supervise/job_stop.h"
#include "orchestrator/supervise/lanes_table.h"
#include "orchestrator/supervise/overview.h"
#include "orchestrator/supervise/progress.h"
#include "orchestrator/supervise/stop_cause.h"

enum { GATHER_LIMIT_S = 60 };

static const uint64_t gather_limit_ns = GATHER_LIMIT_S * UINT64_C(1000000000);

static bool all_work_is_done(const struct segment *seg)
{
    return word_is_done(&seg->common->go) && lanes_progress(seg) == seg->plan.nnode;
}

/* Returns -1 with `err` when the run went without progress for too long, or a kernel has overwritten what the executors
 * keep: without that, nobody could say what they do. */
static int watch_progress(struct supervision *s, struct overview *o, struct error *err)
{
    const uint64_t done = lanes_progress(s->seg);
    const uint32_t saving = lanes_saving(s->seg);
    enum stall_found found;

    if (control_check_running(&o->check, err) < 0) {
        return -1;
    }
    progress_run(done, s->seg->plan.nnode);
    found = stall_look(&o->stall, clock_now_ns(), done, saving != PLAN_NONE, (uint64_t)(s->timeout * 1e9));
    if (all_work_is_done(s->seg)) {
        return stop_what_is_left(s, o, err);
    }
    switch (found) {
    case STALL_KERNELS:
        return control_check_stopped(&o->check, err) < 0 ? -1 : stop_cause_timeout(s, err);
    case STALL_PROFILES:
        return stop_cause_profiles(s, saving, o->stall.saving_ns, err);
    default:
        return 0;
    }
}

/* A failure that says nothing of the kernels may come from a kernel that overwrote what executors keep. */
static int look_behind(struct overview *o, struct error *err)
{
    struct error cause;

    if (err->kind != ERROR_FAIL && control_check_stopped(&o->check, &cause) < 0) {
        *err = cause;
    }
    return -1;
}

/* A signal of mpirun's may have a cause that is known: another process was killed, which has not said that it was
 * interrupted itself. */
static int take_signal(struct supervision *s, struct overview *o, const struct wakeup *wakeup, struct error *err)
{
    bool failed = false;
    const int ended = peers_ended(s->peers);

    if (ended) {
        overview_events(s, o, &failed, err);
    }
    return ended && !failed ? stop_cause_peer(s, ended, err) : stop_cause_signal(s, wakeup, err);
}

/* One round in process 0. Returns 1 when the run is over well, -1 when it has to stop. */
static int root_round(struct supervision *s, struct overview *o, struct error *err)
{
    struct wakeup wakeup;
    bool failed = false;
    int ended;

    if (supervision_wait(s, o->more ? 0 : supervision_tick_ns, &wakeup, err) < 0) {
        return -1;
    }
    if (wakeup.signal) {
        return take_signal(s, o, &wakeup, err);
    }
    if (wakeup.failed) {
        *err = wakeup.error;
        return look_behind(o, err);
    }
    o->own_done = wakeup.all_gone;
    overview_events(s, o, &failed, err);
    /* Taking parcels ends early for a signal, which is the better reason. */
    if (s->unsure && supervision_wait(s, 0, &wakeup, &wakeup.error) == 0 && wakeup.signal) {
        return take_signal(s, o, &wakeup, err);
    }
    if (failed) {
        return look_behind(o, err);
    }
    ended = o->more ? 0 : peers_ended(s->peers);
    if (ended) {
        return stop_cause_peer(s, ended, err);
    }
    if (o->own_done && overview_is_over(o)) {
        return control_check_complete(&o->check, err) < 0 ? -1 : 1;
    }
    return watch_progress(s, o, err);
}

int supervise_root(struct supervision *s, struct error *err)
{
    struct overview o;
    int rc;

    if (overview_open(&o, s->seg, s->job, err) < 0) {
        return -1;
    }
    do {
        rc = root_round(s, &o, err);
    } while (rc == 0);
    progress_end();
    /* An interrupted run says so at once, before anything is put in order: mpirun waits for a second, then kills. */
    if (rc < 0 && !s->interrupted) {
        stop_all_processes(s, &o);
    }
    overview_close(&o);
    return rc < 0 ? -1 : 0;
}

/* Returns 1 when there was an event, 0 after some waiting. */
static int gather_round(struct supervision *s, struct error *err)
{
    struct event event;
    struct wakeup wakeup;
    int some = 0;

    if (events_next(s->events, &event)) {
        some = 1;
        s->unsure = gather_take(s->receiver, &event, err) < 0;
    }
    if (supervision_wait(s, some ? 0 : supervision_tick_ns, &wakeup, s->unsure ? NULL : err) < 0) {
        return -1;
    }
    if (!wakeup.signal) {
        return s->unsure ? -1 : some;
    }
    s->interrupted = true;
    return error_set(err, "profiles", NULL, "interrupted while profiles were gathered (%s)", strsignal(wakeup.signal));
}

int supervise_gather(struct supervision *s, struct error *err)
{
    uint64_t heard_ns = clock_now_ns();

    gather_hurry(s->receiver);
    while (!gather_is_complete(s->receiver)) {
        int some = gather_round(s, err);

        if (some) {
            heard_ns = clock_now_ns();
        }
        if (some >= 0 && clock_now_ns() - heard_ns > gather_limit_ns) {
            some = error_set(err, "profiles", "look at the hosts", "a process of the job sent nothing for %d s",
                             GATHER_LIMIT_S);
        }
        if (some < 0) {
            gather_give_up(s->receiver, err->what);
            return -1;
        }
        progress_gather(inbox_totals(gather_inbox(s->receiver)).nbytes);
    }
    progress_end();
    return 0;
}

void supervise_finish(struct supervision *s)
{
    struct event finish = {.kind = EVENT_FINISH};
    struct error err;

    for (int r = 1; s->events && r < s->job->size; r++) {
        finish.rank = (uint32_t)r;
        if (events_send(s->events, &finish, &err) < 0) {
            error_print(&err);
        }
    }
}
