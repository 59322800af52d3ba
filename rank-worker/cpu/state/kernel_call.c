#include "rank-worker/cpu/state/kernel_call.h"

#include <stdatomic.h>
#include <stdio.h>

static _Thread_local struct lane *running;

void cpu_call_kernel(struct lane *lane)
{
    lane_call_begin(&lane->call);
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

bool cpu_kernel_running(char *buf, size_t size)
{
    static const char *const cores[] = {"aic", "aiv0", "aiv1"};
    const struct lane *lane = running;
    if (!lane) {
        return false;
    }
    snprintf(buf, size, "kernel %s of program %s (task %llu, block %d of %d, %s)", lane->kernel->name,
             lane->dev->program->name, (unsigned long long)lane->task->order - 1, lane->local.block_idx,
             lane->local.block_num, cores[(lane - lane->dev->lanes) % 3]);
    return true;
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

struct lane *cpu_lane_waits(const char *call)
{
    if (running) {
        atomic_store_explicit(&running->waited, true, memory_order_relaxed);
        return lane_call_enter(&running->call, call) ? running : NULL;
    }
    return NULL;
}

void cpu_lane_goes_on(struct lane *lane)
{
    if (lane) {
        lane_call_leave(&lane->call);
    }
}

void cpu_lane_return(struct lane *lane)
{
    running = lane;
}
