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

/* That time `ns` nanoseconds from now, as functions of pthread and sem take it with CLOCK_MONOTONIC. */
static inline struct timespec clock_deadline(uint64_t ns)
{
    uint64_t at = clock_now_ns() + ns;

    return (struct timespec){.tv_sec = (time_t)(at / 1000000000u), .tv_nsec = (long)(at % 1000000000u)};
}

/* In whole milliseconds: for limits of waits. */
static inline int64_t clock_now_ms(void)
{
    return (int64_t)(clock_now_ns() / 1000000u);
}

#endif
