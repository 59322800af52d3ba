/*
 * pto_submit_types - which kernels a task runs, on how many blocks, and whether at all.
 */
#ifndef L3R_PTO_SUBMIT_TYPES_H
#define L3R_PTO_SUBMIT_TYPES_H

#include <stdint.h>

#include "l3r_abi.h"

inline constexpr int32_t INVALID_KERNEL_ID = -1;
inline constexpr int32_t PTO2_SUBTASK_SLOT_COUNT = 3;

enum class PTO2SubtaskSlot : uint8_t { AIC = 0, AIV0 = 1, AIV1 = 2 };

inline constexpr uint8_t PTO2_SUBTASK_MASK_AIC = 1u << 0;
inline constexpr uint8_t PTO2_SUBTASK_MASK_AIV0 = 1u << 1;
inline constexpr uint8_t PTO2_SUBTASK_MASK_AIV1 = 1u << 2;

enum class PredicateOp : uint8_t {
    NONE = L3R_PRED_NONE,
    EQ = L3R_PRED_EQ,
    NE = L3R_PRED_NE,
    GT = L3R_PRED_GT,
    LT = L3R_PRED_LT,
    GE = L3R_PRED_GE,
    LE = L3R_PRED_LE,
};

/* The kernels of the lanes that run at the same time on one cluster. */
struct MixedKernels {
    int32_t aic_kernel_id{INVALID_KERNEL_ID};
    int32_t aiv0_kernel_id{INVALID_KERNEL_ID};
    int32_t aiv1_kernel_id{INVALID_KERNEL_ID};
};

static_assert(sizeof(MixedKernels) == sizeof(l3r_mixed), "layout");

/* How many copies of a task run, each with an index of its own, and whether all must run at the same time. */
class PTO2LaunchSpec
{
  public:
    constexpr PTO2LaunchSpec() = default;

    int16_t block_num() const
    {
        return block_num_;
    }
    void set_block_num(int16_t n)
    {
        block_num_ = n;
    }

    /* The same under the name that a5 programs use. */
    int16_t core_num() const
    {
        return block_num_;
    }
    void set_core_num(int16_t n)
    {
        block_num_ = n;
    }

    bool require_sync_start() const
    {
        return require_sync_start_;
    }
    void set_require_sync_start(bool v)
    {
        require_sync_start_ = v;
    }

  private:
    int16_t block_num_{1};
    bool require_sync_start_{false};
};

static_assert(sizeof(PTO2LaunchSpec) == sizeof(l3r_launch), "layout");

/* Its name since August 2026. */
using LaunchSpec = PTO2LaunchSpec;

#endif
