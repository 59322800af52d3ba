/* The exchange of tile_order.h over PTO-ISA's pipe for both directions, two slots, no split. */
#include <cstdint>
#include <pto/pto-inst.hpp>

#include "intrinsic.h"
#include "tensor.h"

#include "mixed.h"
#include "order_exchange.h"

using namespace pto;

using Fifo = TPipe<1, Direction::DIR_BOTH, ORDER_SIDE * ORDER_SIDE * sizeof(float), 2>;
#if LANE == 0
using Own = Tile<TileType::Mat, float, ORDER_SIDE, ORDER_SIDE>;
#else
using Own = Tile<TileType::Vec, float, ORDER_SIDE, ORDER_SIDE, BLayout::RowMajor, ORDER_SIDE, ORDER_SIDE>;
#endif

extern "C" void kernel_entry(int64_t *args)
{
    uint64_t *results = reinterpret_cast<uint64_t *>(args[KERNEL_MEMORY]) + 3 * get_block_idx(args);
    Fifo pipe(static_cast<__gm__ void *>(nullptr), 0x0, 0x8000);
    Own sent, received;

    TASSIGN(sent, 0x0);
    TASSIGN(received, 0x4000);
    results[LANE] = order_exchange(
        [&](uint32_t value) {
            for (int i = 0; i < ORDER_SIDE * ORDER_SIDE; i++) {
                sent.data()[i] = static_cast<float>(value);
            }
            TPUSH<Fifo, Own, TileSplitAxis::TILE_NO_SPLIT>(pipe, sent);
        },
        [&] {
            TPOP<Fifo, Own, TileSplitAxis::TILE_NO_SPLIT>(pipe, received);
            TFREE<Fifo, TileSplitAxis::TILE_NO_SPLIT>(pipe);
            return static_cast<uint32_t>(received.data()[0]);
        });
}
