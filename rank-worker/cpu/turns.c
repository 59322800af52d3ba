#include "rank-worker/cpu/turns.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "common/base/clock.h"
#include "rank-worker/cpu/pool.h"

/* A condition variable of several processes may be signalled from another one, which is not seen: then this is how late
 * it is noticed. */
enum { NOTICE_NS = 50000000 };

static _Atomic(struct device *) signalled;

static int slot_of(const struct lane *lane)
{
    return (int)(lane - lane->dev->lanes) % 3;
}

static bool wants(const struct lane *lane)
{
    return lane->turn == TURN_READY || lane->turn == TURN_NEW || lane->turn == TURN_EARLY;
}

static struct cluster *cluster_of(const struct lane *lane)
{
    return &lane->dev->clusters[lane->cluster];
}

/* The first lane after slot `slot` of the cluster that wants the turn; NULL: none. */
static struct lane *next_after(struct device *dev, const struct cluster *cluster, int slot)
{
    struct lane *lanes = &dev->lanes[3 * (cluster - dev->clusters)];
    for (int i = 1; i <= 3; i++) {
        struct lane *lane = &lanes[(slot + i) % 3];
        if (wants(lane)) {
            return lane;
        }
    }
    return NULL;
}

static void give(struct cluster *cluster, struct lane *lane)
{
    cluster->holder = lane;
    atomic_fetch_add_explicit(&cluster->ncall, 1, memory_order_relaxed);
    lane->turn = TURN_HOLDS;
}

/* The holder has changed its state: to the next one. */
static void pass(struct lane *from)
{
    struct cluster *cluster = cluster_of(from);
    struct lane *next = next_after(from->dev, cluster, slot_of(from));
    cluster->holder = NULL;
    if (!next) {
        return;
    }
    const enum turn before = next->turn;
    give(cluster, next);
    if (before == TURN_NEW) {
        cpu_pool_run(from->dev, next);
    } else if (before == TURN_EARLY) {
        from->dev->nbusy--;
    } else {
        sem_post(&next->let_on);
    }
}

static void stop_running(struct lane *lane, enum turn turn)
{
    const bool held = lane->turn == TURN_HOLDS;
    lane->dev->nbusy -= lane->turn == TURN_EARLY;
    lane->turn = turn;
    if (held) {
        pass(lane);
    }
}

/* False: it has to await its turn. */
static bool take_if_free(struct lane *lane)
{
    if (cluster_of(lane)->holder) {
        cpu_pool_arm_monitor(lane->dev);
        return false;
    }
    give(cluster_of(lane), lane);
    return true;
}

/* Without the lock, so that the thread that gives the turn away need not release it first. */
static void await_turn(struct lane *lane)
{
    while (sem_wait(&lane->let_on) && errno == EINTR) {
    }
}

void cpu_turn_begin(struct lane *lane, bool first)
{
    lane->cond = NULL;
    lane->thread = NULL;
    lane->hands_on = false;
    lane->turn = TURN_NEW;
    if (first) {
        give(cluster_of(lane), lane);
    } else {
        cpu_pool_arm_monitor(lane->dev);
    }
}

void cpu_turn_start_early(struct device *dev, struct lane *lanes)
{
    for (struct lane *lane = lanes; lane && dev->nbusy < dev->limit; lane = lane->next) {
        if (lane->turn == TURN_NEW) {
            lane->turn = TURN_EARLY;
            dev->nbusy++;
            cpu_pool_run(dev, lane);
        }
    }
}

struct lane *cpu_turn_end(struct lane *lane)
{
    const bool held = lane->turn == TURN_HOLDS;
    struct cluster *cluster = cluster_of(lane);
    struct lane *next = held ? next_after(lane->dev, cluster, slot_of(lane)) : NULL;
    lane->dev->nbusy -= lane->turn == TURN_EARLY;
    lane->turn = TURN_NONE;
    if (next && next->turn == TURN_NEW) {
        give(cluster, next);
        lane->dev->nreserved--;
        return next;
    }
    if (held) {
        pass(lane);
    }
    return NULL;
}

bool cpu_turn_wanted(const struct device *dev, const struct cluster *cluster)
{
    const struct lane *lanes = &dev->lanes[3 * (cluster - dev->clusters)];
    return cluster->holder && (wants(&lanes[0]) || wants(&lanes[1]) || wants(&lanes[2]));
}

