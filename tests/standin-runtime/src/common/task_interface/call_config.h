#pragma once
#include <cstdint>
#include <stdexcept>

enum { RUNTIME_ENV_RING_COUNT = 4 };

struct RuntimeEnv {
    uint64_t ring_heap[RUNTIME_ENV_RING_COUNT], ring_dep_pool[RUNTIME_ENV_RING_COUNT],
        ring_task_window[RUNTIME_ENV_RING_COUNT];
};

struct CallConfig {
    char output_prefix[512];
    int32_t enable_pmu, enable_scope_stats, enable_dep_gen, enable_dump_args, enable_chip_swimlane, aicpu_thread_num;
    RuntimeEnv runtime_env;

    void validate() const
    {
        if (enable_chip_swimlane && !output_prefix[0]) {
            throw std::invalid_argument("a directory is missing");
        }
    }
};
