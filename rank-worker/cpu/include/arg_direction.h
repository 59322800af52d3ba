/*
 * arg_direction - directions of arguments in signatures, and how many arguments there may be.
 */
#ifndef L3R_ARG_DIRECTION_H
#define L3R_ARG_DIRECTION_H

#include <stdint.h>

enum class ArgDirection : int32_t { SCALAR = 0, IN = 1, OUT = 2, INOUT = 3 };

inline constexpr int CORE_MAX_TENSOR_ARGS = 32;
inline constexpr int CORE_MAX_SCALAR_ARGS = 16;
inline constexpr int CHIP_MAX_TENSOR_ARGS = 256;
inline constexpr int CHIP_MAX_SCALAR_ARGS = 128;

#define MAX_TENSOR_ARGS CORE_MAX_TENSOR_ARGS
#define MAX_SCALAR_ARGS CORE_MAX_SCALAR_ARGS

inline const char *arg_direction_name(ArgDirection direction)
{
    constexpr const char *names[] = {"SCALAR", "IN", "OUT", "INOUT"};
    const int32_t i = static_cast<int32_t>(direction);
    return i >= 0 && i < 4 ? names[i] : "UNKNOWN";
}

#endif