void cpu_turn_take_away(struct device *dev, struct cluster *cluster)
{
    struct lane *holder = cluster->holder;
    holder->turn = TURN_OUTSIDE;
    /* cpu_turn_point() looks the other way round: one of both sees what the other did. */
    if (atomic_load(&cluster->ncall) != cluster->seen_ncall) {
        holder->turn = TURN_HOLDS;
        return;
    }
    dev->turns_lost++;
    pass(holder);
}

void cpu_turn_point(struct lane *lane)
{
    atomic_fetch_add(&cluster_of(lane)->ncall, 1);
    if (lane->turn == TURN_HOLDS) {
        return;
    }
    pthread_mutex_lock(&lane->dev->lock);
    bool has = true;
    if (lane->turn == TURN_OUTSIDE || lane->turn == TURN_EARLY) {
        lane->dev->nbusy -= lane->turn == TURN_EARLY;
        lane->turn = TURN_READY;
        has = take_if_free(lane);
    }
    pthread_mutex_unlock(&lane->dev->lock);
    if (!has) {
        await_turn(lane);
    }
}

bool cpu_turn_yield(struct lane *lane)
{
    cpu_turn_point(lane);
    pthread_mutex_lock(&lane->dev->lock);
    const bool wanted = cpu_turn_wanted(lane->dev, cluster_of(lane));
    if (wanted) {
        stop_running(lane, TURN_READY);
    }
    pthread_mutex_unlock(&lane->dev->lock);
    if (wanted) {
        await_turn(lane);
    }
    return wanted;
}

void cpu_turn_offer(struct lane *lane)
{
    if (lane->hands_on) {
        cpu_turn_yield(lane);
    } else {
        cpu_turn_point(lane);
    }
}

void cpu_turn_leave(struct lane *lane)
{
    pthread_mutex_lock(&lane->dev->lock);
    stop_running(lane, TURN_AWAY);
    pthread_mutex_unlock(&lane->dev->lock);
}

void cpu_turn_back(struct lane *lane)
{
    pthread_mutex_lock(&lane->dev->lock);
    lane->turn = TURN_READY;
    const bool has = take_if_free(lane);
    pthread_mutex_unlock(&lane->dev->lock);
    if (!has) {
        await_turn(lane);
    }
}

/* A lane that waits for a condition variable can go on; when its turn comes, `let_on` is posted. */
static void notice(struct lane *lane)
{
    lane->cond = NULL;
    lane->dev->nwaiting--;
    lane->turn = TURN_READY;
    if (take_if_free(lane)) {
        sem_post(&lane->let_on);
    }
}

/* glibc, bits/thread-shared-types.h: bit 0 of __wrefs says that other processes may use it. */
static bool is_shared(const pthread_cond_t *cond)
{
    return cond->__data.__wrefs & 1;
}

static void await_signal(struct lane *lane, const pthread_cond_t *cond)
{
    if (!is_shared(cond)) {
        await_turn(lane);
        return;
    }
    const struct timespec until = clock_deadline(NOTICE_NS);
    int rc;
    while ((rc = sem_clockwait(&lane->let_on, CLOCK_MONOTONIC, &until)) && errno == EINTR) {
    }
    if (!rc) {
        return;
    }
    pthread_mutex_lock(&lane->dev->lock);
    if (lane->turn == TURN_AWAY) {
        notice(lane);
    }
    pthread_mutex_unlock(&lane->dev->lock);
    await_turn(lane);
}

int cpu_turn_wait(struct lane *lane, const pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    struct device *dev = lane->dev;
    pthread_mutex_lock(&dev->lock);
    dev->nwaiting++; /* before others can have the mutex: cpu_turn_signal() looks at it without the lock */
    const int rc = pthread_mutex_unlock(mutex);
    if (!rc) {
        lane->cond = cond;
        stop_running(lane, TURN_AWAY);
    } else {
        dev->nwaiting--;
    }
    pthread_mutex_unlock(&dev->lock);
    if (!rc) {
        await_signal(lane, cond);
    }
    return rc;
}

void cpu_turn_signal(const void *cond)
{
    struct device *dev = signalled;
    if (!dev || !dev->nwaiting) {
        return;
    }
    pthread_mutex_lock(&dev->lock);
    for (int i = 0; i < CPU_LANES; i++) {
        if (dev->lanes[i].turn == TURN_AWAY && dev->lanes[i].cond == cond) {
            notice(&dev->lanes[i]);
        }
    }
    pthread_mutex_unlock(&dev->lock);
}

void cpu_turn_device(struct device *dev)
{
    signalled = dev;
}
