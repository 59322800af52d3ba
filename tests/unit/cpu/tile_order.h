/*
 * tile_order - what order_kernel.cpp and order_isa_kernel.cpp exchange, over one pipe for both directions with two
 * slots.
 *
 *   aic  pushes q(0); for each i pops p(i), pushes r(i), pushes q(i + 1) unless it was the last.
 *   aiv0 for each i pops q(i), pushes p(i), pops r(i).
 *
 * That is the order of attention kernels. A lane's result is order_mix() over what it popped, from 0; aiv1 has 0.
 * Memory: uint64_t[blocks][3].
 */
#ifndef L3R_TESTS_UNIT_CPU_TILE_ORDER_H
#define L3R_TESTS_UNIT_CPU_TILE_ORDER_H

#include <stdint.h>

enum { ORDER_TOKENS = 6, ORDER_SIDE = 16 };

static inline uint32_t order_q(int i)
{
    return 100u + (uint32_t)i;
}

static inline uint32_t order_p(int i)
{
    return 200u + (uint32_t)i;
}

static inline uint32_t order_r(int i)
{
    return 300u + (uint32_t)i;
}

static inline uint64_t order_mix(uint64_t so_far, uint32_t popped)
{
    return so_far * 1009 + popped;
}

#endif
