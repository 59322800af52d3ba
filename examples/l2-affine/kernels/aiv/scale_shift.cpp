// Kernel Function: scale_shift

#include <cstdint>

#ifndef __gm__
#define __gm__
#endif

#ifndef __aicore__
#if defined(__CPU_SIM)
#define __aicore__
#else
#define __aicore__ [aicore]
#endif
#endif

#include "tensor.h"

// --- ptoas-generated code ---
static __aicore__ void scale_shift(__gm__ float* x, __gm__ float* b, __gm__ float* y, int32_t factor, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < 16; ++j) {
            y[i * 16 + j] = x[i * 16 + j] * static_cast<float>(factor) + b[j];
        }
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: x
    __gm__ ChipTensor* x_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* x = reinterpret_cast<__gm__ float*>(x_tensor->buffer.addr) + x_tensor->start_offset;

    // Unpack tensor: b
    __gm__ ChipTensor* b_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* b = reinterpret_cast<__gm__ float*>(b_tensor->buffer.addr) + b_tensor->start_offset;

    // Unpack tensor: y
    __gm__ ChipTensor* y_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ float* y = reinterpret_cast<__gm__ float*>(y_tensor->buffer.addr) + y_tensor->start_offset;

    // Unpack scalar: factor
    union { uint64_t u64; int32_t val; } factor_conv;
    factor_conv.u64 = args[3];
    int32_t factor = factor_conv.val;

    scale_shift(x, b, y, factor, x_tensor->shapes[0]);
}
