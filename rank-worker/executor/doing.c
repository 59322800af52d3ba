#include "rank-worker/executor/doing.h"

#include <pthread.h>
#include <signal.h>

enum { STACK_SIZE = 512 * 1024 };

static struct {
    pthread_mutex_t lock;
    struct segment_lane *status;
    futex_word *ask;
    struct card *card; /* NULL: there is none any more */
} asked = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *answer(void *unused)
{
    (void)unused;
    word_wait(asked.ask);
    pthread_mutex_lock(&asked.lock);
    if (asked.card && card_describe(asked.card, asked.status->doing, sizeof asked.status->doing)) {
        atomic_store_explicit(&asked.status->answered, 1, memory_order_release);
    }
    pthread_mutex_unlock(&asked.lock);
    return NULL;
}

void doing_start(const struct segment *seg, uint32_t lane, struct card *card)
{
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_t thread;

    if (pthread_attr_init(&attr) != 0) {
        return;
    }
    /* The thread may begin when main() has returned, and `seg` with it. What is mapped stays. */
    asked.status = lane_status(seg, lane);
    asked.ask = &seg->common->ask;
    asked.card = card;
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that runs kernels */
    if (pthread_create(&thread, &attr, answer, NULL) == 0) {
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
}

void doing_stop(void)
{
    pthread_mutex_lock(&asked.lock);
    asked.card = NULL;
    pthread_mutex_unlock(&asked.lock);
}
