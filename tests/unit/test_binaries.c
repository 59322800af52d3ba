/* Binaries in a build: where they are put, and when they are found. Names are those of docs/formats.md, "Binaries in a build". */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "rank-worker/cache/binaries.h"
#include "tests/support/failing_alloc.h"

enum { KERNELS = 3, AIV = 0, AIC = 1, EXTERNAL = 2 };

static const struct timespec read_at = {.tv_sec = 1000};

struct rig {
    char *top;
    struct kernel kernels[KERNELS];
    struct program program;
    struct compiled_program objects; /* those that are to be installed */
    char *object_paths[KERNELS];
    struct made_of made[KERNELS]; /* nothing is known */
};

static char *path_of(const struct rig *r, const char *name)
{
    char *path = file_join(r->top, name, NULL);

    assert_non_null(path);
    return path;
}

/* A program with a vector kernel, a cube kernel and one whose source lies outside of the build. */
static int setup(void **state)
{
    static const char *const sources[] = {"b/p/kernels/aiv/add.v2.cpp", "b/p/kernels/aic/mul.cpp", "lib/shared.cpp"};
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    log_set_level(LOG_WARN);
    r->top = temp_dir_make();
    for (int i = 0; i < KERNELS; i++) {
        char name[32];

        snprintf(name, sizeof name, "store/kernel%d", i);
        temp_dir_put_text(r->top, sources[i], "");
        temp_dir_put_text(r->top, name, name);
        r->object_paths[i] = path_of(r, name);
        r->kernels[i] =
            (struct kernel){.func_id = 7 + i, .source = path_of(r, sources[i]), .core = i == AIC ? CORE_AIC : CORE_AIV};
    }
    r->kernels[EXTERNAL].external = true;
    temp_dir_put_text(r->top, "b/p/orchestration/orch.cpp", "");
    temp_dir_put(r->top, "store/orch", "o\0rch", 5);
    r->objects = (struct compiled_program){.orchestration = path_of(r, "store/orch"),
                                           .kernels = r->object_paths,
                                           .nkernel = KERNELS,
                                           .kernels_made = r->made};
    r->program = (struct program){.name = "p",
                                  .dir = path_of(r, "b/p"),
                                  .orchestration = path_of(r, "b/p/orchestration/orch.cpp"),
                                  .nkernel = KERNELS,
                                  .kernels = r->kernels};
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    for (int i = 0; i < KERNELS; i++) {
        free(r->object_paths[i]);
        free(r->kernels[i].source);
    }
    free(r->objects.orchestration);
    free(r->program.dir);
    free(r->program.orchestration);
    temp_dir_remove(r->top);
    free(r);
    return 0;
}

static void install(struct rig *r)
{
    struct error err;

    assert_int_equal(binaries_install(&r->program, &r->objects, "a2a3sim", read_at, &err), 0);
}

static int find(struct rig *r, const char *platform, struct compiled_program *out)
{
    struct error err;

    return binaries_find(&r->program, platform, out, &err);
}

static void free_found(struct compiled_program *c)
{
    compiled_program_free(c);
}

static void expect_file(const struct rig *r, const char *name, const void *bytes, size_t size)
{
    char *path = path_of(r, name), *text;
    struct error err;
    size_t n;

    text = file_read(path, 100, &n, &err);
    assert_non_null(text);
    assert_int_equal(n, size);
    assert_memory_equal(text, bytes, size);
    free(text);
    free(path);
}

static void expect_path(const struct rig *r, const char *path, const char *name)
{
    char *expected = path_of(r, name);

    assert_string_equal(path, expected);
    free(expected);
}

static void expect_count(const struct rig *r, const char *dir, int count)
{
    char *path = path_of(r, dir);

    assert_int_equal(temp_dir_count(path), count);
    free(path);
}

static void remove_file(const struct rig *r, const char *name)
{
    char *path = path_of(r, name);

    assert_int_equal(unlink(path), 0);
    free(path);
}

static void test_install_puts_objects_in_both_places(void **state)
{
    struct rig *r = *state;

    install(r);
    expect_file(r, "b/p/cache/orch_orch.bin", "o\0rch", 5);
    expect_file(r, "b/p/orchestration/orch.so", "o\0rch", 5);
    expect_file(r, "b/p/cache/incore_7_aiv_add.v2_a2a3sim.bin", "store/kernel0", 13);
    expect_file(r, "b/p/kernels/aiv/add.v2.so", "store/kernel0", 13);
    expect_file(r, "b/p/cache/incore_8_aic_mul_a2a3sim.bin", "store/kernel1", 13);
    expect_file(r, "b/p/kernels/aic/mul.so", "store/kernel1", 13);
    /* Nothing of the one outside of the build, and nothing unfinished. */
    expect_count(r, "b/p/cache", 4); /* and what they were made of */
    expect_count(r, "b/p/kernels/aiv", 2);
    expect_count(r, "b/p/kernels/aic", 2);
    expect_count(r, "b/p/orchestration", 2);
    expect_count(r, "lib", 1);
}

static void test_install_replaces_older_binaries(void **state)
{
    struct rig *r = *state;

    install(r);
    temp_dir_put_text(r->top, "store/kernel1", "new");
    install(r);
    expect_file(r, "b/p/cache/incore_8_aic_mul_a2a3sim.bin", "new", 3);
    expect_file(r, "b/p/kernels/aic/mul.so", "new", 3);
    expect_count(r, "b/p/cache", 4);
}

