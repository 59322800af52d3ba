/* What changed since the last replay of a build: by content, named, and nothing in the first. */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/prepare/changes.h"

struct rig {
    char *dir, *orchestration, *sources[2];
    struct kernel kernels[2];
    struct program program;
    struct program_table programs;
    struct compiled_program objects;
    struct compiled compiled;
    char text[4096]; /* what the last call wrote to stderr */
    struct error err;
};

static char *path_of(const struct rig *r, const char *name)
{
    char *path = file_join(r->dir, name, NULL);

    assert_non_null(path);
    return path;
}

static int setup(void **state)
{
    static char name[] = "p", object[] = "object", kernel_names[2][2] = {"k", "l"};
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    r->dir = temp_dir_make();
    temp_dir_put_text(r->dir, "orch.cpp", "orchestration");
    temp_dir_put_text(r->dir, "k.cpp", "one");
    temp_dir_put_text(r->dir, "l.cpp", "one"); /* the same content under another name */
    r->orchestration = path_of(r, "orch.cpp");
    r->sources[0] = path_of(r, "k.cpp");
    r->sources[1] = path_of(r, "l.cpp");
    for (int i = 0; i < 2; i++) {
        r->kernels[i] = (struct kernel){.func_id = i, .name = kernel_names[i], .source = r->sources[i]};
    }
    r->program = (struct program){.name = name, .orchestration = r->orchestration, .nkernel = 2, .kernels = r->kernels};
    r->programs = (struct program_table){.count = 1, .items = &r->program};
    r->objects = (struct compiled_program){.orchestration = object};
    r->compiled = (struct compiled){.count = 1, .items = &r->objects};
    log_set_level(LOG_TIMING);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    temp_dir_remove(r->dir);
    free(r->orchestration);
    free(r->sources[0]);
    free(r->sources[1]);
    free(r);
    return 0;
}

/* Call it with stderr into r->text. */
static int tell(struct rig *r)
{
    char *path = path_of(r, "messages");
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup(STDERR_FILENO);
    ssize_t n;
    int rc;

    assert_true(fd >= 0 && saved >= 0);
    dup2(fd, STDERR_FILENO);
    rc = changes_tell(r->dir, &r->programs, &r->compiled, &r->err);
    dup2(saved, STDERR_FILENO);
    n = pread(fd, r->text, sizeof r->text - 1, 0);
    r->text[n > 0 ? n : 0] = '\0';
    close(fd);
    close(saved);
    unlink(path);
    free(path);
    return rc;
}

static void expect(struct rig *r, const char *words)
{
    assert_int_equal(tell(r), 0);
    if (!strstr(r->text, words)) {
        fail_msg("'%s' does not say '%s'", r->text, words);
    }
}

static void test_the_first_replay_has_nothing_to_tell(void **state)
{
    struct rig *r = *state;

    assert_int_equal(tell(r), 0);
    assert_string_equal(r->text, "");
    expect(r, "no source changed since the last replay");
}

static void test_changed_sources_are_named(void **state)
{
    struct rig *r = *state;

    assert_int_equal(tell(r), 0);
    temp_dir_put_text(r->dir, "k.cpp", "two");
    expect(r, "changed since the last replay (1 of 3 sources): p/k.cpp\n");
    /* Back to what it was is a change as well, and the same bytes written again are none. */
    temp_dir_put_text(r->dir, "k.cpp", "one");
    temp_dir_put_text(r->dir, "orch.cpp", "another");
    expect(r, "(2 of 3 sources): p/orch.cpp, p/k.cpp\n");
    temp_dir_put_text(r->dir, "k.cpp", "one");
    expect(r, "no source changed");
}

/* A program without objects did not run: its sources are neither compared nor remembered. */
static void test_programs_that_did_not_run_are_left_out(void **state)
{
    struct rig *r = *state;

    assert_int_equal(tell(r), 0);
    temp_dir_put_text(r->dir, "k.cpp", "two");
    r->compiled.items[0].orchestration = NULL;
    expect(r, "no source changed");
    r->compiled.items[0].orchestration = r->orchestration;
    expect(r, "(3 of 3 sources)");
}

static void test_a_source_that_is_gone_is_an_error(void **state)
{
    struct rig *r = *state;

    assert_int_equal(tell(r), 0);
    assert_int_equal(unlink(r->sources[1]), 0);
    assert_int_equal(tell(r), -1);
    assert_non_null(strstr(r->err.what, "l.cpp"));
    /* What was remembered is still the replay before. */
    temp_dir_put_text(r->dir, "l.cpp", "one");
    expect(r, "no source changed");
}

/* The list of the last replay is there, and cannot be read: not the same as none. */
static void test_a_list_that_cannot_be_read_is_an_error(void **state)
{
    struct rig *r = *state;
    char *path = path_of(r, ".l3replay.last");
    int rc;

    assert_int_equal(tell(r), 0);
    assert_int_equal(chmod(path, 0), 0);
    if (temp_dir_plain_user(r->dir)) {
        rc = tell(r);
        temp_dir_own_user();
        assert_int_equal(rc, -1);
        assert_non_null(strstr(r->err.what, ".l3replay.last"));
    }
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_first_replay_has_nothing_to_tell, setup, teardown),
        cmocka_unit_test_setup_teardown(test_changed_sources_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(test_programs_that_did_not_run_are_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_source_that_is_gone_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_list_that_cannot_be_read_is_an_error, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
