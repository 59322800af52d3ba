/* The exchange of tile_order.h over a pipe written by hand: one ring for both directions, which each consumer searches
 * from its own place. With two slots a tile that is pushed too early is popped before an older one. */
#include "intrinsic.h"

#include "hand_pipe.h" /* cluster_state */
#include "mixed.h"
#include "order_exchange.h"

/* Bits 48 and 49: both directions, as in PTO-ISA's keys. */
static const uint64_t KEY = 3ull << 48 | 1;

class Ring
{
    enum { SLOTS = 2 };
    std::mutex mutex;
    std::condition_variable changed;
    Way ways[SLOTS] = {Way::NONE, Way::NONE};
    uint32_t values[SLOTS];
    int next = 0;
    int place[3] = {0, 0, 0}; /* by way */

    int find(Way way) const
    {
        for (int i = 0; i < SLOTS; i++) {
            const int slot = (place[static_cast<int>(way)] + i) % SLOTS;
            if (ways[slot] == way) {
                return slot;
            }
        }
        return -1;
    }

  public:
    void push(Way way, uint32_t value)
    {
        {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return ways[next] == Way::NONE; });
            values[next] = value;
            ways[next] = way;
            next = (next + 1) % SLOTS;
        }
        changed.notify_all();
    }

    uint32_t pop(Way way)
    {
        uint32_t value;
        {
            int slot = -1;
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [&] { return (slot = find(way)) >= 0; });
            value = values[slot];
            ways[slot] = Way::NONE;
            place[static_cast<int>(way)] = (slot + 1) % SLOTS;
        }
        changed.notify_all();
        return value;
    }
};

extern "C" void kernel_entry(int64_t *args)
{
    const Way out = LANE == 0 ? Way::TO_VECTOR : Way::TO_CUBE, in = LANE == 0 ? Way::TO_CUBE : Way::TO_VECTOR;
    uint64_t *results = reinterpret_cast<uint64_t *>(args[KERNEL_MEMORY]) + 3 * get_block_idx(args);

    results[LANE] = order_exchange([&](uint32_t value) { cluster_state<Ring>(KEY).push(out, value); },
                                   [&] { return cluster_state<Ring>(KEY).pop(in); });
}
