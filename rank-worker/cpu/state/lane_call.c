#include "rank-worker/cpu/state/lane_call.h"

#include <time.h>

static void set(_Atomic uint64_t *to, uint64_t ns)
{
    atomic_store_explicit(to, ns, memory_order_relaxed);
}

uint64_t lane_call_now_ns(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC_COARSE, &t) ? 0 : (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void lane_call_reset(struct lane_call *call)
{
    set(&call->begun_ns, 0);
    atomic_store_explicit(&call->name, NULL, memory_order_relaxed);
    atomic_store_explicit(&call->inside, false, memory_order_relaxed);
}

void lane_call_begin(struct lane_call *call)
{
    set(&call->begun_ns, lane_call_now_ns());
}

bool lane_call_enter(struct lane_call *call, const char *name)
{
    if (atomic_load_explicit(&call->inside, memory_order_relaxed)) {
        return false;
    }
    const uint64_t now = lane_call_now_ns();
    const bool again = atomic_load_explicit(&call->name, memory_order_relaxed) == name;
    if (!again) {
        set(&call->first_ns, now);
        atomic_store_explicit(&call->count, 0, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&call->count, 1, memory_order_relaxed);
    set(&call->changed_ns, now);
    atomic_store_explicit(&call->name, name, memory_order_relaxed);
    atomic_store_explicit(&call->inside, true, memory_order_release);
    return true;
}

void lane_call_leave(struct lane_call *call)
{
    set(&call->changed_ns, lane_call_now_ns());
    atomic_store_explicit(&call->inside, false, memory_order_release);
}
