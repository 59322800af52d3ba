#include <cstdint>
#include <time.h>

#ifndef __gm__
#define __gm__
#endif

#ifndef __aicore__
#define __aicore__
#endif

#include "platform_comm/comm_context.h"
#include "tensor.h"

// Every member gives each member one credit and takes one from each, so nobody leaves before all have come, and
// the cells are zero again afterwards. Taking is a subtraction: a fast peer may already have given the next credit.
extern "C" __aicore__ void kernel_entry(__gm__ int64_t *args) {
  __gm__ ChipTensor *gate_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
  uint32_t nranks = static_cast<uint32_t>(args[1]);
  __gm__ CommContext *ctx = reinterpret_cast<__gm__ CommContext *>(args[2]);
  __gm__ int32_t *gate = reinterpret_cast<__gm__ int32_t *>(gate_tensor->buffer.addr) + gate_tensor->start_offset;
  uint64_t offset = reinterpret_cast<uint64_t>(gate) - ctx->windowsIn[ctx->rankId];

  for (uint32_t rank = 0; rank < nranks; ++rank) {
    __gm__ int32_t *peer = reinterpret_cast<__gm__ int32_t *>(ctx->windowsIn[rank] + offset);
    __atomic_fetch_add(peer + ctx->rankId, 1, __ATOMIC_ACQ_REL);
  }
  const struct timespec pause = {0, 20000};
  for (uint32_t rank = 0; rank < nranks; ++rank) {
    while (__atomic_load_n(gate + rank, __ATOMIC_ACQUIRE) < 1) {
      nanosleep(&pause, nullptr);
    }
    __atomic_fetch_sub(gate + rank, 1, __ATOMIC_ACQ_REL);
  }
}
