/*
 * threads - who runs the lanes.
 *
 * The main thread alone, as long as that gets on: handing a kernel to another
 * thread costs more than many kernels take. Others join when lanes must start
 * together, when the card has several cores and enough is ready, while the
 * orchestration waits, and when nothing has finished for a while although more
 * is ready: kernels may wait for each other, so a ready one must get its turn.
 * Threads without work are parked, most recently used first out.
 */
#include "rank-worker/cpu/internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "common/base/log.h"

enum { STACK_SIZE = 16 << 20, WORTH_NS = 100000, GUESS_NS = 50000, BUSY_TICKS = 10 };

uint64_t cpu_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *serve_thread(void *arg);

/* Signals go to the main thread, but for those that a kernel causes itself. */
static int create(pthread_t *id, void *(*body)(void *), void *arg)
{
    sigset_t all, before;
    pthread_attr_t attr;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    sigdelset(&all, SIGTRAP);
    int rc = pthread_attr_init(&attr);
    if (rc) {
        return rc;
    }
    rc = pthread_attr_setstacksize(&attr, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!rc) {
        rc = pthread_create(id, &attr, body, arg);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return rc;
}

static void wake(struct thread *t, struct lane *lane)
{
    t->lane = lane;
    t->woken = true;
    pthread_cond_signal(&t->cond);
}

/* Give `lane`, or NULL for "look yourself", to a parked thread or a new one. False when there is none to be had. */
static bool enlist(struct device *dev, struct lane *lane)
{
    struct thread *t = dev->idle;
    if (t) {
        dev->idle = t->next_idle;
        t->idle = false;
        wake(t, lane);
        return true;
    }
    if (dev->nthread == CPU_THREADS) {
        return false;
    }
    t = &dev->threads[dev->nthread];
    t->lane = lane;
    t->woken = false;
    t->idle = false;
    const int rc = create(&t->id, serve_thread, t);
    if (rc) {
        dev->thread_errno = rc;
        return false;
    }
    dev->nthread++;
    return true;
}

static void arm_monitor(struct device *dev);

static bool pays(const struct device *dev)
{
    const uint64_t each = dev->mean_ns ? dev->mean_ns : GUESS_NS;
    return dev->limit > dev->config.ncores || dev->nready * each >= WORTH_NS;
}

/* Before a thread goes off with its lane: others for what is left. */
static void share_out(struct device *dev)
{
    if (!dev->nready) {
        return;
    }
    if (dev->nbusy < dev->limit && pays(dev)) {
        const int wanted = dev->limit - dev->nbusy;
        for (int i = 0; i < wanted && (uint32_t)i < dev->nready && enlist(dev, NULL); i++) {
        }
    }
    arm_monitor(dev);
}

/* Lanes that start together need a thread each; the caller takes the first. */
static struct lane *spread(struct device *dev, struct lane *lanes)
{
    struct lane *next = lanes->next;
    while (next) {
        struct lane *lane = next;
        next = lane->next;
        if (!enlist(dev, lane)) {
            cpu_fatal(dev, 0, "cannot start a thread for a lane of kernel %s: %s", lane->kernel->name,
                      strerror(dev->thread_errno));
            cpu_finish_lane(dev, lane);
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

/* Run one lane; the lock is free meanwhile. */
static void run(struct device *dev, struct lane *lane, const struct thread *self)
{
    const bool timed = dev->config.ncores > 1;
    if (!dev->first_start_ns) {
        dev->first_start_ns = cpu_now_ns();
    }
    struct profile_run *record = dev->profile ? lane->run : NULL;
    pthread_mutex_unlock(&dev->lock);
    const uint64_t start = timed || record ? cpu_now_ns() : 0;
    if (record) {
        cpu_profile_call(lane, record, start);
    } else {
        cpu_call_kernel(lane);
    }
    const uint64_t took = timed ? cpu_now_ns() - start : 0;
    pthread_mutex_lock(&dev->lock);
    if (timed) {
        dev->mean_ns = dev->mean_ns ? (7 * dev->mean_ns + took) / 8 : took + 1;
    }
    if (dev->profile) {
        finish_captured(dev, lane);
    } else {
        cpu_finish_lane(dev, lane);
    }
    if (self != &dev->main && (dev->finishing ? finished(dev) : waited_for(dev)) && !dev->main.woken) {
        wake(&dev->main, NULL);
    }
}

/* What is ready must not be forgotten when a thread stops to look for it. */
static void watch(struct device *dev)
{
    if (dev->nready) {
        arm_monitor(dev);
    }
}

static void park(struct device *dev, struct thread *self)
{
    watch(dev);
    self->next_idle = dev->idle;
    dev->idle = self;
    self->idle = true;
    while (!self->woken && !dev->quit) {
        pthread_cond_wait(&self->cond, &dev->lock);
    }
    self->woken = false;
    if (self->idle) { /* woken by another way than the stack */
        struct thread **at = &dev->idle;
        while (*at != self) {
            at = &(*at)->next_idle;
        }
        *at = self->next_idle;
        self->idle = false;
    }
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
                spread(dev, lane);
            } else if (main && finished(dev)) {
                break; /* the last tasks were predicated and did not run */
            }
        }
        if (!lane) {
            if (!main && dev->finishing && finished(dev) && !dev->main.woken) {
                wake(&dev->main, NULL);
            }
            park(dev, self);
            continue;
        }
        share_out(dev);
        run(dev, lane, self);
    }
}

static void *serve_thread(void *arg)
{
    struct thread *self = arg;
    struct device *dev = self->dev;
    cpu_profile_thread(1 + (uint32_t)(self - dev->threads));
    pthread_mutex_lock(&dev->lock);
    serve(dev, self);
    pthread_mutex_unlock(&dev->lock);
    return NULL;
}

/* Called and returns under the lock. A lane that was handed to the main thread is run even after a failure. */
void cpu_run_all(struct device *dev)
{
    dev->finishing = true;
    serve(dev, &dev->main);
    while (dev->main.lane) {
        struct lane *lane = dev->main.lane;
        dev->main.lane = NULL;
        run(dev, lane, &dev->main);
    }
    dev->main.woken = false;
    dev->finishing = false;
}

/* The orchestration waits. What it waits for runs here when it can start at once; else others do the work, so that
 * the orchestration goes on as soon as it may. */
void cpu_wait_task(struct device *dev, struct task *task, bool consumers)
{
    dev->wait_task = task;
    dev->wait_consumers = consumers;
    while (!dev->fatal && !waited_for(dev)) {
        struct lane *lane = task->state == TASK_READY ? look(dev, task) : NULL;
        if (lane) {
            spread(dev, lane);
            share_out(dev);
            run(dev, lane, &dev->main);
            continue;
        }
        if (waited_for(dev)) {
            break; /* it was predicated and did not run */
        }
        if (dev->nready && dev->nbusy < dev->limit && !enlist(dev, NULL) && dev->nbusy == 0) {
            cpu_fatal(dev, 0, "cannot start a thread: %s", strerror(dev->thread_errno));
            break;
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

static uint64_t process_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_tick(struct device *dev)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += CPU_TICK_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    while (!dev->quit && pthread_cond_timedwait(&dev->monitor_cond, &dev->lock, &until) != ETIMEDOUT) {
    }
}

/* Lets one more thread in whenever a tick has passed without an end of any kernel while more was ready. Kernels
 * that compute rather than wait get ten times as long: more threads do not make them faster. */
static void *monitor_thread(void *arg)
{
    struct device *dev = arg;
    pthread_mutex_lock(&dev->lock);
    while (!dev->quit) {
        if (!dev->armed) {
            pthread_cond_wait(&dev->monitor_cond, &dev->lock);
            continue;
        }
        int still = 0;
        uint64_t progress = dev->progress, cpu = process_cpu_ns();
        while (!dev->quit && dev->nready) {
            wait_tick(dev);
            const uint64_t cpu_now = process_cpu_ns();
            const bool computing = cpu_now - cpu > CPU_TICK_NS / 2;
            still = progress == dev->progress ? still + 1 : 0;
            progress = dev->progress;
            cpu = cpu_now;
            if (dev->nready && still > 0 && (!computing || still % BUSY_TICKS == 0)) {
                dev->limit = dev->nbusy + 1 > dev->limit ? dev->nbusy + 1 : dev->limit;
                enlist(dev, NULL);
            }
        }
        dev->armed = false;
    }
    pthread_mutex_unlock(&dev->lock);
    return NULL;
}

static void arm_monitor(struct device *dev)
{
    if (dev->armed) {
        return;
    }
    if (!dev->monitor_running) {
        const int rc = create(&dev->monitor, monitor_thread, dev);
        if (rc) {
            cpu_fatal(dev, 0, "cannot start a thread: %s", strerror(rc));
            return;
        }
        dev->monitor_running = true;
    }
    dev->armed = true;
    pthread_cond_signal(&dev->monitor_cond);
}

int cpu_threads_init(struct device *dev, struct error *err)
{
    pthread_condattr_t attr;
    int rc = pthread_condattr_init(&attr);
    if (!rc) {
        pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
        rc = pthread_cond_init(&dev->monitor_cond, &attr);
        pthread_condattr_destroy(&attr);
    }
    if (rc) {
        errno = rc;
        return error_errno(err, NULL, NULL, "cpu device: cannot make a condition variable");
    }
    pthread_mutex_init(&dev->lock, NULL);
    pthread_mutex_init(&dev->pipe_lock, NULL);
    pthread_cond_init(&dev->main.cond, NULL);
    dev->main.dev = dev;
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
        pthread_cond_signal(&dev->threads[i].cond);
    }
    pthread_cond_signal(&dev->monitor_cond);
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
    pthread_cond_destroy(&dev->main.cond);
    pthread_cond_destroy(&dev->monitor_cond);
    pthread_mutex_destroy(&dev->lock);
    pthread_mutex_destroy(&dev->pipe_lock);
}
