#include "orchestrator/job/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/passed_signal.h"
#include "common/segment/control_check.h"
#include "common/segment/executor_end.h"
#include "orchestrator/job/lanes_table.h"
#include "orchestrator/job/progress.h"
#include "orchestrator/job/stall.h"

enum { TICK_MS = 200, STOP_LIMIT_MS = 3000, GATHER_LIMIT_S = 60, MOST_LANES = 80, FLOOD_NAP_NS = 1000000 };

/* How long cards may take to say what they are in. One that waits for a core is late, and after an interrupt mpirun
 * kills within a second. */
enum { ANSWER_MS = 1000, HASTY_ANSWER_MS = 150 };

/* After all work is done: executors end themselves within EXECUTOR_END_LIMIT_MS, if they are not stopped. */
enum { END_LIMIT_MS = 2 * EXECUTOR_END_LIMIT_MS };

static const uint64_t tick_ns = TICK_MS * UINT64_C(1000000);
static const uint64_t gather_limit_ns = GATHER_LIMIT_S * UINT64_C(1000000000);
static const uint64_t forever = UINT64_MAX;

/* What was found after one wait. */
struct wakeup {
    bool failed;   /* an own lane failed; `error` says why */
    bool all_gone; /* no executor of this process lives */
    int signal;    /* one that asks us to end; 0: none */
    pid_t sender;  /* of it */
    struct error error;
};

/* Sleep until something happens or `limit_ns` passed; then collect it. Events are left to the caller. When strangers
 * flood the event socket, it does not wake us: it is looked at after a nap, so that the flood gets little of our time. */
static int wait_once(struct supervision *s, uint64_t limit_ns, struct wakeup *wakeup, struct error *err)
{
    const bool flooded = s->events && events_more(s->events);
    const uint64_t nap_ns = flooded && limit_ns > FLOOD_NAP_NS ? FLOOD_NAP_NS : limit_ns;
    const struct timespec limit = {.tv_sec = (time_t)(nap_ns / 1000000000), .tv_nsec = (long)(nap_ns % 1000000000)};
    struct pollfd *fds = calloc(s->seg->header->nlane + 2u, sizeof *fds);
    struct signalfd_siginfo info;
    nfds_t n;

    if (!fds) {
        return error_nomem(err, "supervision", s->seg->header->nlane * sizeof *fds);
    }
    n = executors_poll(s->executors, fds);
    fds[n++] = (struct pollfd){.fd = s->signal_fd, .events = POLLIN};
    if (s->events && !flooded) {
        fds[n++] = (struct pollfd){.fd = events_fd(s->events), .events = POLLIN};
    }
    if (ppoll(fds, n, nap_ns == forever ? NULL : &limit, NULL) < 0 && errno != EINTR) {
        free(fds);
        return error_errno(err, "supervision", NULL, "ppoll");
    }
    free(fds);
    memset(wakeup, 0, sizeof *wakeup);
    while (read(s->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            wakeup->signal = (int)info.ssi_signo;
            wakeup->sender = (pid_t)info.ssi_pid;
        }
    }
    executors_service(s->executors);
    wakeup->all_gone = executors_reap(s->executors, &wakeup->failed, &wakeup->error) == 0;
    return 0;
}

/* The job as process 0 sees it. */
struct overview {
    uint8_t *connected, *told, *done, *stopped; /* by process */
    int nstopped;
    bool stopping, own_done;
    struct control_check check;
    bool more; /* events may wait that poll() does not tell of again */
    uint64_t stop_at_ns;
    struct stall stall;
};

static int overview_open(struct overview *o, const struct segment *seg, const struct mpi_job *job, struct error *err)
{
    memset(o, 0, sizeof *o);
    if (control_check_open(&o->check, seg, err) < 0) {
        return -1;
    }
    o->connected = calloc((size_t)job->size * 4, 1);
    if (!o->connected) {
        control_check_close(&o->check);
        return error_nomem(err, "supervision", (uint64_t)job->size * 4);
    }
    o->told = o->connected + job->size;
    o->done = o->told + job->size;
    o->stopped = o->done + job->size;
    stall_begin(&o->stall, clock_now_ns());
    return 0;
}

/* Send it to every process that is connected and was not sent it yet. One that connects later gets it then. */
static void send_stop(struct supervision *s, struct overview *o)
{
    struct event stop = {.kind = EVENT_STOP};
    struct error err;

    for (int r = 1; r < s->job->size; r++) {
        if (!o->connected[r] || o->told[r]) {
            continue;
        }
        stop.rank = (uint32_t)r;
        if (events_send(s->events, &stop, &err) < 0) {
            error_print(&err);
        }
        o->told[r] = 1;
    }
}

