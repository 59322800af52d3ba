/*
 * futex - waiting on one word of shared memory.
 *
 * A completion word has three values. A waiter announces itself in the word
 * before it sleeps, so the process that completes it makes a system call only when
 * somebody sleeps there: an uncontended hand-over costs one atomic exchange.
 */
#ifndef L3R_COMMON_SEGMENT_FUTEX_H
#define L3R_COMMON_SEGMENT_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum word_state { WORD_PENDING = 0, WORD_AWAITED = 1, WORD_DONE = 2 };

typedef _Atomic uint32_t futex_word;

/* Sleep while *word is `value`; returns on a wake, a signal or a changed value: callers loop. */
static inline void futex_wait(futex_word *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static inline void futex_wake_all(futex_word *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static inline int word_is_done(const futex_word *word)
{
    return atomic_load_explicit(word, memory_order_acquire) == WORD_DONE;
}

/* Sleep until the word is done. What the completer wrote before word_complete() is then visible. */
static inline void word_wait(futex_word *word)
{
    uint32_t seen = atomic_load_explicit(word, memory_order_acquire);

    while (seen != WORD_DONE) {
        if (seen == WORD_PENDING && !atomic_compare_exchange_strong_explicit(
                                        word, &seen, WORD_AWAITED, memory_order_acquire, memory_order_acquire)) {
            continue;
        }
        futex_wait(word, WORD_AWAITED);
        seen = atomic_load_explicit(word, memory_order_acquire);
    }
}

/* The same for at most `ms` milliseconds (below 1000); returns whether the word is done. */
static inline int word_wait_ms(futex_word *word, long ms)
{
    const struct timespec limit = {.tv_nsec = ms * 1000000};
    uint32_t seen = WORD_PENDING;

    if (atomic_compare_exchange_strong_explicit(word, &seen, WORD_AWAITED, memory_order_acquire,
                                                memory_order_acquire) ||
        seen == WORD_AWAITED) {
        syscall(SYS_futex, word, FUTEX_WAIT, WORD_AWAITED, &limit, NULL, 0);
    }
    return word_is_done(word);
}

/* Mark done and wake every waiter. */
static inline void word_complete(futex_word *word)
{
    if (atomic_exchange_explicit(word, WORD_DONE, memory_order_acq_rel) == WORD_AWAITED) {
        futex_wake_all(word);
    }
}

#endif
