#include "orchestrator/supervise/stall.h"

static const uint64_t profiles_limit_ns = UINT64_C(600) * 1000000000;

void stall_begin(struct stall *s, uint64_t now_ns)
{
    *s = (struct stall){.seen_ns = now_ns};
}

enum stall_found stall_look(struct stall *s, uint64_t now_ns, uint64_t progress, bool saving, uint64_t limit_ns)
{
    uint64_t since = now_ns - s->seen_ns;

    s->seen_ns = now_ns;
    if (progress != s->progress) {
        s->progress = progress;
        s->idle_ns = s->saving_ns = 0;
    } else if (saving) {
        s->saving_ns += since;
    } else {
        s->idle_ns += since;
    }
    if (!limit_ns) {
        return STALL_NONE;
    }
    if (s->saving_ns > profiles_limit_ns && s->saving_ns > limit_ns) {
        return STALL_PROFILES;
    }
    return s->idle_ns > limit_ns ? STALL_KERNELS : STALL_NONE;
}
