// Kernel Function: up_matmul

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

// Rows of x times the transpose of w1: even rows go to vector lane 0, odd rows to lane 1.
static __aicore__ void up_matmul(__gm__ float* x, __gm__ float* w1, int64_t cols, int32_t block_idx, int32_t block_num) {
    TilePipe* pipes[2] = {open_pipe(0), open_pipe(1)};
    int64_t rows = 16 / block_num;
    for (int64_t i = block_idx * rows; i < (block_idx + 1) * rows; ++i) {
        TilePipe* pipe = pipes[i % 2];
        uint32_t pushed = pipe->pushed;
        while (pushed - __atomic_load_n(&pipe->popped, __ATOMIC_ACQUIRE) == 2) {
            pause_lane();
        }
        for (int64_t j = 0; j < cols; ++j) {
            float sum = 0.0f;
            for (int64_t k = 0; k < 32; ++k) {
                sum += x[i * 32 + k] * w1[j * 32 + k];
            }
            pipe->tile[pushed % 2][j] = sum;
        }
        __atomic_store_n(&pipe->pushed, pushed + 1, __ATOMIC_RELEASE);
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Read logical SPMD block identity from runtime dispatch payload
    int32_t __pypto_spmd_block_idx = get_block_idx(args);
    int32_t __pypto_spmd_block_num = get_block_num(args);

    // Unpack tensor: x
    __gm__ ChipTensor* x_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* x = reinterpret_cast<__gm__ float*>(x_tensor->buffer.addr) + x_tensor->start_offset;

    // Unpack tensor: w1
    __gm__ ChipTensor* w1_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* w1 = reinterpret_cast<__gm__ float*>(w1_tensor->buffer.addr) + w1_tensor->start_offset;

    // Dynamic dimension: the columns that this card was given
    int64_t cols = w1_tensor->shapes[0];

    up_matmul(x, w1, cols, __pypto_spmd_block_idx, __pypto_spmd_block_num);
}
