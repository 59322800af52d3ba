/*
 * intrinsic - who a running kernel is: which block of how many, which vector lane.
 *
 * The device puts two pointers at fixed places of the kernel's args[]; use the
 * functions, not the places.
 */
#ifndef L3R_INTRINSIC_H
#define L3R_INTRINSIC_H

#include <stdint.h>

#include "common/dma_workspace.h"

#ifndef __gm__
#define __gm__
#endif
#ifndef __aicore__
#define __aicore__
#endif

static constexpr int32_t PTO2_EXT_PARAMS_COUNT = 2;
static constexpr int32_t SPMD_LOCAL_CONTEXT_INDEX = 48;
static constexpr int32_t SPMD_GLOBAL_CONTEXT_INDEX = 49;
static constexpr int32_t PAYLOAD_LOCAL_CONTEXT_INDEX = SPMD_LOCAL_CONTEXT_INDEX;
static constexpr int32_t PAYLOAD_GLOBAL_CONTEXT_INDEX = SPMD_GLOBAL_CONTEXT_INDEX;

/* What stays the same for a lane. */
struct GlobalContext {
    int32_t sub_block_id;                             /* vector lane within the cluster, 0 or 1 */
    uint64_t dma_workspace[DMA_WORKSPACE_KIND_COUNT]; /* 0: the cpu device has none */
};

/* What changes with each kernel call. */
struct LocalContext {
    int32_t block_idx; /* 0 .. block_num - 1 */
    int32_t block_num;
    uint64_t async[5]; /* deferred completion: not on the cpu device, all zero */
};

static __aicore__ inline int32_t get_sub_block_id(__gm__ int64_t *args)
{
    return reinterpret_cast<__gm__ GlobalContext *>(args[SPMD_GLOBAL_CONTEXT_INDEX])->sub_block_id;
}

static __aicore__ inline int32_t get_block_idx(__gm__ int64_t *args)
{
    return reinterpret_cast<__gm__ LocalContext *>(args[SPMD_LOCAL_CONTEXT_INDEX])->block_idx;
}

static __aicore__ inline int32_t get_block_num(__gm__ int64_t *args)
{
    return reinterpret_cast<__gm__ LocalContext *>(args[SPMD_LOCAL_CONTEXT_INDEX])->block_num;
}

/* nullptr: there is no DMA engine here. */
static __aicore__ inline __gm__ uint8_t *get_dma_workspace(__gm__ int64_t *args, int kind)
{
    if (kind < 0 || kind >= DMA_WORKSPACE_KIND_COUNT) {
        return nullptr;
    }
    return reinterpret_cast<__gm__ uint8_t *>(
        reinterpret_cast<__gm__ GlobalContext *>(args[SPMD_GLOBAL_CONTEXT_INDEX])->dma_workspace[kind]);
}

#endif
