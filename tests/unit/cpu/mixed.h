/*
 * mixed - what orchestration and kernels of mixed tasks get, read by C and C++.
 *
 * mixed_graph.cpp submits tasks whose lanes are kernels 0 (aic), 1 (aiv0) and 2 (aiv1); each of them gets the scalars
 * of enum kernel_arg and no tensors.
 */
#ifndef L3R_TESTS_UNIT_CPU_MIXED_H
#define L3R_TESTS_UNIT_CPU_MIXED_H

#include <stdint.h>

/* Scalars of the dispatch. */
enum mixed_arg {
    MIXED_MEMORY, /* address that all kernels get */
    MIXED_OP,     /* what the kernels do; they say which numbers there are */
    MIXED_A,
    MIXED_B,
    MIXED_LANES,  /* 1: aic, 2: aiv0, 4: aiv1 */
    MIXED_BLOCKS, /* of each task */
    MIXED_TASKS,
    MIXED_CHAIN, /* 1: each task waits for the one before */
    MIXED_LATER, /* single-lane tasks of kernel 1 after these, with op MIXED_LATER_OP */
    MIXED_LATER_OP,
    MIXED_ARGS
};

/* Scalars of a kernel. */
enum kernel_arg { KERNEL_MEMORY, KERNEL_OP, KERNEL_A, KERNEL_B, KERNEL_TASK };

/* pipe_kernel.cpp and pipe_isa_kernel.cpp: aic and aiv0 exchange tiles of ROWS x COLS over one pipe of two slots.
 *
 *   aic  has a = seed(block, 0); pushes a twice; then PIPE_STEPS times: pops t, a = mix(a, t), pushes a.
 *   aiv0 has v = seed(block, 1); pops t and mixes it into v; then PIPE_STEPS times: pushes v, pops t, v = mix(v, t).
 *   aiv0 pops the last tile that is left. aiv1 mixes w = seed(block, 2) with itself PIPE_IDLE_MIXES times for each push
 *   of the others, when it hears of it. Memory: sums over a, v and w of each block,
 *   uint64_t[blocks][3].
 */
enum {
    PIPE_ROWS = 128,
    PIPE_COLS = 128,
    PIPE_WORDS = PIPE_ROWS * PIPE_COLS,
    PIPE_STEPS = 6,
    PIPE_IDLE_MIXES = 1,
    PIPE_PUSHES = 2 * PIPE_STEPS + 2
};

static inline uint32_t pipe_seed(uint32_t block, uint32_t lane, uint32_t i)
{
    return (block * 7919 + lane * 104729 + i * 31) & 0xffff;
}

/* Fits into the 24 bits of a float, 3 * 0xffff + 0xffff + 1. */
static inline uint32_t pipe_mix(uint32_t own, uint32_t received)
{
    return (3 * own + received + 1) & 0xffff;
}

#endif
