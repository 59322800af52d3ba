/* Atomic adds of PTO-ISA to the same integers from each kernel object; -DLANE=0, 1 or 2. */
#include <cstdint>
#include <pto/pto-inst.hpp>

#include "atomic.h"
#include "mixed.h"

using namespace pto;

using Cells = GlobalTensor<int32_t, Shape<1, 1, 1, 1, ATOMIC_CELLS>, Stride<1, 1, 1, ATOMIC_CELLS, 1>>;
using Ones = Tile<TileType::Vec, int32_t, 1, ATOMIC_CELLS, BLayout::RowMajor, 1, ATOMIC_CELLS>;

extern "C" void kernel_entry(int64_t *args)
{
    struct atomic_memory *m = reinterpret_cast<struct atomic_memory *>(args[KERNEL_MEMORY]);
    Cells cells(m->cells);
    Ones ones;

    TASSIGN(ones, 0x0);
    for (int i = 0; i < ATOMIC_CELLS; i++) {
        ones.data()[i] = 1;
    }
    for (int i = 0; i < ATOMIC_ADDS; i++) {
        TSTORE<Ones, Cells, AtomicType::AtomicAdd>(cells, ones);
    }
}
