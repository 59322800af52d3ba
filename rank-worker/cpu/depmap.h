/*
 * depmap - which task wrote which part of which buffer last.
 */
#ifndef L3R_CPU_DEPMAP_H
#define L3R_CPU_DEPMAP_H

#include "rank-worker/cpu/state/device_state.h"

struct depmap *cpu_depmap_new(void);
void cpu_depmap_free(struct depmap *map);
void cpu_depmap_reset(struct depmap *map);
/* Call `found` for the task of each recorded write that `tensor` overlaps; `retire` drops those that it covers. */
void cpu_depmap_lookup(struct device *dev, const struct l3r_tensor *tensor, bool retire,
                       void (*found)(struct device *dev, uint64_t task));
int cpu_depmap_insert(struct depmap *map, const struct l3r_tensor *tensor, uint64_t task); /* -1: no memory */
uint64_t cpu_depmap_count(const struct depmap *map); /* recorded writes of this dispatch */

#endif
