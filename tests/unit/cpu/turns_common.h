/*
 * turns_common - waits of libstdc++ for lanes of different kernel objects.
 */
#ifndef L3R_TESTS_UNIT_CPU_TURNS_COMMON_H
#define L3R_TESTS_UNIT_CPU_TURNS_COMMON_H

#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>

void turn_by_atomic(std::atomic<int> &turn, int rest); /* wait until turn % 3 == rest, then count it up */
void meet_at_barrier(std::barrier<> &barrier);
void meet_at_latch(std::latch &latch);
void pass_semaphore(std::counting_semaphore<> &own, std::counting_semaphore<> &next);

#endif
