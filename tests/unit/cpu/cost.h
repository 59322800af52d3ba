/*
 * cost - what the kernels of bench_mixed.c do, read by C and C++.
 */
#ifndef L3R_TESTS_UNIT_CPU_COST_H
#define L3R_TESTS_UNIT_CPU_COST_H

enum cost_op {
    COST_NOTHING,
    COST_PING_PONG,      /* COST_TILES tiles of 1 KB there and back between aic and aiv0 */
    COST_PING_PONG_BOTH, /* the same, over a pipe that says it is for both directions */
    COST_COMPUTE,        /* A rounds of a multiplication that waits for the one before */
};
enum { COST_TILES = 16 };

#endif
