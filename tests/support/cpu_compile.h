/*
 * cpu_compile - compiles orchestrations and kernels for the cpu device, for tests and benches.
 *
 * The flags are those of docs/formats.md, "What a compile is". Nothing here fails a test: who calls asks for the result.
 */
#ifndef L3R_TESTS_SUPPORT_CPU_COMPILE_H
#define L3R_TESTS_SUPPORT_CPU_COMPILE_H

#include <stdbool.h>

#define RIG_INCLUDE SOURCE_DIR "/rank-worker/cpu/include"
#define RIG_KERNEL_FLAGS "-shared -fPIC -O2 -std=c++23 -D__CPU_SIM -DPTO_CPU_MAX_THREADS=1 -DNDEBUG -Ddsb=l3r_dsb -w"

/* Run a command line of the shell; true when it exits with 0. */
bool rig_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The kernel compiler: what $L3R_TEST_CXX23 says, else the newest that is installed. */
const char *rig_cxx23(void);

/* Its flags for a kernel, without paths of headers. */
const char *rig_cxx23_flags(void);

#endif
