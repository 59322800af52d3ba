/*
 * monitor - the thread that helps a dispatch on when nothing moves.
 *
 * Kernels may wait for each other, in the same program and on other cards, so what is
 * ready must get its turn even though every running kernel only waits: a further task
 * gets a thread, and the next lane of a mixed block gets the turn (turns.h). It ticks
 * only while something is ready or wanted.
 */
#include "rank-worker/cpu/monitor.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "common/base/clock.h"
#include "rank-worker/cpu/pool.h"
#include "rank-worker/cpu/thread_state.h"
#include "rank-worker/cpu/turns.h"

enum { ASLEEP_TICKS = 5, BUSY_NS = 200000000 };

static uint64_t cpu_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_tick(struct device *dev)
{
    const struct timespec until = clock_deadline(CPU_TICK_NS);
    while (!dev->quit && pthread_cond_timedwait(&dev->monitor_cond, &dev->lock, &until) != ETIMEDOUT) {
    }
}

static bool is_asleep(pid_t tid)
{
    return cpu_thread_state(tid) == 'S';
}

/* CPU time counts, not time: a holder that other processes keep from its core must not lose the turn for that. */
static void watch_cluster(struct device *dev, struct cluster *cluster)
{
    const struct thread *thread = cluster->holder->thread;
    clockid_t clock;
    if (!thread || pthread_getcpuclockid(thread->id, &clock)) {
        return; /* its thread has not come to it yet */
    }
    const uint64_t cpu = cpu_ns(clock), ncall = cluster->ncall;
    if (ncall != cluster->seen_ncall) {
        cluster->seen_ncall = ncall;
        cluster->since_cpu_ns = cpu;
        cluster->nasleep = 0;
    } else if (cpu == cluster->last_cpu_ns && is_asleep(thread->tid)) {
        cluster->nasleep++;
    } else {
        cluster->nasleep = 0;
    }
    cluster->last_cpu_ns = cpu;
    if (cpu - cluster->since_cpu_ns >= CPU_SPIN_NS || cluster->nasleep == ASLEEP_TICKS) {
        cpu_turn_take_away(dev, cluster);
    }
}

static bool turn_is_wanted(const struct device *dev)
{
    for (int c = 0; c < CPU_CLUSTERS; c++) {
        if (cpu_turn_wanted(dev, &dev->clusters[c])) {
            return true;
        }
    }
    return false;
}

static void watch_turns(struct device *dev)
{
    for (int c = 0; c < CPU_CLUSTERS; c++) {
        if (cpu_turn_wanted(dev, &dev->clusters[c])) {
            watch_cluster(dev, &dev->clusters[c]);
        }
    }
}

/* Every kernel that is running waits for something. That others take the processor from it is no waiting. */
static bool all_wait(struct device *dev)
{
    bool all = true;
    for (int i = 0; i < CPU_LANES; i++) {
        struct lane *lane = &dev->lanes[i];
        if (lane->task && lane->thread && lane->turn != TURN_NEW) {
            const bool waited = atomic_exchange_explicit(&lane->waited, false, memory_order_relaxed);
            all = all && (waited || is_asleep(lane->thread->tid));
        }
    }
    return all;
}

/* What was seen at the last ticks. */
struct look_back {
    int nwaiting; /* ticks at which all kernels waited, and none has ended */
    uint64_t progress;
    uint64_t since_cpu_ns; /* processor time of the process when a kernel ended, or a thread was added */
};

/* One more thread when a tick has passed in which more was ready and every running kernel only waited, or when the process
 * has computed for BUSY_NS without an end of any: a kernel that reads memory in a loop looks like that. That is long, since
 * tasks that overtake a slow kernel change the order of its atomic adds, and so the bits of their sums. */
static void watch_ready(struct device *dev, struct look_back *last)
{
    const uint64_t cpu = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (!dev->nready || last->progress != dev->progress) {
        *last = (struct look_back){0, dev->progress, cpu};
        return;
    }
    last->nwaiting = all_wait(dev) ? last->nwaiting + 1 : 0;
    if (last->nwaiting > 0 || cpu - last->since_cpu_ns >= BUSY_NS) {
        dev->limit = dev->nbusy + 1 > dev->limit ? dev->nbusy + 1 : dev->limit;
        cpu_pool_look(dev);
        last->since_cpu_ns = cpu;
    }
}

void *cpu_monitor_thread(void *arg)
{
    struct device *dev = arg;
    pthread_mutex_lock(&dev->lock);
    while (!dev->quit) {
        if (!dev->armed) {
            pthread_cond_wait(&dev->monitor_cond, &dev->lock);
            continue;
        }
        struct look_back last = {0, dev->progress, cpu_ns(CLOCK_PROCESS_CPUTIME_ID)};
        while (!dev->quit && (dev->nready || turn_is_wanted(dev))) {
            wait_tick(dev);
            watch_ready(dev, &last);
            watch_turns(dev);
        }
        dev->armed = false;
    }
    pthread_mutex_unlock(&dev->lock);
    return NULL;
}
