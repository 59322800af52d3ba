/*
 * lead_rig - process 0's side of a run (orchestrator/job/lead.c) alone: everything that it calls is a stand-in, which notes that
 * it was called and does what the test wants. Passes and phases are real.
 *
 * The stand-ins are defined here, so that the linker takes them and not the modules: for one file of each program.
 */
#ifndef L3R_TESTS_UNIT_LEAD_RIG_H
#define L3R_TESTS_UNIT_LEAD_RIG_H

#include "tests/support/temp_dir.h"

#include "common/base/log.h"
#include "orchestrator/job/farewell.h"
#include "orchestrator/job/lead.h"
#include "orchestrator/messages/order.h"
#include "orchestrator/prepare/prepare_load.h"
#include "orchestrator/supervise/supervise_root.h"
#include "tests/support/captured.h"

enum { ORDERS_MAX = 16, SEGMENT_FD = 42, SIGNAL_FD = 17, EXECUTORS = 5, SECRET = 3, CLOCK_ERROR_NS = 77 };

static struct rig {
    struct participant me;
    struct run_options options;
    struct prepared prepared;
    struct outcome outcome;
    struct segment_header header;
    struct segment_common common;
    struct segment_lane lane; /* the only one */
    uint64_t lane_at;
    struct error err;

    char steps[1024]; /* words of what was called, each with a blank before and after it */
    const char *failing, *failing_too;
    int failing_call; /* of `failing`, from 1; 0: each one */
    int calls;        /* of `failing` */
    bool interrupted, unsure, complete;
    int wrong_run; /* of the repeated ones, from 1: does not match its references; 0: all match */
    int taken;     /* repeated runs */
    struct order orders[ORDERS_MAX];
    int norder;
    struct dfx captured[ORDERS_MAX]; /* at the start of each pass */
    int nstart;
    bool wants_stream;
    uint32_t senders;
    const struct event *events;
    int nevent, nlook; /* how often its descriptor was wanted: once before each poll() */
    struct inbox_loss losses[INBOX_MAX_LOSSES];
    struct inbox_totals totals;
} rig;

static struct run_clock clock_of_others = {.error_ns = CLOCK_ERROR_NS};

/* --- stand-ins ------------------------------------------------------------ */

static int step(const char *word, struct error *err)
{
    size_t n = strlen(rig.steps);

    snprintf(rig.steps + n, sizeof rig.steps - n, "%s%s ", n ? "" : " ", word);
    if (rig.failing && strcmp(word, rig.failing) == 0 && (++rig.calls == rig.failing_call || !rig.failing_call)) {
        return error_set(err, NULL, NULL, "%s failed", word);
    }
    if (rig.failing_too && strcmp(word, rig.failing_too) == 0) {
        return error_set(err, NULL, NULL, "%s failed", word);
    }
    return 0;
}

int job_clocks_open(struct job_clocks *clocks, const struct mpi_job *job, const struct plan *plan, struct error *err)
{
    assert_ptr_equal(clocks, &rig.me.clocks);
    assert_ptr_equal(job, &rig.me.job);
    assert_ptr_equal(plan, &rig.prepared.recording.plan);
    return step("clocks", err);
}

int job_clocks_measure(struct job_clocks *clocks, const struct mpi_job *job, struct error *err)
{
    (void)clocks;
    (void)job;
    return step("measure", err);
}

int job_clocks_settle(struct job_clocks *clocks, struct segment *seg, struct error *err)
{
    assert_ptr_equal(seg, &rig.prepared.segment);
    clocks->result.items = &clock_of_others;
    clocks->result.count = 1;
    return step("settle", err);
}

int segment_rewind(struct segment *seg, struct error *err)
{
    assert_ptr_equal(seg, &rig.prepared.segment);
    return step("rewind", err);
}

int prepare_load(struct prepared *p, struct error *err)
{
    assert_ptr_equal(p, &rig.prepared);
    return step("load", err);
}

uint32_t participant_executors(const struct plan *plan)
{
    assert_ptr_equal(plan, &rig.prepared.recording.plan);
    return EXECUTORS;
}

int participant_open_signals(struct participant *me, struct error *err)
{
    me->signal_fd = SIGNAL_FD;
    return step("read-signals", err);
}

void participant_close_signals(struct participant *me)
{
    me->signal_fd = -1;
    step("take-signals", NULL);
}

int participant_start_executors(struct participant *me, struct segment *seg, const int *device_ids, struct error *err)
{
    assert_ptr_equal(seg, &rig.prepared.segment);
    assert_ptr_equal(device_ids, rig.prepared.recording.build.device_ids);
    assert_int_equal(atomic_load(&rig.common.starting), EXECUTORS);
    assert_null(me->executors);
    rig.captured[rig.nstart++] = rig.header.dfx;
    me->executors = (struct executors *)&rig;
    return step("start", err);
}

void participant_end_executors(struct participant *me)
{
    me->executors = NULL;
    step("end", NULL);
}

void participant_report_strangers(const struct participant *me)
{
    assert_ptr_equal(me, &rig.me);
    step("strangers", NULL);
}

int supervise_root(struct supervision *s, struct error *err)
{
    assert_ptr_equal(s->job, &rig.me.job);
    assert_ptr_equal(s->seg, &rig.prepared.segment);
    assert_ptr_equal(s->clocks, &rig.me.clocks);
    assert_ptr_equal(s->events, rig.me.events);
    assert_ptr_equal(s->executors, rig.me.executors);
    assert_ptr_equal(s->receiver, rig.me.receiver);
    assert_int_equal(s->signal_fd, SIGNAL_FD);
    assert_true(s->timeout == rig.options.timeout);
    s->interrupted = rig.interrupted;
    s->unsure = rig.unsure;
    return step("watch", err);
}

