// Kernel Function: down_matmul

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
#include "intrinsic.h"

// --- ptoas-generated code ---
// Some rows of hidden * w2.
static __aicore__ void down_matmul(__gm__ float* hidden, __gm__ float* w2, __gm__ float* partial, int64_t inner,
                                   int32_t block_idx, int32_t block_num) {
    int64_t rows = 16 / block_num;
    for (int64_t i = block_idx * rows; i < (block_idx + 1) * rows; ++i) {
        for (int64_t j = 0; j < 16; ++j) {
            float sum = 0.0f;
            for (int64_t k = 0; k < inner; ++k) {
                sum += hidden[i * inner + k] * w2[k * 16 + j];
            }
            partial[i * 16 + j] = sum;
        }
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Read logical SPMD block identity from runtime dispatch payload
    int32_t __pypto_spmd_block_idx = get_block_idx(args);
    int32_t __pypto_spmd_block_num = get_block_num(args);

    // Unpack tensor: hidden
    __gm__ ChipTensor* hidden_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* hidden = reinterpret_cast<__gm__ float*>(hidden_tensor->buffer.addr) + hidden_tensor->start_offset;

    // Unpack tensor: w2
    __gm__ ChipTensor* w2_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* w2 = reinterpret_cast<__gm__ float*>(w2_tensor->buffer.addr) + w2_tensor->start_offset;

    // Unpack tensor: partial
    __gm__ ChipTensor* partial_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ float* partial = reinterpret_cast<__gm__ float*>(partial_tensor->buffer.addr) + partial_tensor->start_offset;

    // Dynamic dimension: the columns that this card was given
    int64_t inner = hidden_tensor->shapes[1];

    down_matmul(hidden, w2, partial, inner, __pypto_spmd_block_idx, __pypto_spmd_block_num);
}
