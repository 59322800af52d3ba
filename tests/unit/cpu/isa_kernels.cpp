/* Kernels of test_cpu_isa.c, over PTO-ISA; -DKERNEL=n picks one. Tensors are contiguous; a tile is ROWS x COLS. */
#include <cstdint>
#include <pto/pto-inst.hpp>
#include <pto/comm/pto_comm_inst.hpp>

#include "tensor.h"

using namespace pto;

constexpr int ROWS = 16, COLS = 16;

template <typename T> using Global = GlobalTensor<T, Shape<1, 1, 1, ROWS, COLS>, Stride<1, 1, 1, COLS, 1>>;
template <typename T> using Vec = Tile<TileType::Vec, T, ROWS, COLS, BLayout::RowMajor, ROWS, COLS>;
template <typename T>
using Mat = Tile<TileType::Mat, T, ROWS, COLS, BLayout::ColMajor, ROWS, COLS, SLayout::RowMajor, 512>;

template <typename T> static T *elements(int64_t arg)
{
    const ChipTensor *t = reinterpret_cast<const ChipTensor *>(arg);
    return reinterpret_cast<T *>(t->buffer.addr) + t->start_offset;
}

#if KERNEL == 0 /* args[2] = args[0] + args[1] */
extern "C" void kernel_entry(int64_t *args)
{
    Global<float> a(elements<float>(args[0])), b(elements<float>(args[1])), sum(elements<float>(args[2]));
    Vec<float> x, y, z;
    TASSIGN(x, 0x0);
    TASSIGN(y, 0x1000);
    TASSIGN(z, 0x2000);
    TLOAD(x, a);
    TLOAD(y, b);
    TADD(z, x, y);
    TSTORE(sum, z);
}
#elif KERNEL == 1                /* args[2] = args[0] times args[1], as matrices */
extern "C" void kernel_entry(int64_t *args)
{
    Global<float> a(elements<float>(args[0])), b(elements<float>(args[1])), product(elements<float>(args[2]));
    Mat<float> x, y;
    TileLeft<float, ROWS, COLS, ROWS, COLS> left;
    TileRight<float, ROWS, COLS, ROWS, COLS> right;
    TileAcc<float, ROWS, COLS, ROWS, COLS> acc;
    TASSIGN(x, 0x0);
    TASSIGN(y, 0x1000);
    TASSIGN(left, 0x0);
    TASSIGN(right, 0x0);
    TASSIGN(acc, 0x0);
    TLOAD(x, a);
    TLOAD(y, b);
    TMOV(left, x);
    TMOV(right, y);
    TMATMUL(acc, left, right);
    TSTORE(product, acc);
}
#elif KERNEL == 2 || KERNEL == 3 /* cube lane: eight tiles through a pipe of two slots; vector lane: their sum */
constexpr int TILES = 8;
using Fifo = TPipe<0, Direction::DIR_C2V, ROWS * COLS * sizeof(float), 2>;

extern "C" void kernel_entry(int64_t *args)
{
    Global<float> in(elements<float>(args[0])), out(elements<float>(args[2]));
    Fifo pipe(elements<float>(args[1]), 0x0, 0x0);
#if KERNEL == 2
    Tile<TileType::Mat, float, ROWS, COLS> tile;
    TASSIGN(tile, 0x0);
    TLOAD(tile, in);
    for (int i = 0; i < TILES; i++) {
        TPUSH(tile, pipe);
    }
    (void)out;
#else
    Vec<float> tile, sum;
    TASSIGN(tile, 0x4000);
    TASSIGN(sum, 0x8000);
    TLOAD(sum, out);
    for (int i = 0; i < TILES; i++) {
        TPOP(tile, pipe);
        TADD(sum, sum, tile);
        TFREE(pipe);
    }
    TSTORE(out, sum);
    (void)in;
#endif
}
#elif KERNEL == 4 /* waits until the first element is 3, then adds 1 to the second */
extern "C" void kernel_entry(int64_t *args)
{
    int32_t *p = elements<int32_t>(args[0]);
    pto::comm::Signal signal(p);
    pto::comm::TWAIT(signal, 3, pto::comm::WaitCmp::EQ);
    p[1] += 1;
}
#elif KERNEL == 5 /* adds 3 to the first element */
extern "C" void kernel_entry(int64_t *args)
{
    pto::comm::Signal signal(elements<int32_t>(args[0]));
    pto::comm::TNOTIFY(signal, 3, pto::comm::NotifyOp::AtomicAdd);
}
#elif KERNEL == 6 /* args[1] = args[0] as bfloat16, args[2] = that plus itself, as float */
static_assert(!std::is_same_v<bfloat16_t, half>, "bfloat16 is not half");

extern "C" void kernel_entry(int64_t *args)
{
    Global<float> in(elements<float>(args[0])), out(elements<float>(args[2]));
    Global<bfloat16_t> narrow(elements<bfloat16_t>(args[1]));
    Vec<float> x, y;
    Vec<bfloat16_t> b;
    TASSIGN(x, 0x0);
    TASSIGN(y, 0x1000);
    TASSIGN(b, 0x2000);
    TLOAD(x, in);
    TCVT(b, x, RoundMode::CAST_RINT);
    TSTORE(narrow, b);
    TCVT(y, b, RoundMode::CAST_NONE);
    TADD(y, y, y);
    TSTORE(out, y);
}
#elif KERNEL == 7 /* args[0] as 8 rows of 32: first elements of args[2] = their sums */
extern "C" void kernel_entry(int64_t *args)
{
    using Wide = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, -1>;
    GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>> in(elements<float>(args[0]));
    GlobalTensor<float, Shape<1, 1, 1, 8, 1>, Stride<1, 1, 1, 1, 1>, Layout::DN> out(elements<float>(args[2]));
    const int cols = static_cast<int>(reinterpret_cast<const ChipTensor *>(args[0])->numel() / 8);
    Wide x(8, cols), scratch(8, cols);
    Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1> sums;
    TASSIGN(x, 0x0);
    TASSIGN(scratch, 0x1000);
    TASSIGN(sums, 0x2000);
    TLOAD(x, in);
    TROWSUM(sums, x, scratch);
    TSTORE(out, sums);
}
#elif KERNEL == 8 /* args[1], 16 bits wide, with its last column padded */
extern "C" void kernel_entry(int64_t *args)
{
    using Narrow = Tile<TileType::Vec, half, ROWS, COLS, BLayout::RowMajor, ROWS, COLS - 1>;
    using Padded =
        Tile<TileType::Vec, half, ROWS, COLS, BLayout::RowMajor, ROWS, COLS, SLayout::NoneBox, 512, PadValue::Min>;
    GlobalTensor<half, Shape<1, 1, 1, ROWS, COLS - 1>, Stride<1, 1, 1, COLS, 1>> in(elements<half>(args[1]));
    Global<half> out(elements<half>(args[1]));
    Narrow x;
    Padded y;
    TASSIGN(x, 0x0);
    TASSIGN(y, 0x1000);
    TLOAD(x, in);
    TFILLPAD(y, x);
    TSTORE(out, y);
}
#endif
