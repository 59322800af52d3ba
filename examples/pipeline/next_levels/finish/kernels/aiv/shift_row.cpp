// Kernel Function: shift_row

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
static __aicore__ void shift_row(__gm__ float* turned, __gm__ float* out, int32_t weight) {
    for (int64_t j = 0; j < 64; ++j) {
        out[j] = turned[j] + static_cast<float>(weight);
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: turned
    __gm__ ChipTensor* turned_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* turned = reinterpret_cast<__gm__ float*>(turned_tensor->buffer.addr) + turned_tensor->start_offset;

    // Unpack tensor: out
    __gm__ ChipTensor* out_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* out = reinterpret_cast<__gm__ float*>(out_tensor->buffer.addr) + out_tensor->start_offset;

    // Unpack scalar: weight
    union { uint64_t u64; int32_t val; } weight_conv;
    weight_conv.u64 = args[2];
    int32_t weight = weight_conv.val;

    shift_row(turned, out, weight);
}
