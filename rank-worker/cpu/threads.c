/*
 * threads - who runs the lanes.
 *
 * The main thread alone, as long as that gets on: handing a kernel to another
 * thread costs more than many kernels take. Others join when lanes must start
 * together, when the card has several cores and enough is ready, while the
 * orchestration waits, and when nothing has finished for a while although more
 * is ready (monitor.c). Threads without work are parked, most recently used first
 * out. Lanes that take turns (turns.h) need a thread each only when the one before
 * has blocked; parked ones are reserved for that before the block starts, so that no
 * lane is left without one in the middle.
 */
#include "rank-worker/cpu/threads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "rank-worker/cpu/libc.h"
#include "rank-worker/cpu/monitor.h"
#include "rank-worker/cpu/pool.h"
#include "rank-worker/cpu/profile/profile.h"
#include "rank-worker/cpu/sched.h"
#include "rank-worker/cpu/state/fatal.h"
#include "rank-worker/cpu/state/kernel_call.h"
#include "rank-worker/cpu/turns.h"

enum { WORTH_NS = 100000, GUESS_NS = 50000 };

static bool pays(const struct device *dev)
{
    const uint64_t lanes = (uint64_t)__builtin_popcount(dev->ready[0].task->lanes); /* of a block; they take turns */
    const uint64_t each = (dev->mean_ns ? dev->mean_ns : GUESS_NS) * lanes;
    return dev->limit > dev->config.ncores || dev->nready * each >= WORTH_NS;
}

/* Before a thread runs `lanes`: wake others for what is left. */
static void share_out(struct device *dev, struct lane *lanes)
{
    if (!dev->nready) {
        if (dev->mean_ns >= GUESS_NS) {
            cpu_turn_start_early(dev, lanes);
        }
        return;
    }
    if (dev->nbusy < dev->limit && pays(dev)) {
        const int wanted = dev->limit - dev->nbusy - dev->nlooking;
        for (int i = 0; i < wanted && (uint32_t)i < dev->nready && cpu_pool_look(dev); i++) {
        }
    }
    cpu_pool_arm_monitor(dev);
}

static void give_up(struct device *dev, struct lane *lanes, int why)
{
    dev->refused = true;
    cpu_fatal(dev, 0, "the system gives no thread for a lane of kernel %s: %s", lanes->kernel->name, strerror(why));
    while (lanes) {
        struct lane *lane = lanes;
        lanes = lane->next;
        lane->turn = TURN_NONE;
        cpu_finish_lane(dev, lane);
    }
}

/* Lanes that start together need a thread each; the caller takes the first. NULL: the system refuses one, and none of
 * them runs. */
static struct lane *spread(struct device *dev, struct lane *lanes)
{
    int nother = 0;
    for (const struct lane *lane = lanes->next; lane; lane = lane->next) {
        nother++;
    }
    const int rc = nother ? cpu_pool_spare(dev, nother) : 0;
    if (rc) {
        give_up(dev, lanes, rc);
        return NULL;
    }
    dev->nreserved += nother;
    struct lane *next = lanes->next;
    while (next) {
        struct lane *lane = next;
        next = lane->next;
        if (lane->turn != TURN_NEW) {
            cpu_pool_run(dev, lane);
        }
    }
    return lanes;
}

static bool finished(const struct device *dev)
{
    return dev->fatal || dev->nunfinished == 0;
}

static bool waited_for(const struct device *dev)
{
    const struct task *t = dev->wait_task;
    return t && t->state == TASK_DONE && (!dev->wait_consumers || t->nconsumer == 0);
}

/* cpu_start_task(), or cpu_start_any() when `task` is NULL; captured where that is asked for. */
static struct lane *look(struct device *dev, const struct task *task)
{
    struct profile_look at;
    if (dev->profile) {
        cpu_profile_look(dev, &at);
    }
    struct lane *lanes = task ? cpu_start_task(dev, task) : cpu_start_any(dev);
    if (dev->profile) {
        cpu_profile_looked(dev, &at, lanes);
    }
    return lanes;
}

static void finish_captured(struct device *dev, struct lane *lane)
{
    struct profile_look at;
    cpu_profile_finishing(dev, lane, &at);
    cpu_finish_lane(dev, lane);
    cpu_profile_finished(dev, &at);
}

/* Run one lane; the lock is free meanwhile. Returns the one whose turn it is then, if this thread is to run it. */
static struct lane *run_one(struct device *dev, struct lane *lane, struct thread *self)
{
    const bool timed = dev->config.ncores > 1;
    if (!dev->first_start_ns) {
        dev->first_start_ns = clock_now_ns();
    }
    lane->thread = self;
    lane->waited = false;
    struct profile_run *record = dev->profile ? lane->run : NULL;
    pthread_mutex_unlock(&dev->lock);
    const uint64_t start = timed || record ? clock_now_ns() : 0;
    if (record) {
        cpu_profile_call(lane, record, start);
    } else {
        cpu_call_kernel(lane);
    }
    const uint64_t took = timed ? clock_now_ns() - start : 0;
    pthread_mutex_lock(&dev->lock);
    if (timed) {
        dev->mean_ns = dev->mean_ns ? (7 * dev->mean_ns + took) / 8 : took + 1;
    }
    struct lane *next = lane->turn == TURN_NONE ? NULL : cpu_turn_end(lane);
    if (dev->profile) {
        finish_captured(dev, lane);
    } else {
        cpu_finish_lane(dev, lane);
    }
    return next;
}

