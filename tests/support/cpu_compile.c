#include "tests/support/cpu_compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool rig_shell(const char *format, ...)
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

const char *rig_cxx23(void)
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

const char *rig_cxx23_flags(void)
{
    return strstr(rig_cxx23(), "clang") ? RIG_KERNEL_FLAGS " -mllvm -hints-allow-reordering=false"
                                        : RIG_KERNEL_FLAGS " -fno-gnu-unique -fpermissive";
}
