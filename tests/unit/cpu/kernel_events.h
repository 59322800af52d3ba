/*
 * kernel_events - what the test kernels of the cpu device write down, read by C and C++.
 *
 * Times are numbers from one counter that all kernels share: of two, the smaller
 * happened first.
 */
#ifndef L3R_TESTS_UNIT_CPU_KERNEL_EVENTS_H
#define L3R_TESTS_UNIT_CPU_KERNEL_EVENTS_H

#include <stdint.h>

enum { EVENTS_TAGS = 64, EVENTS_FLAGS = 16 };

enum kernel_op {
    OP_NONE,
    OP_WAIT,   /* until flags[a] >= b */
    OP_SIGNAL, /* flags[a] += 1 */
    OP_MEET,   /* both: flags[a] += 1, then wait until it is >= b */
    OP_FILL,   /* tensor 0 = a */
    OP_COPY,   /* last tensor = tensor 0 + a */
    OP_ADD,    /* tensor 0 += a */
    OP_PIPE,   /* OP_MEET on a counter in the pipe state with key a */
};

struct event {
    int64_t start, end, count;              /* of the last call; how many calls */
    int64_t block, nblock, lane, hook_lane; /* as the kernel's context and PTO-ISA's hook see them */
    int64_t pipe;                           /* OP_PIPE: the counter at the end */
};

struct events {
    int64_t clock;
    int64_t flags[EVENTS_FLAGS];
    struct event tags[EVENTS_TAGS]; /* of block i: tag + i */
};

#endif