static void begin_stop(struct supervision *s, struct overview *o)
{
    if (!o->stopping) {
        o->stopping = true;
        o->stop_at_ns = clock_now_ns();
        executors_kill(s->executors);
    }
    send_stop(s, o);
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

/* All that are there, but no more than one parcel: signals and own executors must not wait for files. */
static void take_events(struct supervision *s, struct overview *o, bool *failed, struct error *err)
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

static int blame_timeout(const struct supervision *s, struct error *err)
{
    const uint32_t lane = lanes_longest_running(s->seg, s->clocks);
    const uint32_t node = lane == PLAN_NONE ? PLAN_NONE : lane_view(s->seg, lane).node;
    char label[320] = "";

    log_msg(LOG_ERROR, "no dispatch finished for %.1f s; what every lane is in:", s->timeout);
    lanes_ask(s->seg, ANSWER_MS);
    lanes_table_print(s->seg, s->clocks, MOST_LANES);
    if (!word_is_done(&s->seg->common->go)) {
        return error_set(err, NULL, "raise --timeout, or look at the hosts",
                         "not every executor got ready within %.1f s", s->timeout);
    }
    if (lane == PLAN_NONE) {
        return error_set(err, NULL, "see whether a process of the job is stopped, or its host too busy",
                         "the run made no progress for %.1f s, and no dispatch is running", s->timeout);
    }
    if (node < s->seg->plan.nnode) {
        plan_node_place(&s->seg->plan, node, label, sizeof label);
    }
    return error_set_kind(err, ERROR_FAIL, label, "look for kernels that wait for each other above, or raise --timeout",
                          "the run made no progress for %.1f s: a kernel hangs or kernels deadlock", s->timeout);
}

static int blame_profiles(const struct supervision *s, uint32_t lane, uint64_t saving_ns, struct error *err)
{
    char name[32] = "a card";

    if (lane != PLAN_NONE) {
        plan_lane_name(s->seg->plan.world_size, lane, name, sizeof name);
    }
    return error_set(err, "profiles", "look at the disk of the profiles, or name another one with --dfx-dir",
                     "no dispatch ended for %.0f s in which %s was writing its profiles", (double)saving_ns / 1e9,
                     name);
}

static bool all_work_is_done(const struct segment *seg)
{
    return word_is_done(&seg->common->go) && lanes_progress(seg) == seg->plan.nnode;
}

/* Nothing that is left to run can change the outcome: processes that do not end are ended. Returns -1 when one of the
 * job does not answer. */
static int end_what_is_left(struct supervision *s, struct overview *o, struct error *err)
{
    uint64_t now = clock_now_ns();

    if (!o->stopping && o->stall.idle_ns > (uint64_t)END_LIMIT_MS * 1000000u) {
        log_msg(LOG_WARN, "all work was done, but processes of the cards did not end within %d s: they were ended",
                END_LIMIT_MS / 1000);
        begin_stop(s, o);
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
        return end_what_is_left(s, o, err);
    }
    switch (found) {
    case STALL_KERNELS:
        return control_check_stopped(&o->check, err) < 0 ? -1 : blame_timeout(s, err);
    case STALL_PROFILES:
        return blame_profiles(s, saving, o->stall.saving_ns, err);
    default:
        return 0;
    }
}

/* A process of the job has ended, which mpirun takes for a reason to end all: there is a second, and nobody to ask. */
static int blame_peer(struct supervision *s, int rank, struct error *err)
{
    s->interrupted = true;
    return peers_blame(s->peers, rank, err);
}

static int blame_signal(struct supervision *s, const struct wakeup *wakeup, struct error *err)
{
    const int sig = passed_signal_get(wakeup->signal);
    const bool by_mpirun = sig == SIGTERM && wakeup->sender == getppid() && s->job->size > 1;

    s->interrupted = true;
    log_msg(LOG_ERROR, "interrupted (%s%s); what was running:", strsignal(sig), by_mpirun ? ", by mpirun" : "");
    lanes_ask(s->seg, HASTY_ANSWER_MS);
    lanes_table_print(s->seg, s->clocks, MOST_LANES);
    return error_set(err, NULL, by_mpirun ? "mpirun does that after Ctrl-C, a signal, or the end of a process" : NULL,
                     "the run was interrupted by signal %d (%s)%s", sig, strsignal(sig),
                     by_mpirun ? ", which mpirun sent" : "");
}

/* A signal of mpirun's may have a cause that is known: another process was killed, which has not said that it was
 * interrupted itself. */
static int take_signal(struct supervision *s, struct overview *o, const struct wakeup *wakeup, struct error *err)
{
    bool failed = false;
    const int ended = peers_ended(s->peers);

    if (ended) {
        take_events(s, o, &failed, err);
    }
    return ended && !failed ? blame_peer(s, ended, err) : blame_signal(s, wakeup, err);
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

static bool has_everybody_ended(const struct supervision *s, const struct overview *o)
{
    int n = 0;

    for (int r = 1; r < s->job->size; r++) {
        n += o->done[r] || o->stopped[r];
    }
    return n == s->job->size - 1;
}

/* One round in process 0. Returns 1 when the run is over well, -1 when it has to stop. */
static int root_round(struct supervision *s, struct overview *o, struct error *err)
{
    struct wakeup wakeup;
    bool failed = false;
    int ended;

    if (wait_once(s, o->more ? 0 : tick_ns, &wakeup, err) < 0) {
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
    take_events(s, o, &failed, err);
    /* Taking parcels ends early for a signal, which is the better reason. */
    if (s->unsure && wait_once(s, 0, &wakeup, &wakeup.error) == 0 && wakeup.signal) {
        return take_signal(s, o, &wakeup, err);
    }
    if (failed) {
        return look_behind(o, err);
    }
    ended = o->more ? 0 : peers_ended(s->peers);
    if (ended) {
        return blame_peer(s, ended, err);
    }
    if (o->own_done && has_everybody_ended(s, o)) {
        return control_check_complete(&o->check, err) < 0 ? -1 : 1;
    }
    return watch_progress(s, o, err);
}

static void stop_all(struct supervision *s, struct overview *o)
{
    struct error ignored;
    struct wakeup wakeup;
    bool failed = false;

    begin_stop(s, o);
    while (o->nstopped < s->job->size - 1 && clock_now_ns() - o->stop_at_ns < (uint64_t)STOP_LIMIT_MS * 1000000u) {
        if (wait_once(s, o->more ? 0 : tick_ns, &wakeup, &ignored) < 0 || wakeup.signal) {
            break;
        }
        take_events(s, o, &failed, &ignored);
        send_stop(s, o);
    }
    s->unsure = s->unsure || o->nstopped < s->job->size - 1;
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
    /* Who was interrupted tells so at once, before anything is put in order: mpirun waits for a second, then kills. */
    if (rc < 0 && !s->interrupted) {
        stop_all(s, &o);
    }
    control_check_close(&o.check);
    free(o.connected);
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
    if (wait_once(s, some ? 0 : tick_ns, &wakeup, s->unsure ? NULL : err) < 0) {
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

static int tell_root(struct supervision *s, enum event_kind kind, const struct error *error, struct error *err)
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
            if (tell_root(s, EVENT_STOPPED, NULL, err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* Send profiles. Returns in `*limit_ns` for how long the next wait may be. */
static int send_profiles(struct supervision *s, bool all_gone, bool hurry, uint64_t *limit_ns, struct error *err)
{
    *limit_ns = forever;
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
            return tell_root(s, EVENT_GATHERED, NULL, err);
        }
        if (wait_once(s, limit_ns, &wakeup, err) < 0) {
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
    bool told_done = false, failed = s->failure != NULL;
    struct event hello = {.kind = EVENT_HELLO, .rank = (uint32_t)s->job->rank, .nbytes = s->sender != NULL};
    struct wakeup wakeup;
    uint64_t limit_ns = 0; /* an idle process has nothing to wait for: the first look must not sleep */
    int rc;

    if (events_send(s->events, &hello, err) < 0 || (s->failure && tell_root(s, EVENT_FAILED, s->failure, err) < 0)) {
        return -1;
    }
    while ((rc = worker_events(s, err)) == 0) {
        if (wait_once(s, limit_ns, &wakeup, err) < 0) {
            return -1;
        }
        if (wakeup.signal) {
            s->interrupted = true;
            executors_kill(s->executors);
            error_set(&wakeup.error, NULL, NULL, "process %d of the job received signal %d (%s)", s->job->rank,
                      wakeup.signal, strsignal(wakeup.signal));
            return tell_root(s, EVENT_FAILED, &wakeup.error, err);
        }
        if (wakeup.failed) {
            failed = true;
            if (tell_root(s, EVENT_FAILED, &wakeup.error, err) < 0) {
                return -1;
            }
        }
        if (wakeup.all_gone && !told_done && !failed) {
            told_done = true;
            if (tell_root(s, EVENT_DONE, NULL, err) < 0) {
                return -1;
            }
        }
        if (send_profiles(s, wakeup.all_gone, false, &limit_ns, err) < 0) {
            return -1;
        }
    }
    return rc < 0 ? -1 : 0;
}
