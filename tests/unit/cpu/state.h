/*
 * state - what state_kernel.cpp finds in the memory of its pipes, read by C and C++.
 *
 * Memory: struct state_lane[tasks * blocks][3].
 */
#ifndef L3R_TESTS_UNIT_CPU_STATE_H
#define L3R_TESTS_UNIT_CPU_STATE_H

#include <stdint.h>

/* Each lane has a key for one direction and one for both, of STATE_BYTES each, and sets all bytes. */
enum { STATE_KEYS = 2, STATE_BYTES = 4096 };

struct state_lane {
    uint64_t set[2];            /* bytes that were not zero: as the block began, and after it had set them */
    uint64_t place[STATE_KEYS]; /* address of the bytes */
    uint64_t popped;            /* aiv0: the tile of its own block's aic, of two that this pushes */
};

#endif
