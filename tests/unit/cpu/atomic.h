/*
 * atomic - what the kernels of test_cpu_atomics.c do, read by C and C++.
 *
 * Memory: struct atomic_memory. Each call adds 1 to all of ATOMIC_CELLS, ATOMIC_ADDS times.
 */
#ifndef L3R_TESTS_UNIT_CPU_ATOMIC_H
#define L3R_TESTS_UNIT_CPU_ATOMIC_H

#include <stdint.h>

enum { ATOMIC_CELLS = 8, ATOMIC_ADDS = 2000 };

struct atomic_memory {
    int32_t cells[ATOMIC_CELLS];
    uint64_t mutexes[3]; /* by kernel object: the address it has for PTO-ISA's lock of atomic adds */
};

#endif
