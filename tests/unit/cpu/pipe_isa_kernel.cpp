/* The exchange of mixed.h over PTO-ISA's pipe; -DLANE=0, 1 or 2. The pipe takes both directions, two slots, no split. */
#include <cstdint>
#include <pto/pto-inst.hpp>

#include "intrinsic.h"
#include "tensor.h"

#include "hand_pipe.h" /* only what keeps the lanes in step */
#include "mixed.h"

using namespace pto;

using Fifo = TPipe<0, Direction::DIR_BOTH, PIPE_WORDS * sizeof(float), 2>;
#if LANE == 0
using Own = Tile<TileType::Mat, float, PIPE_ROWS, PIPE_COLS>;
#else
using Own = Tile<TileType::Vec, float, PIPE_ROWS, PIPE_COLS, BLayout::RowMajor, PIPE_ROWS, PIPE_COLS>;
#endif

static uint64_t sum_of(Own &tile)
{
    uint64_t sum = 0;
    for (int i = 0; i < PIPE_WORDS; i++) {
        sum += static_cast<uint64_t>(tile.data()[i]) * static_cast<uint64_t>(i + 1);
    }
    return sum;
}

static void receive(Fifo &pipe, Own &tile, Own &own)
{
    TPOP<Fifo, Own, TileSplitAxis::TILE_NO_SPLIT>(pipe, tile);
    TFREE<Fifo, TileSplitAxis::TILE_NO_SPLIT>(pipe);
    for (int i = 0; i < PIPE_WORDS; i++) {
        own.data()[i] =
            static_cast<float>(pipe_mix(static_cast<uint32_t>(own.data()[i]), static_cast<uint32_t>(tile.data()[i])));
    }
}

static void send(Fifo &pipe, Own &own)
{
    TPUSH<Fifo, Own, TileSplitAxis::TILE_NO_SPLIT>(pipe, own);
}

#if LANE == 0
static void exchange(Fifo &pipe, Steps &steps, Own &tile, Own &own)
{
    for (int i = 0; i < 2; i++) {
        send(pipe, own);
        steps.cube.add(1);
        steps.all.add(1);
    }
    for (int i = 0; i < PIPE_STEPS; i++) {
        receive(pipe, tile, own);
        send(pipe, own);
        steps.cube.add(1);
        steps.all.add(1);
    }
}
#elif LANE == 1
static void exchange(Fifo &pipe, Steps &steps, Own &tile, Own &own)
{
    receive(pipe, tile, own);
    for (int i = 0; i < PIPE_STEPS; i++) {
        steps.cube.wait(steps.cube_before + i + 2);
        send(pipe, own);
        steps.all.add(1);
        receive(pipe, tile, own);
    }
    receive(pipe, tile, own);
    steps.cube_before += PIPE_STEPS + 2;
}
#else /* the pipe leaves this lane out: what it pops is zero, and what it pushes goes nowhere */
static void exchange(Fifo &pipe, Steps &steps, Own &tile, Own &own)
{
    for (int i = 0; i < PIPE_PUSHES; i++) {
        steps.all.wait(steps.all_before + i + 1);
        send(pipe, own);
        TPOP<Fifo, Own, TileSplitAxis::TILE_NO_SPLIT>(pipe, tile);
        TFREE<Fifo, TileSplitAxis::TILE_NO_SPLIT>(pipe);
        for (int k = 0; k < PIPE_IDLE_MIXES * PIPE_WORDS; k++) {
            const uint32_t value = static_cast<uint32_t>(own.data()[k % PIPE_WORDS]);
            own.data()[k % PIPE_WORDS] = static_cast<float>(pipe_mix(value, value));
        }
    }
    steps.all_before += PIPE_PUSHES;
}
#endif

extern "C" void kernel_entry(int64_t *args)
{
    const uint32_t block = static_cast<uint32_t>(get_block_idx(args));
    uint64_t *sums = reinterpret_cast<uint64_t *>(args[KERNEL_MEMORY]) + 3 * block;
    Steps &steps = cluster_state<Steps>(2);
    Fifo pipe(static_cast<__gm__ void *>(nullptr), 0x0, 0x20000);
    Own tile, own;

    TASSIGN(tile, 0x0);
    TASSIGN(own, 0x10000);
    for (int i = 0; i < PIPE_WORDS; i++) {
        own.data()[i] = static_cast<float>(pipe_seed(block, LANE, static_cast<uint32_t>(i)));
    }
    exchange(pipe, steps, tile, own);
    sums[LANE] = sum_of(own);
}
