/*
 * assert_compat - always_assert and debug_assert for orchestrations and kernels.
 *
 * A failed assertion ends the orchestration with an error that shows the
 * condition and its place; in a kernel it aborts the executor.
 */
#ifndef L3R_ASSERT_COMPAT_H
#define L3R_ASSERT_COMPAT_H

#include "l3r_abi.h"

#define always_assert(cond)                                                                                            \
    do {                                                                                                               \
        if (__builtin_expect(!(cond), 0)) {                                                                            \
            l3r_cpu_assert_failed(#cond, __FILE__, __LINE__);                                                          \
        }                                                                                                              \
    } while (0)

#ifdef NDEBUG
#define debug_assert(cond) ((void)0)
#else
#define debug_assert(cond) always_assert(cond)
#endif

#endif
