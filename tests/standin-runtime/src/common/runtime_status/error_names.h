#pragma once
#include <cstdint>

static inline const char *error_name(int32_t code)
{
    return code == PTO2_ERROR_HEAP_RING_DEADLOCK ? "HEAP_RING_DEADLOCK" : "unknown";
}

static inline const char *error_desc(int32_t code)
{
    return code == PTO2_ERROR_HEAP_RING_DEADLOCK ? "no task can get memory" : "";
}
