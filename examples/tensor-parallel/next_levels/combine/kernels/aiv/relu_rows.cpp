// Kernel Function: relu_rows

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
static __aicore__ void relu_rows(__gm__ float* centred, __gm__ float* y, int64_t rows) {
    for (int64_t i = 0; i < rows * 16; ++i) {
        y[i] = centred[i] > 0.0f ? centred[i] : 0.0f;
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: centred
    __gm__ ChipTensor* centred_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* centred = reinterpret_cast<__gm__ float*>(centred_tensor->buffer.addr) + centred_tensor->start_offset;

    // Unpack tensor: y
    __gm__ ChipTensor* y_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* y = reinterpret_cast<__gm__ float*>(y_tensor->buffer.addr) + y_tensor->start_offset;

    // Dynamic dimension: the rows that this card was given
    int64_t rows = y_tensor->shapes[0];

    relu_rows(centred, y, rows);
}
