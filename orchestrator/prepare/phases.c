#include "orchestrator/prepare/phases.h"

#include "common/base/clock.h"

void phases_add(struct phases *p, const char *name, uint64_t begin_ns, uint64_t end_ns)
{
    if (p->nstage < RUN_STAGES_MAX) {
        p->stages[p->nstage++] = (struct run_stage){name, (int64_t)begin_ns, (int64_t)end_ns};
    }
}

void phases_stop(struct phases *p)
{
    uint64_t now = clock_now_ns();

    if (p->begin_ns) {
        p->spent_ns[p->now] += now - p->begin_ns;
        phases_add(p, phase_name(p->now), p->begin_ns, now);
    }
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
    static const char *const names[] = {"open", "record", "plan",    "splice", "compile",
                                        "load", "golden", "changes", "run",    "verify"};

    return (unsigned)phase < PHASE_COUNT ? names[phase] : "?";
}
