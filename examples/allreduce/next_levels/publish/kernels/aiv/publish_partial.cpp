// Kernel Function: publish_partial

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
#include "platform_comm/comm_context.h"

// --- ptoas-generated code ---
// The address in `rank`'s window of what is at `local` in this card's window.
template <typename T>
static __aicore__ inline __gm__ T* remote_ptr(__gm__ CommContext* ctx, __gm__ T* local, uint32_t rank) {
    uint64_t offset = reinterpret_cast<uint64_t>(local) - ctx->windowsIn[ctx->rankId];
    return reinterpret_cast<__gm__ T*>(ctx->windowsIn[rank] + offset);
}

// Sum this card's rows into its own window, then signal every member that they are there.
static __aicore__ void publish_partial(__gm__ float* x, __gm__ float* partial, __gm__ int32_t* signal,
                                       __gm__ CommContext* signal_ctx, int64_t rows, int64_t stride) {
    for (int64_t j = 0; j < 8; ++j) {
        float sum = 0.0f;
        for (int64_t i = 0; i < rows; ++i) {
            sum += x[i * stride + j];
        }
        partial[j] = sum;
    }
    for (uint32_t rank = 0; rank < signal_ctx->rankNum; ++rank) {
        __atomic_fetch_add(remote_ptr(signal_ctx, signal + signal_ctx->rankId, rank), 1, __ATOMIC_RELEASE);
    }
}

// --- Kernel entry point ---
extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t* args)
{
    // Unpack tensor: x
    __gm__ ChipTensor* x_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[0]);
    __gm__ float* x = reinterpret_cast<__gm__ float*>(x_tensor->buffer.addr) + x_tensor->start_offset;

    // Unpack tensor: partial
    __gm__ ChipTensor* partial_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[1]);
    __gm__ float* partial = reinterpret_cast<__gm__ float*>(partial_tensor->buffer.addr) + partial_tensor->start_offset;

    // Unpack tensor: signal
    __gm__ ChipTensor* signal_tensor = reinterpret_cast<__gm__ ChipTensor*>(args[2]);
    __gm__ int32_t* signal = reinterpret_cast<__gm__ int32_t*>(signal_tensor->buffer.addr) + signal_tensor->start_offset;

    // Unpack CommContext: signal_ctx
    __gm__ CommContext* signal_ctx = reinterpret_cast<__gm__ CommContext*>(args[4]);

    publish_partial(x, partial, signal, signal_ctx, x_tensor->shapes[0], x_tensor->strides[0]);
}
