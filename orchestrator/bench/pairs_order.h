/* pairs_order - which of two comes first in each of many pairs, drawn by a seed. */
#ifndef L3R_ORCHESTRATOR_BENCH_PAIRS_ORDER_H
#define L3R_ORCHESTRATOR_BENCH_PAIRS_ORDER_H

#include <stdint.h>

/* Fill `first`, two entries a pair: 0 and 1 in either order. Returns a seed for the next pairs. */
uint64_t pairs_order(uint8_t *first, uint32_t count, uint64_t seed);

#endif
