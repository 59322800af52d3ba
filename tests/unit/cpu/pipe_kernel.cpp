/* The exchange of mixed.h over a HandPipe; -DLANE=0, 1 or 2. aiv1 keeps step with the others and moves nothing. */
#include "intrinsic.h"

#include "hand_pipe.h"
#include "mixed.h"

using Pipe = HandPipe<PIPE_WORDS>;

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

static void cube(Pipe &pipe, Counter &sent, uint32_t *own)
{
    pipe.push(Way::TO_VECTOR, own);
    pipe.push(Way::TO_VECTOR, own);
    sent.add(2);
    for (int i = 0; i < PIPE_STEPS; i++) {
        receive(pipe, Way::TO_CUBE, own);
        pipe.push(Way::TO_VECTOR, own);
        sent.add(1);
    }
}

static void vector(Pipe &pipe, Counter &sent, int64_t before, uint32_t *own)
{
    receive(pipe, Way::TO_VECTOR, own);
    for (int i = 0; i < PIPE_STEPS; i++) {
        sent.wait(before + i + 2);
        pipe.push(Way::TO_CUBE, own);
        receive(pipe, Way::TO_VECTOR, own);
    }
    receive(pipe, Way::TO_VECTOR, own);
}

extern "C" void kernel_entry(int64_t *args)
{
    const uint32_t block = static_cast<uint32_t>(get_block_idx(args));
    uint64_t *sums = reinterpret_cast<uint64_t *>(args[KERNEL_MEMORY]) + 2 * block;
    Pipe &pipe = cluster_state<Pipe>(1);
    Counter &sent = cluster_state<Counter>(2);
    int64_t &blocks = cluster_state<int64_t>(3);
    uint32_t own[PIPE_WORDS];

    for (int i = 0; i < PIPE_WORDS; i++) {
        own[i] = pipe_seed(block, LANE, static_cast<uint32_t>(i));
    }
#if LANE == 0
    cube(pipe, sent, own);
    sums[0] = sum_of(own);
#elif LANE == 1
    vector(pipe, sent, blocks, own);
    blocks += PIPE_STEPS + 2; /* what the counter says when the next block of this cluster begins */
    sums[1] = sum_of(own);
#endif
}
