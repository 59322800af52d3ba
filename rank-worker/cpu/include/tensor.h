/*
 * tensor - ChipTensor: a strided view of a buffer, as orchestrations and kernels see it.
 *
 * Views never copy elements: they move `start_offset` and rewrite shapes and
 * strides. An element's address is buffer.addr + (start_offset + sum of
 * index * stride) * element size. The layout is the kernels' binary interface:
 * docs/formats.md, "Tensors on the cpu device".
 */
#ifndef L3R_TENSOR_H
#define L3R_TENSOR_H

#include "assert_compat.h"
#include "data_type.h"
#include "l3r_isa_compat.h"
#include "pto_task_id.h"

struct PTOBufferHandle {
    uint64_t addr;
    uint64_t size; /* bytes */
};

/* What a task does with a tensor. */
enum class TensorArgType : int32_t {
    INPUT = 0,           /* reads */
    OUTPUT = 1,          /* writes; the runtime creates the buffer */
    INOUT = 2,           /* reads and writes */
    OUTPUT_EXISTING = 3, /* writes an existing tensor */
    NO_DEP = 4,          /* waits for the buffer's creator only, is waited for by nobody */
};

struct alignas(64) ChipTensor {
    PTOBufferHandle buffer;
    PTO2TaskId owner_task_id; /* task that created the buffer; invalid() when it came from outside */
    uint64_t start_offset;    /* of the view's first element, elements */
    int32_t version;
    uint32_t ndims;
    DataType dtype;
    bool manual_dep;    /* dependencies through the creator only */
    bool is_contiguous; /* strides are those of a row-major tensor of this shape */
    AddressSpace address_space;
    uint32_t shapes[MAX_TENSOR_DIMS];
    uint64_t extent_elem_cache;
    uint32_t strides[MAX_TENSOR_DIMS]; /* elements, > 0 */
    uint8_t _pad_cl2[36];

    ChipTensor() = default;

    uint64_t numel() const
    {
        uint64_t total = 1;
        for (uint32_t i = 0; i < ndims; i++) {
            total *= shapes[i];
        }
        return total;
    }

    /* Elements from the view's first to one past the last that it reaches. */
    uint64_t extent_elem() const
    {
        return is_contiguous ? numel() : extent_elem_cache;
    }

    uint64_t nbytes() const
    {
        return numel() * get_element_size(dtype);
    }

    bool is_device_memory() const
    {
        return address_space == AddressSpace::DEVICE;
    }

    /* The buffer, not the view's first element. */
    template <typename T> T *data_as() const
    {
        return reinterpret_cast<T *>(static_cast<uintptr_t>(buffer.addr));
    }

    /* Elements from the buffer's start to the element at `indices`. */
    uint64_t compute_flat_offset(const uint32_t indices[], uint32_t in_ndims) const
    {
        uint64_t offset = start_offset;
        for (uint32_t i = 0; i < in_ndims; i++) {
            offset += static_cast<uint64_t>(indices[i]) * strides[i];
        }
        return offset;
    }

    /* Become a contiguous tensor over memory that is there already. */
    void init_external(void *addr, uint64_t buffer_size_bytes, const uint32_t in_shapes[], uint32_t in_ndims,
                       DataType in_dtype, int32_t in_version, bool in_manual_dep = false,
                       AddressSpace in_address_space = AddressSpace::HOST)
    {
        always_assert(in_ndims > 0 && in_ndims <= MAX_TENSOR_DIMS);
        buffer = {static_cast<uint64_t>(reinterpret_cast<uintptr_t>(addr)), buffer_size_bytes};
        owner_task_id = PTO2TaskId::invalid();
        start_offset = 0;
        version = in_version;
        dtype = in_dtype;
        manual_dep = in_manual_dep;
        address_space = in_address_space;
        set_row_major(in_shapes, in_ndims);
    }

    void init_from(const ChipTensor &other)
    {
        *this = other;
    }
    void copy(const ChipTensor &other)
    {
        *this = other;
    }

