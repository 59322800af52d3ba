/* The exchange of mixed.h over a HandPipe; -DLANE=0, 1 or 2. */
#include "intrinsic.h"

#include "hand_pipe.h"
#include "mixed.h"

using Pipe = HandPipe<PIPE_ROWS, PIPE_COLS>;

static uint64_t sum_of(const uint32_t *words)
{
    uint64_t sum = 0;
    for (int i = 0; i < PIPE_WORDS; i++) {
        sum += static_cast<uint64_t>(words[i]) * static_cast<uint64_t>(i + 1);
    }
    return sum;
}

static void receive(Pipe &pipe, Way way, uint32_t *own)
{
    uint32_t tile[PIPE_WORDS];
    pipe.pop(way, tile);
    pipe.free();
    for (int i = 0; i < PIPE_WORDS; i++) {
        own[i] = pipe_mix(own[i], tile[i]);
    }
}

static void cube(Pipe &pipe, Steps &steps, uint32_t *own)
{
    for (int i = 0; i < 2; i++) {
        pipe.push(Way::TO_VECTOR, own);
        steps.cube.add(1);
        steps.all.add(1);
    }
    for (int i = 0; i < PIPE_STEPS; i++) {
        receive(pipe, Way::TO_CUBE, own);
        pipe.push(Way::TO_VECTOR, own);
        steps.cube.add(1);
        steps.all.add(1);
    }
}

static void vector(Pipe &pipe, Steps &steps, uint32_t *own)
{
    receive(pipe, Way::TO_VECTOR, own);
    for (int i = 0; i < PIPE_STEPS; i++) {
        steps.cube.wait(steps.cube_before + i + 2);
        pipe.push(Way::TO_CUBE, own);
        steps.all.add(1);
        receive(pipe, Way::TO_VECTOR, own);
    }
    receive(pipe, Way::TO_VECTOR, own);
    steps.cube_before += PIPE_STEPS + 2;
}

static void beside(Steps &steps, uint32_t *own)
{
    for (int i = 0; i < PIPE_PUSHES; i++) {
        steps.all.wait(steps.all_before + i + 1);
        for (int k = 0; k < PIPE_IDLE_MIXES * PIPE_WORDS; k++) {
            own[k % PIPE_WORDS] = pipe_mix(own[k % PIPE_WORDS], own[k % PIPE_WORDS]);
        }
    }
    steps.all_before += PIPE_PUSHES;
}

extern "C" void kernel_entry(int64_t *args)
{
    const uint32_t block = static_cast<uint32_t>(get_block_idx(args));
    uint64_t *sums = reinterpret_cast<uint64_t *>(args[KERNEL_MEMORY]) + 3 * block;
    Pipe &pipe = cluster_state<Pipe>(1);
    Steps &steps = cluster_state<Steps>(2);
    uint32_t own[PIPE_WORDS];

    for (int i = 0; i < PIPE_WORDS; i++) {
        own[i] = pipe_seed(block, LANE, static_cast<uint32_t>(i));
    }
    if (LANE == 0) {
        cube(pipe, steps, own);
    } else if (LANE == 1) {
        vector(pipe, steps, own);
    } else {
        beside(steps, own);
    }
    sums[LANE] = sum_of(own);
}
