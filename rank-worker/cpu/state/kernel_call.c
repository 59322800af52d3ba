#include "rank-worker/cpu/state/kernel_call.h"

#include <stdatomic.h>

static _Thread_local struct lane *running;

void cpu_call_kernel(struct lane *lane)
{
    running = lane;
    lane->kernel->fn(lane->args);
    running = NULL;
}

bool cpu_in_kernel(void)
{
    return running != NULL;
}

struct lane *cpu_lane_running(void)
{
    return running;
}

struct lane *cpu_lane_enter(void)
{
    struct lane *lane = running;
    if (!lane || lane->turn == TURN_NONE) {
        return NULL;
    }
    running = NULL;
    return lane;
}

void cpu_lane_waits(void)
{
    if (running) {
        atomic_store_explicit(&running->waited, true, memory_order_relaxed);
    }
}

void cpu_lane_return(struct lane *lane)
{
    running = lane;
}
