/*
 * sheet - JSON that lists, for each program of a plan, its shared objects, and for each
 * sub-worker its Python file.
 *
 * Made where programs are compiled, read by executors of the same version of l3replay:
 * an object with two arrays,
 *
 *   "programs"     one object a program, in the order of the plan's programs;
 *                  null for a program without objects
 *   "sub_workers"  one object a sub-worker, in the order of the plan's
 *                  sub-workers: "name", "file" (absolute) and "function"
 */
#ifndef L3R_COMMON_PLAN_SHEET_H
#define L3R_COMMON_PLAN_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/program_table.h"

/* One program of the sheet; strings are owned by the sheet. */
struct sheet_kernel {
    int32_t func_id;
    enum core_type core;
    const char *name, *path;
};

struct sheet_program {
    const char *name; /* NULL: no objects */
    const char *orchestration, *function_name, *config_name;
    int32_t nsignature; /* -1: not given */
    uint8_t *signature;
    uint32_t nkernel;
    struct sheet_kernel *kernels;
};

struct sheet {
    uint32_t count;
    struct sheet_program *programs;
    void *json; /* what the strings point into */
};

/* Read a sheet. */
int sheet_parse(const char *text, struct sheet *out, struct error *err);
void sheet_free(struct sheet *sheet); /* a zeroed struct is fine */

/* Those of the first `count` sub-workers that are `wanted` (by their place in the sheet), as the line of JSON that Python
 * reads, an array; to be freed with free(). */
char *sheet_sub_workers(const struct sheet *sheet, const bool *wanted, size_t count, struct error *err);

/* Writing, program after program: sheet_writer_text() hands out malloc'd text and frees the writer. */
struct sheet_writer;
struct sheet_writer *sheet_writer_new(struct error *err);
void sheet_writer_free(struct sheet_writer *w);

/* `program` == NULL writes null. `kernels` has program->nkernel paths, in its order. */
int sheet_write(struct sheet_writer *w, const struct program *program, const char *orchestration, char *const *kernels,
                struct error *err);

/* Append a sub-worker: `function` of the Python file at `file`. */
int sheet_write_sub_worker(struct sheet_writer *w, const char *name, const char *file, const char *function,
                           struct error *err);
char *sheet_writer_text(struct sheet_writer *w, struct error *err);

#endif
