/*
 * sheet - which objects the programs of a plan are made of, as text.
 *
 * Made where programs are compiled, read by executors. JSON, for this build of
 * the program only: an array with one object a program, in the order of the
 * plan's programs; null for a program without objects.
 */
#ifndef L3R_COMMON_SHEET_H
#define L3R_COMMON_SHEET_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/program.h"

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

/* Writing, program after program: sheet_writer_text() hands out malloc'd text and frees the writer. */
struct sheet_writer;
struct sheet_writer *sheet_writer_new(struct error *err);
void sheet_writer_free(struct sheet_writer *w);

/* `program` == NULL writes null. `kernels` has program->nkernel paths, in its order. */
int sheet_write(struct sheet_writer *w, const struct program *program, const char *orchestration,
                char *const *kernels, struct error *err);
char *sheet_writer_text(struct sheet_writer *w, struct error *err);

#endif
