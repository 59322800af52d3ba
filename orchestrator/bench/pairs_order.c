#include "orchestrator/bench/pairs_order.h"

#include <stddef.h>

/* Pairs. A line of 64 bytes holds the words of 16 nodes, and a pair has an even number of rounds. */
enum { MIRROR = 8 };

/* Sebastiano Vigna's splitmix64. */
static uint64_t draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* `count` pairs. Where a round lies among the nodes decides how its words and times share lines of caches, which shows in
 * the times of short dispatches, and comes again after MIRROR pairs: there the order is the other one, so that it is the same
 * for both parts. */
uint64_t pairs_order(uint8_t *first, uint32_t count, uint64_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *pair = first + 2 * (size_t)i;

        pair[0] = i % (2 * MIRROR) < MIRROR ? draw(&seed) >> 63 : pair[1 - 2 * MIRROR];
        pair[1] = !pair[0];
    }
    return draw(&seed);
}