void supervise_finish(struct supervision *s)
{
    assert_ptr_equal(s, &rig.me.supervision);
    step("finish", NULL);
}

int supervise_gather(struct supervision *s, struct error *err)
{
    assert_int_equal(s->signal_fd, SIGNAL_FD);
    return step("take-profiles", err);
}

int mpi_job_share(const struct mpi_job *job, void *buf, size_t nbytes, struct error *err)
{
    static const char *const words[] = {"order-leave", "order-compile", "order-run", "order-gather", "order-clocks"};
    const struct order *order = buf;

    assert_ptr_equal(job, &rig.me.job);
    assert_int_equal(nbytes, sizeof *order);
    assert_true(rig.norder < ORDERS_MAX);
    rig.orders[rig.norder++] = *order;
    return step(words[order->kind], err);
}

int farewell_await(struct farewell *f, const struct mpi_job *job, struct error *err)
{
    assert_non_null(f);
    assert_ptr_equal(job, &rig.me.job);
    return step("farewell", err);
}

int events_serve(struct events **out, uint32_t nprocess, struct events_address *address, struct error *err)
{
    assert_int_equal(nprocess, rig.me.job.size);
    snprintf(address->endpoint, sizeof address->endpoint, "endpoint");
    memset(address->secret, SECRET, sizeof address->secret);
    *out = (struct events *)&rig;
    return step("serve", err);
}

int events_fd(const struct events *e)
{
    (void)e;
    rig.nlook++;
    return -1; /* poll() leaves it out */
}

bool events_next(struct events *e, struct event *event)
{
    (void)e;
    if (rig.nevent == 0) {
        return false;
    }
    *event = *rig.events++;
    rig.nevent--;
    return true;
}

int gather_open(struct gather_receiver **out, const char *dir, int nprocess, bool stream, char token[GATHER_TOKEN],
                struct error *err)
{
    assert_string_equal(dir, rig.prepared.dfx.dir);
    assert_int_equal(nprocess, rig.me.job.size);
    rig.wants_stream = stream;
    snprintf(token, GATHER_TOKEN, "token");
    *out = (struct gather_receiver *)&rig;
    return step("receive", err);
}

bool gather_is_complete(const struct gather_receiver *r)
{
    (void)r;
    return rig.complete;
}

uint32_t gather_senders(const struct gather_receiver *r)
{
    (void)r;
    return rig.senders;
}

const struct inbox *gather_inbox(const struct gather_receiver *r)
{
    return (const struct inbox *)r;
}

struct inbox_totals inbox_totals(const struct inbox *b)
{
    (void)b;
    return rig.totals;
}

uint32_t inbox_losses(const struct inbox *b, const struct inbox_loss **losses)
{
    (void)b;
    *losses = rig.losses;
    return rig.totals.nloss < INBOX_MAX_LOSSES ? (uint32_t)rig.totals.nloss : INBOX_MAX_LOSSES;
}

int repeat_open(struct repeat **out, const struct plan *plan, const struct verify *verify, uint32_t wanted,
                struct error *err)
{
    assert_ptr_equal(plan, &rig.prepared.recording.plan);
    assert_ptr_equal(verify, rig.prepared.verify);
    assert_int_equal(wanted, rig.options.repeat);
    *out = (struct repeat *)&rig;
    return step("repeat", err);
}

int repeat_take(struct repeat *r, const struct segment *seg, struct error *err)
{
    (void)r;
    assert_ptr_equal(seg, &rig.prepared.segment);
    assert_int_equal(rig.outcome.phases.now, PHASE_VERIFY);
    rig.taken++;
    return step("take-run", err);
}

bool repeat_is_first_failure(const struct repeat *r)
{
    (void)r;
    return rig.taken == rig.wrong_run;
}

void outcome_compare(struct outcome *out, const struct prepared *p)
{
    assert_ptr_equal(p, &rig.prepared);
    out->verdict = RESULT_FAIL;
    step("compare", NULL);
}

/* --- what the tests share ------------------------------------------------- */

static char platform[] = "a2a3";

static int setup(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof rig);
    log_set_level(LOG_NULL);
    rig.me.job.size = 3;
    rig.me.signal_fd = -1;
    rig.options.timeout = 4.5;
    rig.prepared.recording.build.platform = platform;
    rig.header.nlane = 1;
    rig.prepared.segment.parts[SEGMENT_PLAN].fd = SEGMENT_FD;
    rig.prepared.segment.parts[SEGMENT_CONTROL].base = (char *)&rig.lane;
    rig.prepared.segment.lanes = &rig.lane_at;
    rig.prepared.segment.common = &rig.common;
    rig.prepared.segment.header = &rig.header;
    phases_enter(&rig.outcome.phases, PHASE_RUN);
    return 0;
}

/* How often a word was noted. */
static int count(const char *word)
{
    char wanted[64];
    int n = 0;

    snprintf(wanted, sizeof wanted, " %s ", word);
    for (const char *at = rig.steps; (at = strstr(at, wanted)); at++) {
        n++;
    }
    return n;
}

/* The first of each comes after the first of the one before; the last word NULL. */
static void assert_order(const char *const *words)
{
    const char *at = rig.steps;

    for (; *words; words++) {
        char wanted[64];

        snprintf(wanted, sizeof wanted, " %s ", *words);
        at = strstr(at, wanted);
        if (!at) {
            fail_msg("no %s where it belongs in '%s'", *words, rig.steps);
        }
        at += strlen(wanted) - 1;
    }
}

#define ASSERT_ORDER(...) assert_order((const char *const[]){__VA_ARGS__, NULL})

#endif
