/*
 * l3replay-executor LANE DEVICE_ID NCORES PARENT_PID [DFX_DIR]: runs one lane of the
 * segment on the descriptors from 3 on, in a process of its own, because kernels are
 * foreign code. It is started by rank-worker/lanes and by nobody else.
 *
 * What it did is in the lane's status; its exit status is that of common/segment/executor_end.h.
 * stdout and stderr are a pipe to the parent.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/plan/sheet.h"
#include "common/segment/executor_end.h"
#include "common/segment/segment.h"
#include "rank-worker/executor/card.h"
#include "rank-worker/executor/crash.h"
#include "rank-worker/executor/doing.h"
#include "rank-worker/executor/executor_device.h"
#include "rank-worker/executor/sub_workers.h"
#include "rank-worker/executor/walk.h"

struct arguments {
    struct card_config card; /* `lane` may be one of another kind */
    pid_t parent;
};

static int parse_number(const char *text, long *out)
{
    char *end;

    errno = 0;
    *out = strtol(text, &end, 10);
    return errno || end == text || *end ? -1 : 0;
}

static int parse_arguments(int argc, char **argv, struct arguments *args)
{
    long lane, device, cores, parent;

    if (argc < 5 || argc > 6 || parse_number(argv[1], &lane) < 0 || parse_number(argv[2], &device) < 0 ||
        parse_number(argv[3], &cores) < 0 || parse_number(argv[4], &parent) < 0 || lane < 0) {
        return -1;
    }
    *args = (struct arguments){
        .card = {.lane = (uint32_t)lane, .device_id = (int)device, .ncores = (int)cores, .dfx_dir = argv[5]},
        .parent = (pid_t)parent};
    return 0;
}

/* Publish a failure; what the parent reads must be complete before the state says so. */
static void report_failure(struct segment *seg, uint32_t lane, const struct error *error)
{
    struct segment_lane *status = lane_status(seg, lane);

    status->error = *error;
    atomic_store_explicit(&status->since_ns, clock_now_ns(), memory_order_relaxed);
    atomic_store_explicit(&status->state, LANE_FAILED, memory_order_release);
}

/* Not a sleep that the executor exports (rank-worker/cpu/waits.c): it looks the C library's up, for which it would wait
 * while a destructor runs in dlclose(). */
static void *end_by_force(void *unused)
{
    const uint64_t until_ms = (uint64_t)clock_now_ms() + EXECUTOR_END_LIMIT_MS;
    uint64_t now_ms;

    (void)unused;
    while ((now_ms = (uint64_t)clock_now_ms()) < until_ms) {
        poll(NULL, 0, (int)(until_ms - now_ms));
    }
    _exit(EXECUTOR_WAS_HELD);
}

/* The lane has been walked to its end. Exit handlers and destructors of kernels run now, and are foreign code: they must
 * not hold a run that is over. Kernels may have changed signals and timers, but not this thread. */
static void limit_the_end(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, end_by_force, NULL) != 0) {
        _exit(0);
    }
    pthread_detach(thread);
}

/* `*held`: Python had to be ended. */
static int run_lane(struct segment *seg, const struct arguments *args, bool *held, struct error *err)
{
    struct lane_walk walk = {0};
    struct sheet sheet = {0};
    int rc = -1;

    if (sheet_parse(seg->sheet, &sheet, err) < 0 || walk_open(&walk, seg, args->card.lane, err) < 0) {
        goto out;
    }
    crash_name_kernels(&sheet);
    if (args->card.lane < seg->plan.world_size &&
        card_open(&walk.card, executor_device(), seg, &args->card, &sheet, err) < 0) {
        goto out;
    }
    if (plan_is_sub_lane(&seg->plan, args->card.lane) &&
        sub_workers_start(&walk.subs, seg, args->card.lane, &sheet, err) < 0) {
        goto out;
    }
    if (walk.card) {
        doing_start(seg, args->card.lane, walk.card);
    }
    segment_close_fd(seg, SEGMENT_DATA); /* Python has mapped it */
    atomic_store_explicit(&lane_status(seg, args->card.lane)->state, LANE_READY, memory_order_release);
    if (atomic_fetch_sub_explicit(&seg->common->starting, 1, memory_order_acq_rel) == 1) {
        word_complete(&seg->common->go);
    }
    word_wait(&seg->common->go);
    rc = walk_run(&walk, err);
    if (rc == 0 && walk.card) {
        limit_the_end();
    }
out:
    doing_stop();
    card_close(walk.card);
    *held = sub_workers_stop(walk.subs);
    walk_close(&walk);
    crash_name_kernels(NULL);
    sheet_free(&sheet);
    return rc;
}

int main(int argc, char **argv)
{
    struct arguments args;
    struct segment seg;
    struct error err;
    bool held = false;

    if (parse_arguments(argc, argv, &args) < 0) {
        fputs("l3replay-executor is started by l3replay; run `l3replay run BUILD`\n", stderr);
        return 2;
    }
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != args.parent) {
        return 3; /* the parent is gone already: nobody to work for */
    }
    if (segment_map(&seg, SEGMENT_FIRST_FD, args.card.lane, &err) < 0) {
        error_print(&err);
        return 3;
    }
    log_set_level((enum log_level)seg.header->log_level);
    if (crash_install(executor_device()->running, &err) < 0) {
        segment_unmap(&seg);
        return 3;
    }
    segment_close_fd(&seg, SEGMENT_PLAN);
    segment_close_fd(&seg, SEGMENT_CONTROL);
    if (!plan_is_sub_lane(&seg.plan, args.card.lane)) { /* its Python maps the data too */
        segment_close_fd(&seg, SEGMENT_DATA);
    }
    if (run_lane(&seg, &args, &held, &err) < 0) {
        report_failure(&seg, args.card.lane, &err);
    }
    return held ? EXECUTOR_WAS_HELD : 0;
}
