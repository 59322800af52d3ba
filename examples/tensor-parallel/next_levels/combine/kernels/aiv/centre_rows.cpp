// Kernel Function: centre_rows

#include <cstdint>
#include <time.h>

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
// Add up the cards' parts of a block's columns, meet the other blocks, and take the mean of the whole row away from
// each element, times the 16 columns so that whole numbers stay whole.
static __aicore__ void centre_rows(__gm__ float* partial, __gm__ float* row_sums, __gm__ int32_t* arrived,
                                   __gm__ float* centred, int32_t first_row, int64_t cards, int64_t rows,
                                   int32_t block_idx, int32_t block_num) {
    int64_t cols = 16 / block_num;
    for (int64_t i = 0; i < rows; ++i) {
        float row_sum = 0.0f;
        for (int64_t j = block_idx * cols; j < (block_idx + 1) * cols; ++j) {
            float sum = 0.0f;
            for (int64_t c = 0; c < cards; ++c) {
                sum += partial[(c * 16 + first_row + i) * 16 + j];
            }
            centred[i * 16 + j] = 16.0f * sum;
            row_sum += sum;
        }
        row_sums[block_idx * rows + i] = row_sum;
    }

    __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
    const struct timespec pause = {0, 20000};
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < block_num) {
        nanosleep(&pause, nullptr);
    }

    for (int64_t i = 0; i < rows; ++i) {
        float row_sum = 0.0f;
        for (int64_t b = 0; b < block_num; ++b) {
            row_sum += row_sums[b * rows + i];
        }
        for (int64_t j = block_idx * cols; j < (block_idx + 1) * cols; ++j) {
            centred[i * 16 + j] -= row_sum;
        }
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Read logical SPMD block identity from runtime dispatch payload
    int32_t __pypto_spmd_block_idx = get_block_idx(args);
    int32_t __pypto_spmd_block_num = get_block_num(args);

    // Unpack tensor: partial
    __gm__ ChipTensor* partial_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* partial = reinterpret_cast<__gm__ float*>(partial_tensor->buffer.addr) + partial_tensor->start_offset;

    // Unpack tensor: row_sums
    __gm__ ChipTensor* row_sums_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* row_sums = reinterpret_cast<__gm__ float*>(row_sums_tensor->buffer.addr) + row_sums_tensor->start_offset;

    // Unpack tensor: arrived
    __gm__ ChipTensor* arrived_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ int32_t* arrived = reinterpret_cast<__gm__ int32_t*>(arrived_tensor->buffer.addr) + arrived_tensor->start_offset;

    // Unpack tensor: centred
    __gm__ ChipTensor* centred_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[3]);
    __gm__ float* centred = reinterpret_cast<__gm__ float*>(centred_tensor->buffer.addr) + centred_tensor->start_offset;

    // Unpack scalar: first_row
    union { uint64_t u64; int32_t val; } first_row_conv;
    first_row_conv.u64 = args[4];
    int32_t first_row = first_row_conv.val;

    // Dynamic dimensions: the cards, and the rows that this card was given
    int64_t cards = partial_tensor->shapes[0];
    int64_t rows = centred_tensor->shapes[0];

    centre_rows(partial, row_sums, arrived, centred, first_row, cards, rows, __pypto_spmd_block_idx,
                __pypto_spmd_block_num);
}
