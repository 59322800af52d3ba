/*
 * stall - for how long a run has made no progress.
 *
 * Time in which some card writes its profiles is counted apart: it is the disk that it waits for, and no kernel.
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_STALL_H
#define L3R_ORCHESTRATOR_SUPERVISE_STALL_H

#include <stdbool.h>
#include <stdint.h>

struct stall {
    uint64_t progress;           /* nodes that have ended */
    uint64_t seen_ns;            /* of the last look */
    uint64_t idle_ns, saving_ns; /* since `progress` grew: nobody wrote profiles; somebody did */
};

enum stall_found { STALL_NONE = 0, STALL_KERNELS, STALL_PROFILES };

void stall_begin(struct stall *s, uint64_t now_ns);

/* Look again: `progress` nodes have ended, and `saving`: a card writes profiles. Without progress for longer than
 * `limit_ns` (0: no limit) kernels stand still; profiles may take ten minutes where the limit is shorter. */
enum stall_found stall_look(struct stall *s, uint64_t now_ns, uint64_t progress, bool saving, uint64_t limit_ns);

#endif
