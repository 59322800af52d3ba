/*
 * program_table - one L2 sub-build, next_levels/<name>/, as its kernel_config.py describes it.
 *
 * Filled by the recorder (orchestrator/record), read by the compiler and the
 * devices. Source: docs/formats.md, "kernel_config.py". All strings are owned
 * by the struct and freed by program_table_free(); paths are absolute.
 */
#ifndef L3R_COMMON_PLAN_PROGRAM_TABLE_H
#define L3R_COMMON_PLAN_PROGRAM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

enum core_type { CORE_AIC = 0, CORE_AIV = 1 };

/* Direction of one argument in a signature (runtime numbering). */
enum arg_direction { ARG_SCALAR = 0, ARG_IN = 1, ARG_OUT = 2, ARG_INOUT = 3 };

struct signature {
    bool given; /* kernel_config.py may leave it out */
    uint32_t count;
    uint8_t *directions; /* enum arg_direction */
};

struct kernel {
    int32_t func_id; /* unique within its program only */
    char *name;
    char *source; /* absolute path of the .cpp */
    enum core_type core;
    bool external; /* source lives outside the build */
    struct signature signature;
    size_t ninclude;
    char **include_dirs;
};

struct program {
    char *name;    /* key in callables[...] */
    char *dir;     /* absolute path of next_levels/<name> */
    char *runtime; /* "tensormap_and_ringbuffer" when not given */
    int aicpu_thread_num;
    bool enable_sdma;
    char *orchestration; /* absolute path of the .cpp */
    char *function_name;
    char *config_name; /* "aicpu_orchestration_config" when not given */
    struct signature signature;
    size_t nkernel;
    struct kernel *kernels;
};

struct program_table {
    size_t count, capacity;
    struct program *items;
};

void program_table_free(struct program_table *table);

/* Index of the program called `name`, or -1. */
long program_find(const struct program_table *table, const char *name);

#endif
