/*
 * pace - what pace_kernel.cpp does: lanes that go on at different paces. Read by C and C++.
 */
#ifndef L3R_TESTS_UNIT_CPU_PACE_H
#define L3R_TESTS_UNIT_CPU_PACE_H

#include <stdint.h>

enum pace_op {
    PACE_EXCHANGE, /* aic and aiv0 exchange PACE_TILES tiles; lane A computes PACE_LONG_NS without a call meanwhile */
    PACE_READ,     /* aic reads from file descriptor A, to whose other end B aiv0 writes */
    PACE_ORDER,    /* each lane computes for a time that differs by lane and A; then lanes note their turns */
};

enum { PACE_TILES = 40, PACE_STEPS = 6, PACE_LONG_NS = 100000000, PACE_SHORT_NS = 300000, PACE_BYTE = 42 };

/* MIXED_MEMORY */
struct pace_memory {
    int64_t right[2];            /* PACE_EXCHANGE: tiles that held what was pushed, by lane */
    int64_t byte;                /* PACE_READ: what aic read */
    uint8_t log[3 * PACE_STEPS]; /* PACE_ORDER: lanes in the order of their turns */
};

#endif
