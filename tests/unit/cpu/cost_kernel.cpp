/* Kernels of bench_mixed.c; -DLANE=0, 1 or 2. */
#include "cost.h"
#include "hand_pipe.h"
#include "mixed.h"

using Pipe = HandPipe<16, 16>;

/* Bits 48 and 49: both directions, as in PTO-ISA's keys. */
enum : uint64_t { KEY = 1, KEY_BOTH = 3ull << 48 | 1 };

static void ping_pong(uint64_t key)
{
    Pipe &pipe = cluster_state<Pipe>(key);
    uint32_t tile[256] = {};
    for (int i = 0; i < COST_TILES; i++) {
        if (LANE == 0) {
            pipe.push(Way::TO_VECTOR, tile);
            pipe.pop(Way::TO_CUBE, tile);
            pipe.free();
        } else if (LANE == 1) {
            pipe.pop(Way::TO_VECTOR, tile);
            pipe.free();
            pipe.push(Way::TO_CUBE, tile);
        }
    }
}

extern "C" void kernel_entry(int64_t *args)
{
    if (args[KERNEL_OP] == COST_PING_PONG) {
        ping_pong(KEY);
    } else if (args[KERNEL_OP] == COST_PING_PONG_BOTH) {
        ping_pong(KEY_BOTH);
    } else if (args[KERNEL_OP] == COST_COMPUTE) {
        uint64_t x = static_cast<uint64_t>(args[KERNEL_TASK]);
        for (int64_t i = 0; i < args[KERNEL_A]; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            asm volatile("" : "+r"(x));
        }
    }
}