/* The last dot counts only when it is in the name itself. */
static void test_source_without_suffix(void **state)
{
    struct rig *r = *state;

    free(r->program.orchestration);
    temp_dir_put_text(r->top, "b/p/orch.d/plain", "");
    r->program.orchestration = path_of(r, "b/p/orch.d/plain");
    install(r);
    expect_file(r, "b/p/orch.d/plain.so", "o\0rch", 5);
    expect_file(r, "b/p/cache/orch_plain.bin", "o\0rch", 5);
    expect_count(r, "b/p", 4);
}

static void refused(struct rig *r, const char *part)
{
    struct error err = {0};

    assert_int_equal(binaries_install(&r->program, &r->objects, "a2a3sim", read_at, &err), -1);
    assert_int_equal(err.kind, ERROR_INFRA);
    if (!strstr(err.what, part) && !strstr(err.where, part)) {
        fail_msg("'%s' (%s) does not name %s", err.what, err.where, part);
    }
}

static void test_install_refuses_what_it_cannot_read_or_write(void **state)
{
    struct rig *r = *state;

    temp_dir_put_text(r->top, "b/p/kernels/aic/mul.so/x", "");
    refused(r, "mul.so");
    remove_file(r, "store/kernel0");
    refused(r, "kernel0");
    remove_file(r, "store/orch");
    refused(r, "store/orch");
}

static void test_cache_that_is_a_file(void **state)
{
    struct rig *r = *state;

    temp_dir_put_text(r->top, "b/p/cache", "");
    refused(r, "cache");
}

static void expect_none(struct rig *r, const char *platform)
{
    struct compiled_program found = {.orchestration = (char *)1, .kernels = (char **)1};

    assert_int_equal(find(r, platform, &found), 0);
    assert_null(found.orchestration);
    assert_null(found.kernels);
}

static void test_find_gives_what_install_put(void **state)
{
    struct compiled_program found;
    struct rig *r = *state;

    r->program.nkernel = EXTERNAL;
    install(r);
    assert_int_equal(find(r, "a2a3sim", &found), 1);
    expect_path(r, found.orchestration, "b/p/cache/orch_orch.bin");
    expect_path(r, found.kernels[AIV], "b/p/cache/incore_7_aiv_add.v2_a2a3sim.bin");
    expect_path(r, found.kernels[AIC], "b/p/cache/incore_8_aic_mul_a2a3sim.bin");
    assert_null(found.kernels[EXTERNAL]); /* where compiled_free() stops */
    free_found(&found);
}

static void test_find_program_without_kernels(void **state)
{
    struct compiled_program found;
    struct rig *r = *state;

    r->program.nkernel = 0;
    install(r);
    assert_int_equal(find(r, "a5", &found), 1);
    assert_null(found.kernels[0]);
    free_found(&found);
}

static void test_find_wants_every_one(void **state)
{
    static const char *const names[] = {"b/p/cache/orch_orch.bin", "b/p/cache/incore_7_aiv_add.v2_a2a3sim.bin",
                                        "b/p/cache/incore_8_aic_mul_a2a3sim.bin"};
    struct rig *r = *state;

    r->program.nkernel = EXTERNAL;
    expect_none(r, "a2a3sim");
    for (int i = 0; i < 3; i++) {
        install(r);
        remove_file(r, names[i]);
        expect_none(r, "a2a3sim");
    }
    install(r);
    expect_none(r, "a2a3");
    remove_file(r, names[1]);
    temp_dir_put_text(r->top, "b/p/cache/incore_7_aiv_add.v2_a2a3sim.bin/x", ""); /* of that name, but no file */
    expect_none(r, "a2a3sim");
}

/* A kernel outside of the build has no binary, so such a program is never found whole. */
static void test_find_external_kernel(void **state)
{
    struct rig *r = *state;

    install(r);
    temp_dir_put_text(r->top, "b/p/cache/incore_9_aiv_shared_a2a3sim.bin", "x");
    expect_none(r, "a2a3sim");
}

static void test_find_without_memory(void **state)
{
    struct compiled_program found;
    struct rig *r = *state;
    unsigned long calls, nfound = 0;

    r->program.nkernel = EXTERNAL;
    install(r);
    failing_alloc_start(0);
    assert_int_equal(find(r, "a2a3sim", &found), 1);
    calls = failing_alloc_stop();
    free_found(&found);
    for (unsigned long n = 1; n <= calls; n++) {
        int rc;

        failing_alloc_start(n);
        rc = find(r, "a2a3sim", &found);
        failing_alloc_stop();
        if (rc == 1) { /* what they were made of was not to be found out */
            nfound++;
            free_found(&found);
            continue;
        }
        assert_int_equal(rc, -1);
        assert_null(found.orchestration);
        assert_null(found.kernels);
    }
    assert_true(calls - nfound >= 5); /* two lists and three paths */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_install_puts_objects_in_both_places),
        TEST(test_install_replaces_older_binaries),
        TEST(test_source_without_suffix),
        TEST(test_install_refuses_what_it_cannot_read_or_write),
        TEST(test_cache_that_is_a_file),
        TEST(test_find_gives_what_install_put),
        TEST(test_find_program_without_kernels),
        TEST(test_find_wants_every_one),
        TEST(test_find_external_kernel),
        TEST(test_find_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
