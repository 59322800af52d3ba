/*
 * comm_context - a comm domain as one of its members sees it; what a kernel gets as device_ctx.
 *
 * docs/formats.md, "Domain context".
 */
#ifndef L3R_COMM_CONTEXT_H
#define L3R_COMM_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

static constexpr uint32_t COMM_MAX_RANK_NUM = 64;

struct CommContext {
    uint64_t workSpace;
    uint64_t workSpaceSize;
    uint32_t rankId;                       /* of this member */
    uint32_t rankNum;                      /* members */
    uint64_t winSize;                      /* bytes of one member's window */
    uint64_t windowsIn[COMM_MAX_RANK_NUM]; /* address of each member's window in this process */
    uint64_t windowsOut[COMM_MAX_RANK_NUM];
};

static_assert(sizeof(CommContext) == 1056, "layout");
static_assert(offsetof(CommContext, rankId) == 16, "layout");
static_assert(offsetof(CommContext, winSize) == 24, "layout");
static_assert(offsetof(CommContext, windowsIn) == 32, "layout");
static_assert(offsetof(CommContext, windowsOut) == 544, "layout");

#endif
