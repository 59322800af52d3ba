/*
 * compile_fixture - a build with sources to compile, and a store, in a directory whose name holds all that
 * might be taken apart: blanks, dollars, quotes, letters beyond ASCII.
 */
#ifndef L3R_TESTS_SUPPORT_COMPILE_FIXTURE_H
#define L3R_TESTS_SUPPORT_COMPILE_FIXTURE_H

#include "common/base/log.h"
#include "rank-worker/compile/compile.h"
#include "tests/support/temp_dir.h"

enum { FIXTURE_KERNELS = 4 };

struct fixture {
    char *top;  /* removed at the end */
    char *root; /* the odd directory in it */
    struct kernel kernels[2][FIXTURE_KERNELS];
    struct program programs[2];
    struct program_table table;
    struct compile_session_options session;
    struct compile_options options;
    struct compiled out;
    struct error err;
    char log[65536]; /* what compile_programs() wrote to stderr */
};

/* As asprintf(); to be freed. */
__attribute__((format(printf, 1, 2))) char *fixture_text(const char *fmt, ...);

/* Write a file below the directory. */
void fixture_put(struct fixture *f, const char *name, const char *text);

/* An executable bash script. */
void fixture_script(struct fixture *f, const char *name, const char *text);

/* A compiler that writes a line to "runs" each time it compiles; $odd is the fixture's directory. */
void fixture_compiler(struct fixture *f, const char *variable, const char *name, const char *extra, const char *real);

/* Lines of "runs" that hold `what`. */
int fixture_runs(const struct fixture *f, const char *what);

/* Add a vector kernel with this source to a program; its func_id is its number in the program. */
void fixture_kernel(struct fixture *f, int program, const char *name, const char *text);

/* $PTO_ISA_ROOT is a PTO-ISA of one header, in which PTO_VALUE is 100. */
void fixture_use_pto(struct fixture *f);

/* The source of a kernel that returns PTO_VALUE + value, to be freed; and add it to a program. */
char *fixture_pto_source(int value);
void fixture_kernel_with_pto(struct fixture *f, int program, const char *name, int value);

/* How many entries the store has in a directory of it. */
int fixture_entries(const struct fixture *f, const char *dir);

/* Two programs without kernels, the first of them in the table; closing removes everything. */
void fixture_open(struct fixture *f);
void fixture_close(struct fixture *f);

/* Compile in a session of its own, as one command does, with stderr into f->log. */
int fixture_compile(struct fixture *f); /* with stderr as it is */
int fixture_run(struct fixture *f);

/* Compile; fails unless so many objects were built, and so many found in the store. */
void fixture_expect(struct fixture *f, unsigned built, unsigned reused);

void fixture_refused_with(struct fixture *f, const char *const *words);

/* Fails with an INFRA error whose text, place and hint hold all the words given. */
#define fixture_refused(f, ...) fixture_refused_with(f, (const char *const[]){__VA_ARGS__, NULL})

/* The number that a function of an object returns. */
int fixture_call(const char *object, const char *function);

/* The same for an object of the first program, made by the last compile. */
int fixture_kernel_result(const struct fixture *f, int kernel);

#endif
