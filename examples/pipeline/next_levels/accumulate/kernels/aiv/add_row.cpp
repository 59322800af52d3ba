// Kernel Function: add_row

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
static __aicore__ void add_row(__gm__ float* scaled, __gm__ float* carry, __gm__ float* next) {
    for (int64_t j = 0; j < 64; ++j) {
        next[j] = carry[j] + scaled[j];
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: scaled
    __gm__ ChipTensor* scaled_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* scaled = reinterpret_cast<__gm__ float*>(scaled_tensor->buffer.addr) + scaled_tensor->start_offset;

    // Unpack tensor: carry
    __gm__ ChipTensor* carry_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* carry = reinterpret_cast<__gm__ float*>(carry_tensor->buffer.addr) + carry_tensor->start_offset;

    // Unpack tensor: next
    __gm__ ChipTensor* next_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ float* next = reinterpret_cast<__gm__ float*>(next_tensor->buffer.addr) + next_tensor->start_offset;

    add_row(scaled, carry, next);
}
