#include "orchestrator/run/phases.h"

#include "common/clock.h"

void phases_stop(struct phases *p)
{
    if (p->begin_ns)
        p->spent_ns[p->now] += clock_now_ns() - p->begin_ns;
    p->begin_ns = 0;
}

void phases_enter(struct phases *p, enum phase next)
{
    phases_stop(p);
    p->now = next;
    p->begin_ns = clock_now_ns();
}

const char *phase_name(enum phase phase)
{
    static const char *const names[] = {"open", "record", "plan", "compile", "load", "run", "verify"};

    return (unsigned)phase < PHASE_COUNT ? names[phase] : "?";
}
