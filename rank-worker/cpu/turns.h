/*
 * turns - the lanes of a mixed block run one at a time.
 *
 * The lanes of a mixed block (one aic, one or two aiv kernels on one cluster) hand
 * tiles to each other. On the device they run at the same pace; code of PTO-ISA
 * relies on that: it claims a slot of a pipe under a lock and copies the tile after
 * it. Where lanes outnumber cores, a lane may be descheduled in between for
 * milliseconds, and another frees the slot under it. So one lane of a cluster has
 * the turn, and gives it up only where its kernel blocks: to the next in the order
 * aic, aiv0, aiv1, aic, ... that can go on. Clusters run side by side.
 *
 * A pipe for both directions is no queue in PTO-ISA: where a lane pushes twice before
 * the other has popped once, the newer tile may be taken first. So a lane that uses
 * one hands the turn on whenever it signals a condition variable, as it does after
 * each push.
 *
 * States of a lane (enum turn):
 *
 *   NEW -> HOLDS              its kernel is started when its turn comes, by the thread whose lane ended or a reserved one
 *   NEW -> EARLY              there are cores to spare: its kernel runs beside the holder up to its first call
 *   EARLY -> READY, HOLDS     it made that call; or its turn came before, as it would have come to a new lane
 *   HOLDS -> READY            it signalled after an operation on a pipe for both directions, and another can go on
 *   HOLDS -> AWAY             the kernel blocks (waits.c)
 *   AWAY -> READY             what it waited for has happened
 *   READY -> HOLDS            its turn comes
 *   HOLDS -> OUTSIDE          it used CPU_SPIN_NS without a call, or sleeps where no wake-up is seen: it may wait for a
 *                             lane after it by looking at memory. It runs on, and the turn goes to the next
 *   OUTSIDE -> READY          it makes a call: no pipe operation without the turn
 *   HOLDS, OUTSIDE, EARLY -> NONE    its kernel returned
 *
 * docs/formats.md, "Threads of the cpu device"; docs/decisions.md says which state of PTO-ISA depends on it.
 */
#ifndef L3R_CPU_TURNS_H
#define L3R_CPU_TURNS_H

#include "rank-worker/cpu/state/device_state.h"

/* Under the lock. `lane` begins: with the turn (the first of its block), or in TURN_NEW. */
void cpu_turn_begin(struct lane *lane, bool first);

/* Under the lock. Lanes of the list in TURN_NEW for which there are cores start beside the holder. */
void cpu_turn_start_early(struct device *dev, struct lane *lanes);

/* Under the lock. The kernel of `lane` returned. Returns the lane in TURN_NEW that the calling thread must run next, or
 * NULL. */
struct lane *cpu_turn_end(struct lane *lane);

/* Under the lock. The holder of a cluster loses the turn to the next lane that wants it. */
void cpu_turn_take_away(struct device *dev, struct cluster *cluster);

/* Under the lock: somebody but the holder could run. */
bool cpu_turn_wanted(const struct device *dev, const struct cluster *cluster);

/* From the thread of `lane`, between cpu_lane_enter() and cpu_lane_return(), without the lock.
 *
 * point: the kernel made a call; returns when it has the turn.
 * offer: the same, for a call that signalled: another lane may have the turn before.
 * leave, back: around something that blocks.
 * yield: the other lanes that want the turn have it before; false: none did.
 * wait: unlock `mutex` and give up the turn until `cond` is signalled; where other processes may signal it too, for at
 *       most 50 ms. Returns with the turn and without the mutex: 0, or the errno of unlocking it. */
void cpu_turn_point(struct lane *lane);
void cpu_turn_offer(struct lane *lane);
bool cpu_turn_yield(struct lane *lane);
void cpu_turn_leave(struct lane *lane);
void cpu_turn_back(struct lane *lane);
int cpu_turn_wait(struct lane *lane, const pthread_cond_t *cond, pthread_mutex_t *mutex);

/* From any thread, without the lock: lanes that wait for `cond` can go on. */
void cpu_turn_signal(const void *cond);

/* The device whose dispatch is under way, if lanes take turns on it; else NULL. */
void cpu_turn_device(struct device *dev);

#endif
