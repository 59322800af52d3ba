/*
 * l3r_isa_compat - lets kernels of one PTO-ISA version compile against another.
 *
 * Until August 2026 PTO-ISA's CPU code had SINGLE_CACHE_LINE and its like as macros;
 * since then they are members of a struct cache_line_t. Generated kernels use either
 * form, and some bring a namespace cache_line_t of their own. Where PTO-ISA was included
 * before tensor.h, as generated kernels do, this offers both forms: what a kernel
 * defines in the namespace itself comes before what is found here.
 */
#ifndef L3R_ISA_COMPAT_H
#define L3R_ISA_COMPAT_H

#if defined(PTO_CPUSTUB_HPP) && !defined(SINGLE_CACHE_LINE) && !defined(ENTIRE_DATA_CACHE) && !defined(CACHELINE_OUT)

inline constexpr int SINGLE_CACHE_LINE = 0;
inline constexpr int ENTIRE_DATA_CACHE = 0;
inline constexpr int CACHELINE_OUT = 0;

namespace l3r_cache_line_values
{
inline constexpr int SINGLE_CACHE_LINE = 0;
inline constexpr int ENTIRE_DATA_CACHE = 0;
inline constexpr int CACHELINE_OUT = 0;
} // namespace l3r_cache_line_values
namespace l3r_cache_line
{
using namespace l3r_cache_line_values;
}
#define cache_line_t l3r_cache_line

#endif

#endif
