#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "task_args.h"

/* A magic number, lengths, names; then the orchestration, and for each kernel its id, size and bytes. */
struct CallableHead {
    uint64_t magic, orchestration, nkernel, signature;
    char function[64];
};

struct CoreCallable {
};

enum : uint64_t { CALLABLE_MAGIC = 0x63616c6c61626c65 };

template <int Max> std::vector<uint8_t> make_callable(const ArgDirection *, int32_t, const void *binary, uint32_t size)
{
    const uint8_t *bytes = static_cast<const uint8_t *>(binary);

    return std::vector<uint8_t>(bytes, bytes + size);
}

template <typename Child, int MaxSignature, int MaxChildren>
std::vector<uint8_t> make_callable(const ArgDirection *, int32_t nsignature, const char *function, const void *binary,
                                   uint32_t size, const int32_t *ids, const std::vector<uint8_t> *kernels,
                                   int32_t nkernel, const char *)
{
    CallableHead head{CALLABLE_MAGIC, size, static_cast<uint64_t>(nkernel), static_cast<uint64_t>(nsignature), {}};
    std::vector<uint8_t> out(sizeof head + size);

    std::strncpy(head.function, function, sizeof head.function - 1);
    std::memcpy(out.data(), &head, sizeof head);
    std::memcpy(out.data() + sizeof head, binary, size);
    for (int32_t i = 0; i < nkernel; i++) {
        const uint64_t id = static_cast<uint64_t>(ids[i]), length = kernels[i].size();
        const uint8_t *parts[] = {reinterpret_cast<const uint8_t *>(&id), reinterpret_cast<const uint8_t *>(&length)};

        out.insert(out.end(), parts[0], parts[0] + sizeof id);
        out.insert(out.end(), parts[1], parts[1] + sizeof length);
        out.insert(out.end(), kernels[i].begin(), kernels[i].end());
    }
    return out;
}
