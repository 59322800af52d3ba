// Kernel Function: count_positive

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
static __aicore__ void count_positive(__gm__ float* out, __gm__ int32_t* count) {
    for (int64_t j = 0; j < 64; ++j) {
        if (out[j] > 0.0f) {
            count[0] += 1;
        }
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: out
    __gm__ ChipTensor* out_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* out = reinterpret_cast<__gm__ float*>(out_tensor->buffer.addr) + out_tensor->start_offset;

    // Unpack tensor: count
    __gm__ ChipTensor* count_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ int32_t* count = reinterpret_cast<__gm__ int32_t*>(count_tensor->buffer.addr) + count_tensor->start_offset;

    count_positive(out, count);
}
