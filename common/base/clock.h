/* clock - time since an arbitrary start, the same for all processes of one host. */
#ifndef L3R_COMMON_BASE_CLOCK_H
#define L3R_COMMON_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* In whole milliseconds: for limits of waits. */
static inline int64_t clock_now_ms(void)
{
    return (int64_t)(clock_now_ns() / 1000000u);
}

#endif