static void run(struct device *dev, struct lane *lane, struct thread *self)
{
    while (lane) {
        lane = run_one(dev, lane, self);
    }
    if (self != &dev->main && (dev->finishing ? finished(dev) : waited_for(dev)) && !dev->main.woken) {
        cpu_pool_wake(&dev->main, NULL);
    }
}

/* What is ready must not be forgotten when a thread stops to look for it. */
static void watch(struct device *dev)
{
    if (dev->nready) {
        cpu_pool_arm_monitor(dev);
    }
}

static void park(struct device *dev, struct thread *self)
{
    watch(dev);
    if (self != &dev->main) {
        cpu_pool_park(dev, self);
        return;
    }
    dev->main_idle = true;
    cpu_pool_wait(dev, self);
    dev->main_idle = false;
}

static void serve(struct device *dev, struct thread *self)
{
    const bool main = self == &dev->main;
    while (main ? !finished(dev) : !dev->quit) {
        struct lane *lane = self->lane;
        self->lane = NULL;
        if (!lane && dev->nbusy < dev->limit) {
            lane = look(dev, NULL);
            if (lane) {
                lane = spread(dev, lane);
            } else if (main && finished(dev)) {
                break; /* the last tasks were predicated and did not run */
            }
        }
        if (!lane) {
            if (!main && dev->finishing && finished(dev) && !dev->main.woken) {
                cpu_pool_wake(&dev->main, NULL);
            }
            if (!main || !finished(dev)) {
                park(dev, self);
            }
            continue;
        }
        share_out(dev, lane);
        run(dev, lane, self);
    }
}

static void *serve_thread(void *arg)
{
    struct thread *self = arg;
    struct device *dev = self->dev;
    cpu_profile_thread(1 + (uint32_t)(self - dev->threads));
    self->tid = gettid();
    pthread_mutex_lock(&dev->lock);
    cpu_pool_wait(dev, self);
    serve(dev, self);
    pthread_mutex_unlock(&dev->lock);
    return NULL;
}

void cpu_run_all(struct device *dev)
{
    dev->finishing = true;
    serve(dev, &dev->main);
    dev->main.woken = false;
    dev->finishing = false;
}

/* Another thread runs something, or will find what is ready; false: the system gives none. */
static bool others_work(struct device *dev)
{
    const int active = dev->nbusy + dev->nlooking;
    return !(dev->nready && active < dev->limit) || cpu_pool_look(dev) || active > 0;
}

/* The orchestration waits. What it waits for runs here when it can start at once; else others do the work, so that
 * the orchestration goes on as soon as it may. */
void cpu_wait_task(struct device *dev, struct task *task, bool consumers)
{
    dev->wait_task = task;
    dev->wait_consumers = consumers;
    while (!dev->fatal && !waited_for(dev)) {
        struct lane *lane = task->state == TASK_READY ? look(dev, task) : NULL;
        if (waited_for(dev)) {
            break; /* it was predicated and did not run */
        }
        if (!lane && !others_work(dev)) {
            lane = look(dev, NULL);
        }
        if (lane) {
            lane = spread(dev, lane);
            share_out(dev, lane);
            run(dev, lane, &dev->main);
            continue;
        }
        watch(dev);
        while (!dev->main.woken) {
            pthread_cond_wait(&dev->main.cond, &dev->lock);
        }
        dev->main.woken = false;
    }
    dev->main.woken = false;
    dev->wait_task = NULL;
}

int cpu_threads_init(struct device *dev, struct error *err)
{
    pthread_condattr_t attr;
    int rc = pthread_condattr_init(&attr);
    if (!rc) {
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        rc = pthread_cond_init(&dev->monitor_cond, &attr);
        for (int i = 0; i < CPU_LANES; i++) {
            sem_init(&dev->lanes[i].let_on, 0, 0);
        }
        pthread_condattr_destroy(&attr);
    }
    if (rc) {
        errno = rc;
        return error_errno(err, NULL, NULL, "cpu device: cannot make a condition variable");
    }
    pthread_mutex_init(&dev->lock, NULL);
    pthread_mutex_init(&dev->pipe_lock, NULL);
    pthread_cond_init(&dev->main.cond, NULL);
    dev->serve = serve_thread;
    dev->watch = cpu_monitor_thread;
    dev->main.dev = dev;
    dev->main.id = pthread_self();
    dev->main.tid = gettid();
    for (int i = 0; i < CPU_THREADS; i++) {
        pthread_cond_init(&dev->threads[i].cond, NULL);
        dev->threads[i].dev = dev;
    }
    return 0;
}

void cpu_threads_stop(struct device *dev)
{
    pthread_mutex_lock(&dev->lock);
    dev->quit = true;
    for (int i = 0; i < dev->nthread; i++) {
        cpu_wake(&dev->threads[i].cond);
    }
    cpu_wake(&dev->monitor_cond);
    pthread_mutex_unlock(&dev->lock);
    for (int i = 0; i < dev->nthread; i++) {
        pthread_join(dev->threads[i].id, NULL);
    }
    if (dev->monitor_running) {
        pthread_join(dev->monitor, NULL);
    }
    for (int i = 0; i < CPU_THREADS; i++) {
        pthread_cond_destroy(&dev->threads[i].cond);
    }
    for (int i = 0; i < CPU_LANES; i++) {
        sem_destroy(&dev->lanes[i].let_on);
    }
    pthread_cond_destroy(&dev->main.cond);
    pthread_cond_destroy(&dev->monitor_cond);
    pthread_mutex_destroy(&dev->lock);
    pthread_mutex_destroy(&dev->pipe_lock);
}
