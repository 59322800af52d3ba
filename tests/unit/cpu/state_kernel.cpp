/* A kernel that leaves something in the memory of its pipes; -DLANE=0, 1 or 2. */
#include <cstring>

#include "intrinsic.h"

#include "hand_pipe.h"
#include "mixed.h"
#include "state.h"

using Pipe = HandPipe<4, 4>;

/* Bytes of a key of its own: how many were set when the block began, then when it looked again. */
static void look_at_bytes(struct state_lane *seen)
{
    const uint64_t keys[STATE_KEYS] = {4 + LANE, 3ull << 48 | (4 + LANE)};

    for (int look = 0; look < 2; look++) {
        for (int k = 0; k < STATE_KEYS; k++) {
            unsigned char *bytes = static_cast<unsigned char *>(pto_sim_get_pipe_shared_state(keys[k], STATE_BYTES));
            for (int i = 0; i < STATE_BYTES; i++) {
                seen->set[look] += bytes[i] != 0;
            }
            seen->place[k] = reinterpret_cast<uintptr_t>(bytes);
            memset(bytes, 0xff, STATE_BYTES);
        }
    }
}

/* aic pushes two tiles of its block's number, aiv0 pops one of them. */
static void leave_a_tile(struct state_lane *seen, uint32_t block)
{
    uint32_t tile[16];

    if (LANE == 0) {
        for (uint32_t &word : tile) {
            word = block;
        }
        cluster_state<Pipe>(1).push(Way::TO_VECTOR, tile);
        cluster_state<Pipe>(1).push(Way::TO_VECTOR, tile);
    } else if (LANE == 1) {
        cluster_state<Pipe>(1).pop(Way::TO_VECTOR, tile);
        cluster_state<Pipe>(1).free();
        seen->popped = tile[0];
    }
}

extern "C" void kernel_entry(int64_t *args)
{
    const int64_t block = args[KERNEL_TASK] * get_block_num(args) + get_block_idx(args);
    struct state_lane *seen = reinterpret_cast<struct state_lane *>(args[KERNEL_MEMORY]) + 3 * block + LANE;

    look_at_bytes(seen);
    leave_a_tile(seen, static_cast<uint32_t>(block));
}
