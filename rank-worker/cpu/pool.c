#include "rank-worker/cpu/pool.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "rank-worker/cpu/libc.h"
#include "rank-worker/cpu/state/fatal.h"

enum { STACK_SIZE = 16 << 20 };

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

void cpu_pool_wake(struct thread *t, struct lane *lane)
{
    t->lane = lane;
    t->woken = true;
    cpu_wake(&t->cond);
}

static void push_idle(struct thread *t)
{
    t->next_idle = t->dev->idle;
    t->dev->idle = t;
    t->dev->nidle++;
}

static struct thread *pop_idle(struct device *dev)
{
    struct thread *t = dev->idle;
    dev->idle = t->next_idle;
    dev->nidle--;
    return t;
}

int cpu_pool_spare(struct device *dev, int n)
{
    while (dev->nidle - dev->nreserved < n) {
        if (dev->nthread == CPU_THREADS) {
            return EAGAIN;
        }
        struct thread *t = &dev->threads[dev->nthread];
        t->woken = false;
        const int rc = create(&t->id, dev->serve, t);
        if (rc) {
            return rc;
        }
        dev->nthread++;
        push_idle(t);
    }
    return 0;
}

bool cpu_pool_look(struct device *dev)
{
    if (dev->main_idle) {
        dev->main_idle = false;
        cpu_pool_wake(&dev->main, NULL);
        return true;
    }
    /* More than one a lane would find nothing. */
    if (dev->nlooking == CPU_LANES || cpu_pool_spare(dev, 1)) {
        return false;
    }
    struct thread *t = pop_idle(dev);
    t->looking = true;
    dev->nlooking++;
    cpu_pool_wake(t, NULL);
    return true;
}

void cpu_pool_run(struct device *dev, struct lane *lane)
{
    dev->nreserved--;
    cpu_pool_wake(pop_idle(dev), lane);
}

void cpu_pool_wait(struct device *dev, struct thread *self)
{
    while (!self->woken && !dev->quit) {
        pthread_cond_wait(&self->cond, &dev->lock);
    }
    self->woken = false;
    if (self->looking) {
        self->looking = false;
        dev->nlooking--;
    }
}

void cpu_pool_park(struct device *dev, struct thread *self)
{
    push_idle(self);
    cpu_pool_wait(dev, self);
}

void cpu_pool_arm_monitor(struct device *dev)
{
    if (dev->armed) {
        return;
    }
    if (!dev->monitor_running) {
        const int rc = create(&dev->monitor, dev->watch, dev);
        if (rc) {
            dev->refused = true;
            cpu_fatal(dev, 0, "the system gives no thread: %s", strerror(rc));
            return;
        }
        dev->monitor_running = true;
    }
    dev->armed = true;
    cpu_wake(&dev->monitor_cond);
}
