#include "common/segment/dfx.h"

#include <stdio.h>

#include "common/plan/plan.h"

bool dfx_any(const struct dfx *dfx)
{
    return dfx->swimlane || dfx->pmu || dfx->dump_args || dfx->dep_gen || dfx->scope_stats;
}

bool dfx_pmu_is_known(int event_type)
{
    return event_type == 1 || event_type == 2 || (event_type >= 4 && event_type <= DFX_PMU_MAX);
}

void dfx_dispatch_dir(const char *dir, uint32_t rank, uint32_t k, uint32_t other, char *buf, size_t size)
{
    const bool counted = k != PLAN_NONE;

    snprintf(buf, size, "%s/rank%u/%c%u", dir, rank, counted ? 'd' : 'c', counted ? k : other);
}
