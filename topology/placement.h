/*
 * placement - which process runs which cards, and which cores an executor gets.
 *
 * Pure arithmetic: every process computes the same answer for itself and for all others.
 */
#ifndef L3R_TOPOLOGY_PLACEMENT_H
#define L3R_TOPOLOGY_PLACEMENT_H

#include <stdint.h>

/* Cards first .. first + count - 1 of `world` belong to process `rank` of `nproc`: blocks in order, the first
 * world % nproc processes one card more. With more processes than cards the last ones get none (count 0, first
 * = world). */
void placement_block(uint32_t world, uint32_t nproc, uint32_t rank, uint32_t *first, uint32_t *count);

/* The process that card `card` belongs to under placement_block(). */
uint32_t placement_owner(uint32_t world, uint32_t nproc, uint32_t card);

/* Cores that each of `cards` executors which share `cores` cores may keep busy, >= 1. */
int placement_cores_per_card(int cores, int cards);

/* Entries first .. first + count - 1 of a list of `ncore` cores (topology_cpus()) are for executor `index` of
 * `nexecutor` alone. With fewer cores than executors nobody is bound: count 0. */
void placement_share(int ncore, int nexecutor, int index, int *first, int *count);

#endif
