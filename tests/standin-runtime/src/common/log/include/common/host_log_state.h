#pragma once
#include <cstdint>

#define SIMPLER_HOST_LOG_STATE_ABI_VERSION 7

struct SimplerHostLogState {
    uint64_t abi_version;
    uint64_t struct_size;
    int32_t threshold;
};
