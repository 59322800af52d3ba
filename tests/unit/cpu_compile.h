/*
 * cpu_compile - compiles orchestrations and kernels for the cpu device, for tests and benches.
 *
 * The flags are those of docs/formats.md, "What a compile is". Nothing here fails a test: who calls asks for the result.
 */
#ifndef L3R_TESTS_UNIT_CPU_COMPILE_H
#define L3R_TESTS_UNIT_CPU_COMPILE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define RIG_INCLUDE SOURCE_DIR "/rank-worker/cpu/include"
#define RIG_KERNEL_FLAGS "-shared -fPIC -O2 -std=c++23 -D__CPU_SIM -DPTO_CPU_MAX_THREADS=1 -DNDEBUG -Ddsb=l3r_dsb -w"

/* Run a command line of the shell; true when it exits with 0. */
static inline bool rig_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline bool rig_shell(const char *format, ...)
{
    char *command;
    va_list ap;
    va_start(ap, format);
    const int length = vasprintf(&command, format, ap);
    va_end(ap);
    if (length < 0) {
        return false;
    }
    const int status = system(command);
    free(command);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The kernel compiler: what $L3R_TEST_CXX23 says, else the newest that is installed. */
static inline const char *rig_cxx23(void)
{
    static const char *const known[] = {"g++-15", "g++-14", "g++-13", "clang++-19", "clang++-18", "clang++-17"};
    const char *given = getenv("L3R_TEST_CXX23");
    if (given && *given) {
        return given;
    }
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (rig_shell("command -v %s >/dev/null 2>&1", known[i])) {
            return known[i];
        }
    }
    fprintf(stderr, "no C++23 compiler: install g++ 13 or later, or clang 17 or later\n");
    return "false";
}

static inline const char *rig_cxx23_flags(void)
{
    return strstr(rig_cxx23(), "clang") ? RIG_KERNEL_FLAGS " -mllvm -hints-allow-reordering=false"
                                        : RIG_KERNEL_FLAGS " -fno-gnu-unique -fpermissive";
}

#endif
