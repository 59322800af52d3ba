/*
 * data_build - an L3 build with a plan of its parameters, and files of arrays in it: for tests of what goes in and is
 * compared.
 */
#ifndef L3R_TESTS_SUPPORT_DATA_BUILD_H
#define L3R_TESTS_SUPPORT_DATA_BUILD_H

#include "tests/support/temp_dir.h"

#include "common/plan/plan_build.h"
#include "orchestrator/open/build.h"
#include "orchestrator/tensor_file/tensor_write.h"

struct data_build {
    char *dir;
    struct build build;
    struct plan plan;
};

struct data_param {
    const char *name;
    enum dtype dtype;
    enum plan_direction direction;
    uint32_t ndim;
    int64_t shape[2];
};

/* `params` of the metadata as JSON; those of the plan are storages 0, 1, ... in this order. */
struct data_build *data_build_open(const char *params, const struct data_param *planned, size_t count);

/* Of one test. */
int data_build_teardown(void **state);

/* Write an array as dir/name; its path, to be freed. */
char *data_build_save(const struct data_build *f, const char *name, enum dtype type, uint32_t ndim,
                      const int64_t *shape, const void *data);

/* What the user put at data/<dir>/<file>, and nobody can read, makes `open` fail (INFRA), naming it and what to do: it
 * is not "nothing there". */
void data_build_expect_unusable(const struct data_build *f, const char *dir_name, const char *file_name,
                                int (*open)(const struct data_build *f, struct error *err));

#endif
