// Kernel Function: up_relu

#include <cstdint>
#include <dlfcn.h>
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
// A pipe between the cube lane and one vector lane of a cluster: a ring of two tiles in memory that the runtime keeps
// for the cluster and the key, zeroed once. Counters only grow, so a later task finds the pipe empty and usable.
struct TilePipe {
    uint32_t pushed;
    uint32_t popped;
    float tile[2][64];
};

static __aicore__ TilePipe* open_pipe(int32_t lane) {
    using Hook = void* (*)(uint64_t key, size_t size);
    static const Hook hook = reinterpret_cast<Hook>(dlsym(RTLD_DEFAULT, "pto_sim_get_pipe_shared_state"));
    return static_cast<TilePipe*>(hook(0x75700000u + static_cast<uint64_t>(lane), sizeof(TilePipe)));
}

// A waiting lane sleeps between looks: its host core may be the one that the other lane needs.
static __aicore__ void pause_lane() {
    const struct timespec pause = {0, 20000};
    nanosleep(&pause, nullptr);
}

// Take this lane's rows as the cube lane hands them over, and keep what is positive.
static __aicore__ void up_relu(__gm__ float* hidden, int64_t cols, int32_t block_idx, int32_t block_num,
                               int32_t subblock_idx) {
    TilePipe* pipe = open_pipe(subblock_idx);
    int64_t rows = 16 / block_num;
    for (int64_t i = block_idx * rows + subblock_idx; i < (block_idx + 1) * rows; i += 2) {
        uint32_t popped = pipe->popped;
        while (__atomic_load_n(&pipe->pushed, __ATOMIC_ACQUIRE) == popped) {
            pause_lane();
        }
        for (int64_t j = 0; j < cols; ++j) {
            float value = pipe->tile[popped % 2][j];
            hidden[i * cols + j] = value > 0.0f ? value : 0.0f;
        }
        __atomic_store_n(&pipe->popped, popped + 1, __ATOMIC_RELEASE);
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Read logical SPMD block identity from runtime dispatch payload
    int32_t __pypto_spmd_block_idx = get_block_idx(args);
    int32_t __pypto_spmd_block_num = get_block_num(args);

    // Read SPMD subblock (AIV lane) id from runtime dispatch payload
    int32_t __pypto_spmd_subblock_idx = get_sub_block_id(args);

    // Unpack tensor: hidden
    __gm__ ChipTensor* hidden_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ float* hidden = reinterpret_cast<__gm__ float*>(hidden_tensor->buffer.addr) + hidden_tensor->start_offset;

    // Dynamic dimension: the columns that this card was given
    int64_t cols = hidden_tensor->shapes[1];

    up_relu(hidden, cols, __pypto_spmd_block_idx, __pypto_spmd_block_num, __pypto_spmd_subblock_idx);
}
