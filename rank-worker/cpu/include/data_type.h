/*
 * data_type - element types and the packing of scalars into 64-bit slots.
 *
 * The numbers are the runtime's: docs/formats.md, "Element types".
 */
#ifndef L3R_DATA_TYPE_H
#define L3R_DATA_TYPE_H

#include "l3r_std.h"

constexpr int MAX_TENSOR_DIMS = 5;

enum class AddressSpace : uint8_t { HOST = 0, DEVICE = 1 };

enum class DataType : uint8_t {
    FLOAT32,
    FLOAT16,
    INT32,
    INT16,
    INT8,
    UINT8,
    BFLOAT16,
    INT64,
    UINT64,
    UINT16,
    UINT32,
    BOOL,
    FP8E4M3FN,
    FP8E8M0,
    FP4E2M1,
    DATA_TYPE_NUM,
};

template <typename T>
inline constexpr bool is_supported_scalar_arg_v = std::is_arithmetic_v<std::remove_cv_t<std::remove_reference_t<T>>> ||
                                                  std::is_enum_v<std::remove_cv_t<std::remove_reference_t<T>>>;

/* Bytes of one element; 0 for a value that is no type. */
constexpr uint64_t get_element_size(DataType dtype)
{
    constexpr uint8_t sizes[] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1, 1, 1, 1};
    return dtype < DataType::DATA_TYPE_NUM ? sizes[static_cast<uint8_t>(dtype)] : 0;
}

constexpr const char *get_dtype_name(DataType dtype)
{
    constexpr const char *names[] = {"FLOAT32", "FLOAT16",  "INT32",     "INT16",   "INT8",
                                     "UINT8",   "BFLOAT16", "INT64",     "UINT64",  "UINT16",
                                     "UINT32",  "BOOL",     "FP8E4M3FN", "FP8E8M0", "FP4E2M1"};
    return dtype < DataType::DATA_TYPE_NUM ? names[static_cast<uint8_t>(dtype)] : "UNKNOWN";
}

/* Bits of `value` in the low bytes of a slot, the rest zero (no sign extension). */
template <typename T> inline uint64_t to_u64(T value)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "to_u64: at most 8 bytes");
    static_assert(std::is_trivially_copyable_v<T>, "to_u64: trivially copyable types only");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

/* The value whose bits are in the low bytes of a slot. */
template <typename T> inline T from_u64(uint64_t bits)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "from_u64: at most 8 bytes");
    static_assert(std::is_trivially_copyable_v<T>, "from_u64: trivially copyable types only");
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
}

/* DataType number of a C++ scalar type; double counts as FLOAT32, what has none as UINT64. */
template <typename T> inline constexpr uint8_t dtype_of()
{
    static_assert(is_supported_scalar_arg_v<T>, "dtype_of: arithmetic and enum types only");
    DataType type = DataType::UINT64;
    if constexpr (std::is_same_v<T, bool>) {
        type = DataType::BOOL;
    } else if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) {
        type = DataType::FLOAT32;
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
        type = sizeof(T) == 1   ? DataType::INT8
               : sizeof(T) == 2 ? DataType::INT16
               : sizeof(T) == 4 ? DataType::INT32
                                : DataType::INT64;
    } else if constexpr (std::is_integral_v<T>) {
        type = sizeof(T) == 1   ? DataType::UINT8
               : sizeof(T) == 2 ? DataType::UINT16
               : sizeof(T) == 4 ? DataType::UINT32
                                : DataType::UINT64;
    }
    return static_cast<uint8_t>(type);
}

#endif
