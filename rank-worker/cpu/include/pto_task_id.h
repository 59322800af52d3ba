/*
 * pto_task_id - the name of a task: which scope depth made it, and its number there.
 */
#ifndef L3R_PTO_TASK_ID_H
#define L3R_PTO_TASK_ID_H

#include <stdint.h>

struct PTO2TaskId {
    uint64_t raw; /* ring << 32 | number within the ring; all ones: no task */

    static constexpr PTO2TaskId make(uint8_t ring_id, uint32_t local_id)
    {
        return PTO2TaskId{(static_cast<uint64_t>(ring_id) << 32) | local_id};
    }
    static constexpr PTO2TaskId invalid()
    {
        return PTO2TaskId{UINT64_MAX};
    }

    constexpr uint8_t ring() const
    {
        return static_cast<uint8_t>(raw >> 32);
    }
    constexpr uint32_t local() const
    {
        return static_cast<uint32_t>(raw);
    }
    constexpr int32_t local_id() const
    {
        return static_cast<int32_t>(local());
    }
    constexpr bool is_valid() const
    {
        return raw != UINT64_MAX;
    }
    constexpr bool is_invalid() const
    {
        return raw == UINT64_MAX;
    }
    constexpr bool operator==(const PTO2TaskId &other) const
    {
        return raw == other.raw;
    }
    constexpr bool operator!=(const PTO2TaskId &other) const
    {
        return raw != other.raw;
    }
};

static_assert(sizeof(PTO2TaskId) == 8, "a task id is one 64-bit word");

/* Its name since August 2026. */
using TaskId = PTO2TaskId;
namespace simpler::tmr
{
using ::TaskId;
}

#endif