    /* The part that starts at `view_offsets` and has shape `view_shapes`. It must lie within this view, unless it
     * is empty: then offsets may be anything and the start does not move. */
    ChipTensor view(const uint32_t view_shapes[], const uint32_t view_offsets[], bool in_manual_dep = false) const
    {
        ChipTensor result = *this;
        bool empty = false;
        for (uint32_t i = 0; i < ndims; i++) {
            empty = empty || view_shapes[i] == 0;
        }
        for (uint32_t i = 0; i < ndims; i++) {
            result.shapes[i] = view_shapes[i];
            if (!empty) {
                debug_assert(static_cast<uint64_t>(view_offsets[i]) + view_shapes[i] <= shapes[i]);
                result.start_offset += static_cast<uint64_t>(view_offsets[i]) * strides[i];
            }
        }
        result.manual_dep = in_manual_dep;
        result.refresh_derived();
        if (empty) {
            result.is_contiguous = true;
            result.extent_elem_cache = 0;
        } else {
            result.assert_in_buffer_bounds();
        }
        return result;
    }

    bool valid_transpose(uint32_t x, uint32_t y) const
    {
        return x < ndims && y < ndims;
    }

    ChipTensor transpose(uint32_t x, uint32_t y, bool in_manual_dep = false) const
    {
        debug_assert(valid_transpose(x, y));
        ChipTensor result = *this;
        result.shapes[x] = shapes[y];
        result.shapes[y] = shapes[x];
        result.strides[x] = strides[y];
        result.strides[y] = strides[x];
        result.manual_dep = in_manual_dep;
        result.refresh_derived();
        return result;
    }

    /* Dimension i of the result is dimension order[i] of this. */
    ChipTensor permute(const uint32_t order[], bool in_manual_dep = false) const
    {
        ChipTensor result = *this;
        for (uint32_t i = 0; i < ndims; i++) {
            debug_assert(order[i] < ndims);
            result.shapes[i] = shapes[order[i]];
            result.strides[i] = strides[order[i]];
        }
        result.manual_dep = in_manual_dep;
        result.refresh_derived();
        return result;
    }

    /* [start, end) of one dimension, every `step`th element. */
    ChipTensor slice(uint32_t dim, uint32_t start, uint32_t end, uint32_t step = 1, bool in_manual_dep = false) const
    {
        debug_assert(dim < ndims);
        debug_assert(step >= 1);
        debug_assert(end > start);
        debug_assert(end <= shapes[dim]);
        ChipTensor result = *this;
        result.start_offset += static_cast<uint64_t>(start) * strides[dim];
        result.shapes[dim] = (end - start + step - 1) / step;
        result.strides[dim] = strides[dim] * step;
        result.manual_dep = in_manual_dep;
        result.refresh_derived();
        result.assert_in_buffer_bounds();
        return result;
    }

    bool valid_reshape(const uint32_t new_shapes[], uint32_t new_ndims) const
    {
        uint64_t total = 1;
        for (uint32_t i = 0; i < new_ndims; i++) {
            total *= new_shapes[i];
        }
        return total == numel();
    }

    /* The same elements in another shape; contiguous views only. */
    ChipTensor reshape(const uint32_t new_shapes[], uint32_t new_ndims, bool in_manual_dep = false) const
    {
        debug_assert(new_ndims <= MAX_TENSOR_DIMS);
        debug_assert(valid_reshape(new_shapes, new_ndims));
        always_assert(is_contiguous);
        ChipTensor result = *this;
        result.manual_dep = in_manual_dep;
        result.set_row_major(new_shapes, new_ndims);
        return result;
    }

#if defined(L3R_TRANSITIVE_INCLUDES)
    std::string dump() const
    {
        std::ostringstream out;
        out << get_dtype_name(dtype) << " at " << buffer.addr << " + " << start_offset << " of " << buffer.size
            << " bytes, version " << version << ", shape:stride";
        for (uint32_t i = 0; i < ndims; i++) {
            out << ' ' << shapes[i] << ':' << strides[i];
        }
        return out.str();
    }
#endif

