// Kernel Function: vector_add

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
static __aicore__ void vector_add(__gm__ float* a, __gm__ float* b, __gm__ float* out, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        out[i] = a[i] + b[i];
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: a
    __gm__ ChipTensor* a_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* a = reinterpret_cast<__gm__ float*>(a_tensor->buffer.addr) + a_tensor->start_offset;

    // Unpack tensor: b
    __gm__ ChipTensor* b_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* b = reinterpret_cast<__gm__ float*>(b_tensor->buffer.addr) + b_tensor->start_offset;

    // Unpack tensor: out
    __gm__ ChipTensor* out_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ float* out = reinterpret_cast<__gm__ float*>(out_tensor->buffer.addr) + out_tensor->start_offset;

    // Dynamic dimension: the rows that this card was given
    int64_t rows = out_tensor->shapes[0];

    vector_add(a, b, out, rows * 16);
}
