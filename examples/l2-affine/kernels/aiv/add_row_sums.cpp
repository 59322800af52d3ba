// Kernel Function: add_row_sums

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
static __aicore__ void add_row_sums(__gm__ float* y, __gm__ float* total, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < 16; ++j) {
            total[i] += y[i * 16 + j];
        }
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: y
    __gm__ ChipTensor* y_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* y = reinterpret_cast<__gm__ float*>(y_tensor->buffer.addr) + y_tensor->start_offset;

    // Unpack tensor: total
    __gm__ ChipTensor* total_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* total = reinterpret_cast<__gm__ float*>(total_tensor->buffer.addr) + total_tensor->start_offset;

    add_row_sums(y, total, y_tensor->shapes[0]);
}