    /* extent_elem_cache and is_contiguous from shapes and strides. */
    void refresh_derived()
    {
        uint64_t extent = 1;
        uint64_t expected = 1;
        bool contiguous = true;
        for (uint32_t i = ndims; i-- > 0;) {
            contiguous = contiguous && strides[i] == expected;
            if (shapes[i] > 0) {
                extent += static_cast<uint64_t>(shapes[i] - 1) * strides[i];
            }
            expected *= shapes[i];
        }
        extent_elem_cache = extent;
        is_contiguous = contiguous;
    }

    void assert_in_buffer_bounds() const
    {
        debug_assert(start_offset + extent_elem_cache <= buffer.size / get_element_size(dtype));
    }

    void set_row_major(const uint32_t in_shapes[], uint32_t in_ndims)
    {
        uint32_t stride = 1;
        ndims = in_ndims;
        for (uint32_t i = in_ndims; i-- > 0;) {
            shapes[i] = in_shapes[i];
            strides[i] = stride;
            stride *= in_shapes[i];
        }
        extent_elem_cache = stride;
        is_contiguous = true;
    }
};

static_assert(sizeof(ChipTensor) == 128 && alignof(ChipTensor) == 64, "two cache lines");
static_assert(std::is_trivially_copyable_v<ChipTensor> && std::is_standard_layout_v<ChipTensor>, "plain data");
static_assert(offsetof(ChipTensor, buffer) == 0, "layout");
static_assert(offsetof(ChipTensor, owner_task_id) == 16, "layout");
static_assert(offsetof(ChipTensor, start_offset) == 24, "layout");
static_assert(offsetof(ChipTensor, version) == 32, "layout");
static_assert(offsetof(ChipTensor, ndims) == 36, "layout");
static_assert(offsetof(ChipTensor, dtype) == 40, "layout");
static_assert(offsetof(ChipTensor, manual_dep) == 41, "layout");
static_assert(offsetof(ChipTensor, is_contiguous) == 42, "layout");
static_assert(offsetof(ChipTensor, address_space) == 43, "layout");
static_assert(offsetof(ChipTensor, shapes) == 44, "layout");
static_assert(offsetof(ChipTensor, extent_elem_cache) == 64, "layout");
static_assert(offsetof(ChipTensor, strides) == 72, "layout");
static_assert(sizeof(l3r_tensor) == sizeof(ChipTensor), "the C view of it agrees");

/* Its names since August 2026: one word for the tensors that orchestrations and kernels work with. */
using Tensor = ChipTensor;
using TaskTensor = ChipTensor;

/* A contiguous tensor over memory that is there already. */
inline ChipTensor make_tensor_external(void *addr, const uint32_t shapes[], uint32_t ndims,
                                       DataType dtype = DataType::FLOAT32, bool manual_dep = false, int32_t version = 0,
                                       AddressSpace address_space = AddressSpace::HOST)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < ndims; i++) {
        total *= shapes[i];
    }
    ChipTensor tensor{};
    tensor.init_external(addr, total * get_element_size(dtype), shapes, ndims, dtype, version, manual_dep,
                         address_space);
    return tensor;
}

/* The same with strides of any order; `addr` is the first element. */
inline ChipTensor make_tensor_strided(void *addr, const uint32_t shapes[], const uint32_t strides[], uint32_t ndims,
                                      DataType dtype = DataType::FLOAT32, bool manual_dep = false, int32_t version = 0,
                                      AddressSpace address_space = AddressSpace::HOST)
{
    ChipTensor tensor{};
    tensor.init_external(addr, 0, shapes, ndims, dtype, version, manual_dep, address_space);
    for (uint32_t i = 0; i < ndims; i++) {
        tensor.strides[i] = strides[i];
    }
    tensor.refresh_derived();
    tensor.buffer.size = tensor.extent_elem_cache * get_element_size(dtype);
    return tensor;
}

namespace simpler::tmr
{
using ::make_tensor_external;
using ::make_tensor_strided;
using ::Tensor;
} // namespace simpler::tmr

#endif
