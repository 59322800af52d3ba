/* Every name that kernel entries use besides PTO-ISA's. It is compiled, not run. */
#include <cstdint>

#ifndef __gm__
#define __gm__
#endif
#ifndef __aicore__
#define __aicore__
#endif

#include "data_type.h"
#include "intrinsic.h"
#include "pipe_sync.h"
#include "platform_comm/comm_context.h"
#include "tensor.h"

static_assert(sizeof(CommContext) == 1056 && offsetof(CommContext, windowsOut) == 544);
static_assert(offsetof(LocalContext, block_num) == 4 && offsetof(GlobalContext, sub_block_id) == 0);

extern "C" __aicore__ void kernel_entry(__gm__ int64_t *args)
{
    __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
    __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    __gm__ CommContext *ctx = reinterpret_cast<__gm__ CommContext *>(args[1]);
    union {
        uint64_t u64;
        float val;
    } scale_conv;
    scale_conv.u64 = static_cast<uint64_t>(args[2]);
    float scale = scale_conv.val;
    int64_t m = static_cast<int64_t>(x_tensor->shapes[0]);
    uint64_t peer = ctx->windowsIn[(ctx->rankId + 1) % ctx->rankNum] + ctx->winSize;
    x[0] = scale * static_cast<float>(get_block_idx(args) + get_block_num(args) + get_sub_block_id(args) + m) +
           static_cast<float>(peer) + (get_dma_workspace(args, DMA_WORKSPACE_SDMA) ? 1.0f : 0.0f);
    pipe_sync();
}
