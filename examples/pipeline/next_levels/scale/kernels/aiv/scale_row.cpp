// Kernel Function: scale_row

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
static __aicore__ void scale_row(__gm__ float* x, __gm__ float* scaled, int32_t n) {
    for (int64_t j = 0; j < 64; ++j) {
        scaled[j] = x[j] * static_cast<float>(n);
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: x
    __gm__ ChipTensor* x_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* x = reinterpret_cast<__gm__ float*>(x_tensor->buffer.addr) + x_tensor->start_offset;

    // Unpack tensor: scaled
    __gm__ ChipTensor* scaled_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* scaled = reinterpret_cast<__gm__ float*>(scaled_tensor->buffer.addr) + scaled_tensor->start_offset;

    // Unpack scalar: n
    union { uint64_t u64; int32_t val; } n_conv;
    n_conv.u64 = args[2];
    int32_t n = n_conv.val;

    scale_row(x, scaled, n);
}
