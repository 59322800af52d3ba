#include "common/segment/dfx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/plan.h"

bool dfx_any(const struct dfx *dfx)
{
    return dfx->swimlane || dfx->pmu || dfx->dump_args || dfx->dep_gen || dfx->scope_stats;
}

bool dfx_pmu_is_known(int event_type)
{
    return event_type == 1 || event_type == 2 || (event_type >= 4 && event_type <= DFX_PMU_MAX);
}

void dfx_dispatch_dir(const char *dir, bool flat, uint32_t rank, uint32_t k, uint32_t other, char *buf, size_t size)
{
    const bool counted = k != PLAN_NONE;

    if (flat) {
        snprintf(buf, size, "%s", dir);
    } else {
        snprintf(buf, size, "%s/" DFX_DISPATCH, dir, rank, counted ? 'd' : 'c', counted ? k : other);
    }
}

static bool is_json_of(const char *name, const char *prefix)
{
    static const char end[] = ".json";
    size_t n = strlen(name), least = strlen(prefix) + sizeof end - 1;

    return n >= least && strncmp(name, prefix, strlen(prefix)) == 0 && strcmp(name + n - (sizeof end - 1), end) == 0;
}

bool dfx_is_name_map(const char *name)
{
    return strcmp(name, "name_map.json") == 0 || is_json_of(name, "name_map_");
}

bool dfx_is_profile(const char *name)
{
    static const char *const names[] = {
        "dispatch_program.json", "chip_swimlane_records.json", "deps.json", "pmu.csv", "scope_stats", "args_dump"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return dfx_is_name_map(name) || is_json_of(name, "merged_swimlane_");
}

bool dfx_name_number(const char *name, const char *prefix, uint32_t *number)
{
    size_t n = strlen(prefix);
    char back[32], *stop;
    unsigned long value;

    if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9') {
        return false;
    }
    value = strtoul(name + n, &stop, 10);
    snprintf(back, sizeof back, "%lu", value);
    if (*stop || value >= UINT32_MAX || strcmp(back, name + n) != 0) {
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

bool dfx_is_token_file(const char *name)
{
    const size_t n = sizeof DFX_TOKEN_PREFIX - 1;

    return strncmp(name, DFX_TOKEN_PREFIX, n) == 0 && strlen(name + n) == DFX_TOKEN_LENGTH &&
           strspn(name + n, "0123456789abcdef") == DFX_TOKEN_LENGTH;
}
