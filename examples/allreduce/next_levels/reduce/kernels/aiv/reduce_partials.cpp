// Kernel Function: reduce_partials

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
#include "platform_comm/comm_context.h"

// --- ptoas-generated code ---
template <typename T>
static __aicore__ inline __gm__ T* remote_ptr(__gm__ CommContext* ctx, __gm__ T* local, uint32_t rank) {
    uint64_t offset = reinterpret_cast<uint64_t>(local) - ctx->windowsIn[ctx->rankId];
    return reinterpret_cast<__gm__ T*>(ctx->windowsIn[rank] + offset);
}

// A waiting kernel sleeps between looks: its host core may be the one that its peer needs.
static __aicore__ void wait_signal(__gm__ int32_t* flag, int32_t value) {
    const struct timespec pause = {0, 20000};
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) < value) {
        nanosleep(&pause, nullptr);
    }
}

// Wait for every member's partial sum of this round, and add them all up.
static __aicore__ void reduce_partials(__gm__ float* partial, __gm__ int32_t* signal, __gm__ float* out, int32_t round,
                                       __gm__ CommContext* partial_ctx, __gm__ CommContext* signal_ctx, int64_t rows,
                                       int64_t stride) {
    float sum[8] = {};
    for (uint32_t rank = 0; rank < signal_ctx->rankNum; ++rank) {
        wait_signal(signal + rank, round);
        __gm__ float* peer = remote_ptr(partial_ctx, partial, rank);
        for (int64_t j = 0; j < 8; ++j) {
            sum[j] += peer[j];
        }
    }
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < 8; ++j) {
            out[i * stride + j] = sum[j];
        }
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: partial
    __gm__ ChipTensor* partial_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* partial = reinterpret_cast<__gm__ float*>(partial_tensor->buffer.addr) + partial_tensor->start_offset;

    // Unpack tensor: signal
    __gm__ ChipTensor* signal_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ int32_t* signal = reinterpret_cast<__gm__ int32_t*>(signal_tensor->buffer.addr) + signal_tensor->start_offset;

    // Unpack tensor: out
    __gm__ ChipTensor* out_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ float* out = reinterpret_cast<__gm__ float*>(out_tensor->buffer.addr) + out_tensor->start_offset;

    // Unpack scalar: round
    union { uint64_t u64; int32_t val; } round_conv;
    round_conv.u64 = args[3];
    int32_t round = round_conv.val;

    // Unpack CommContext: partial_ctx
    __gm__ CommContext* partial_ctx = reinterpret_cast<__gm__ CommContext*>(args[4]);

    // Unpack CommContext: signal_ctx
    __gm__ CommContext* signal_ctx = reinterpret_cast<__gm__ CommContext*>(args[5]);

    reduce_partials(partial, signal, out, round, partial_ctx, signal_ctx, out_tensor->shapes[0],
                    out_tensor->strides[0]);
}
