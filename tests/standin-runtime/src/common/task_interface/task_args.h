#pragma once
#include <cstdint>
#include <stdexcept>

enum { MAX_TENSOR_DIMS = 6, CHIP_MAX_TENSOR_ARGS = 256, CORE_MAX_TENSOR_ARGS = 32 };
enum class DataType : uint8_t { FLOAT32 = 0, DATA_TYPE_NUM = 15 };
enum class AddressSpace : uint8_t { HOST = 0, DEVICE = 1 };
enum class ArgDirection : int32_t { SCALAR = 0, IN, OUT, INOUT };

struct ChipTensor {
    uint32_t shapes[MAX_TENSOR_DIMS], strides[MAX_TENSOR_DIMS], ndims;
    DataType dtype;
    AddressSpace address_space;
    void *addr;
};

inline ChipTensor make_tensor_strided(void *addr, const uint32_t shapes[], const uint32_t strides[], uint32_t ndims,
                                      DataType dtype, bool, int32_t, AddressSpace space)
{
    ChipTensor t{};

    for (uint32_t i = 0; i < ndims; i++) {
        t.shapes[i] = shapes[i];
        t.strides[i] = strides[i];
    }
    t.ndims = ndims;
    t.dtype = dtype;
    t.address_space = space;
    t.addr = addr;
    return t;
}

struct ChipStorageTaskArgs {
    int32_t ntensor, nscalar;
    uint64_t scalars[128];
    ChipTensor tensors[CHIP_MAX_TENSOR_ARGS];

    void clear()
    {
        ntensor = nscalar = 0;
    }
    void add_tensor(const ChipTensor &t)
    {
        if (ntensor == CHIP_MAX_TENSOR_ARGS) {
            throw std::out_of_range("too many tensors");
        }
        tensors[ntensor++] = t;
    }
    void add_scalar(uint64_t s)
    {
        scalars[nscalar++] = s;
    }
};
