/*
 * tensor_create_info - an output that the runtime is to create: shape, type, and what it starts as.
 */
#ifndef L3R_TENSOR_CREATE_INFO_H
#define L3R_TENSOR_CREATE_INFO_H

#include "tensor.h"

class alignas(64) TensorCreateInfo
{
  public:
    TensorCreateInfo() = default;
    TensorCreateInfo(const uint32_t shapes_in[], uint32_t ndims_in, DataType dtype_in = DataType::FLOAT32,
                     bool manual_dep_in = false)
        : initial_value(0), has_initial_value(false), start_offset(0), version(0), ndims(ndims_in), dtype(dtype_in),
          manual_dep(manual_dep_in), is_contiguous(true), address_space(AddressSpace::HOST)
    {
        always_assert(ndims_in > 0 && ndims_in <= MAX_TENSOR_DIMS);
        for (uint32_t i = 0; i < ndims_in; i++) {
            shapes[i] = shapes_in[i];
        }
    }

    void copy(const TensorCreateInfo &other)
    {
        *this = other;
    }

    /* Every element of the buffer starts with the low bytes of `value`'s bits. */
    template <typename T = uint64_t> void set_initial_value(T value)
    {
        has_initial_value = true;
        initial_value = to_u64(value);
    }

    uint64_t buffer_size_bytes() const
    {
        uint64_t total = get_element_size(dtype);
        for (uint32_t i = 0; i < ndims; i++) {
            total *= shapes[i];
        }
        return total;
    }

    uint64_t initial_value;
    bool has_initial_value;
    uint8_t reserved[15];
    uint64_t start_offset;
    int32_t version;
    uint32_t ndims;
    DataType dtype;
    bool manual_dep;
    bool is_contiguous;
    AddressSpace address_space;
    uint32_t shapes[MAX_TENSOR_DIMS];
};

static_assert(sizeof(TensorCreateInfo) == 64 && sizeof(l3r_create_info) == 64, "one cache line");
static_assert(offsetof(TensorCreateInfo, ndims) == offsetof(l3r_create_info, ndims), "layout");
static_assert(offsetof(TensorCreateInfo, manual_dep) == offsetof(l3r_create_info, manual_dep), "layout");
static_assert(offsetof(TensorCreateInfo, shapes) == offsetof(l3r_create_info, shapes), "layout");

#endif
