#pragma once
#include <cstdint>

enum { COMM_MAX_RANK_NUM = 64 };

struct CommContext {
    uint64_t winSize;
    uint64_t windowsIn[COMM_MAX_RANK_NUM], windowsOut[COMM_MAX_RANK_NUM];
    uint32_t rankId, rankNum;
};
