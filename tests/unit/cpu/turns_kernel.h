/*
 * turns_kernel - what turns_kernel.cpp does, read by C and C++.
 */
#ifndef L3R_TESTS_UNIT_CPU_TURNS_KERNEL_H
#define L3R_TESTS_UNIT_CPU_TURNS_KERNEL_H

#include <pthread.h>
#include <stdint.h>

/* Ways to wait: the three lanes of a block go on one after the other, aiv1 first, TURNS_ROUNDS times. */
#define TURNS_WAYS(X)                                                                                                  \
    X(CONDITION_WAIT)                                                                                                  \
    X(CONDITION_WAIT_FOR)                                                                                              \
    X(CONDITION_WAIT_UNTIL)                                                                                            \
    X(MUTEX_HELD_OVER_YIELD)                                                                                           \
    X(SCHED_YIELD)                                                                                                     \
    X(THREAD_YIELD)                                                                                                    \
    X(SLEEP_FOR)                                                                                                       \
    X(USLEEP)                                                                                                          \
    X(NANOSLEEP)                                                                                                       \
    X(CLOCK_NANOSLEEP)                                                                                                 \
    X(ATOMIC_WAIT)                                                                                                     \
    X(STD_BARRIER)                                                                                                     \
    X(STD_LATCH)                                                                                                       \
    X(STD_SEMAPHORE)                                                                                                   \
    X(PTHREAD_BARRIER)                                                                                                 \
    X(SEM_WAIT)                                                                                                        \
    X(PTHREAD_JOIN)                                                                                                    \
    X(SPIN)

#define TURNS_NAME(name) TURNS_##name,
enum turns_op {
    TURNS_WAYS(TURNS_NAME) TURNS_NWAY,
    TURNS_LOG = TURNS_NWAY, /* lanes write their number down at each step, and wait for another to do so */
    TURNS_YIELD_LOG,        /* lanes write their number down at each step, and yield */
    TURNS_SIGNAL,           /* aic waits once, without a condition; aiv0 signals after 0.2 s. done[0]: what aic found */
    TURNS_ALL,              /* all lanes of all blocks wait for each other by a condition variable */
    TURNS_COUNT,            /* counts the task as done */
    TURNS_PEER,             /* lanes wait for those of block (last - own) on the other card; A: own card, B: run */
};

enum { TURNS_ROUNDS = 20, TURNS_STEPS = 16, TURNS_LANES = 24 };

struct turns_memory {
    int64_t done[3];              /* rounds that each lane went through */
    uint8_t log[3 * TURNS_STEPS]; /* TURNS_LOG */
    pthread_mutex_t lock;         /* TURNS_ALL */
    pthread_cond_t changed;
    int64_t arrived, counted;
    int64_t flags[2][TURNS_LANES]; /* TURNS_PEER: [card][3 * block + lane], number of runs */
};

#endif
