#include "topology/placement.h"

void placement_block(uint32_t world, uint32_t nproc, uint32_t rank, uint32_t *first, uint32_t *count)
{
    uint32_t each = world / nproc, more = world % nproc;

    *count = each + (rank < more ? 1 : 0);
    *first = rank * each + (rank < more ? rank : more);
}

uint32_t placement_owner(uint32_t world, uint32_t nproc, uint32_t card)
{
    uint32_t each = world / nproc, more = world % nproc;
    uint32_t in_long_blocks = more * (each + 1);

    return card < in_long_blocks ? card / (each + 1) : more + (card - in_long_blocks) / each;
}

int placement_cores_per_card(int cores, int cards)
{
    return cards > 0 && cores > cards ? cores / cards : 1;
}

void placement_share(int ncore, int nexecutor, int index, int *first, int *count)
{
    uint32_t begin = 0, n = 0;

    if (nexecutor > 0 && ncore >= nexecutor) {
        placement_block((uint32_t)ncore, (uint32_t)nexecutor, (uint32_t)index, &begin, &n);
    }
    *first = (int)begin;
    *count = (int)n;
}
