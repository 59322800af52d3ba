/* What changed since the last replay: by group, named, by content; and the file in which it is kept. */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/prepare/changes.h"
#include "orchestrator/prepare/inventory_objects.h"

/* A program of one kernel and an orchestration, of which the kernel reads ../tile.h. */
struct rig {
    char *dir, *source, *orchestration;
    struct kernel kernel;
    struct program program;
    struct program_table programs;
    struct made_of kernel_made;
    char *kernel_object;
    struct compiled_program objects;
    struct compiled compiled;
    struct build build;
    struct inventory before;
    char *text; /* the lines of the last comparison */
    struct error err;
};

static struct key key_of(uint64_t n)
{
    return (struct key){.high = 1, .low = n};
}

static void take(struct rig *r, struct inventory *v)
{
    *v = (struct inventory){0};
    assert_int_equal(inventory_take_objects(v, &r->build, &r->programs, &r->compiled, &r->err), 0);
}

static int setup(void **state)
{
    static char name[] = "p", object[] = "object";
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    r->dir = temp_dir_make();
    temp_dir_put_text(r->dir, "tile.h", "");
    temp_dir_put_text(r->dir, "kernels/k.cpp", "");
    r->source = file_join(r->dir, "kernels/k.cpp", NULL);
    r->orchestration = file_join(r->dir, "o.cpp", NULL);
    r->kernel = (struct kernel){.name = name, .source = r->source};
    r->program = (struct program){.name = name, .orchestration = r->orchestration, .nkernel = 1, .kernels = &r->kernel};
    r->programs = (struct program_table){.count = 1, .items = &r->program};
    r->kernel_made = (struct made_of){.known = true, .source = key_of(1), .contents = calloc(8, sizeof(struct key))};
    args_add(&r->kernel_made.headers, "./../tile.h");
    r->kernel_made.contents[0] = key_of(2);
    r->kernel_object = object;
    r->objects = (struct compiled_program){.orchestration = object,
                                           .kernels = &r->kernel_object,
                                           .nkernel = 1,
                                           .orchestration_made = {.known = true, .source = key_of(3)},
                                           .kernels_made = &r->kernel_made};
    r->compiled = (struct compiled){.count = 1, .items = &r->objects};
    r->build = (struct build){.dir = realpath(r->dir, NULL)};
    take(r, &r->before);
    inventory_sort(&r->before);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    made_of_free(&r->kernel_made);
    inventory_free(&r->before);
    temp_dir_remove(r->dir);
    free(r->build.dir);
    free(r->source);
    free(r->orchestration);
    free(r->text);
    free(r);
    return 0;
}

static void append(char **text, const char *line)
{
    char *longer = text_format("%s%s\n", *text ? *text : "", line);

    assert_non_null(longer);
    free(*text);
    *text = longer;
}

/* Compare what the rig holds now, and `more` beside it; the lines into r->text, unknown ones with a '?'. */
static void compare(struct rig *r, const struct inventory *more)
{
    struct changes changes = {0};
    struct inventory now;

    take(r, &now);
    for (size_t i = 0; more && i < more->count; i++) {
        assert_int_equal(inventory_add(&now, more->items[i].group, more->items[i].name, more->items[i].value, &r->err),
                         0);
    }
    inventory_sort(&now);
    assert_int_equal(changes_compare(&changes, &r->before, &now, &r->build, &r->programs, &r->compiled, &r->err), 0);
    free(r->text);
    r->text = strdup("");
    for (size_t i = 0; i < changes.changed.n; i++) {
        append(&r->text, changes.changed.v[i]);
    }
    for (size_t i = 0; i < changes.unknown.n; i++) {
        char *line = text_format("? %s", changes.unknown.v[i]);
        append(&r->text, line);
        free(line);
    }
    changes_free(&changes);
    inventory_free(&now);
}

static void expect(struct rig *r, const char *lines)
{
    compare(r, NULL);
    assert_string_equal(r->text, lines);
}

static void test_sources_and_their_headers(void **state)
{
    struct rig *r = *state;

    expect(r, "");
    r->kernel_made.source = key_of(10);
    expect(r, "kernel p/k.cpp\n");
    r->kernel_made.contents[0] = key_of(20);
    expect(r, "kernel p/k.cpp and its header tile.h\n");
    r->kernel_made.source = key_of(1);
    expect(r, "kernel p/k.cpp, through its header tile.h\n");
    r->kernel_made.contents[0] = key_of(2);
    expect(r, "");
    r->objects.orchestration_made.source = key_of(30);
    expect(r, "orchestration p/o.cpp\n");
}

/* Another header is found under an unchanged name, and one that is no longer read. */
static void test_other_headers_are_found(void **state)
{
    struct rig *r = *state;

    temp_dir_put_text(r->dir, "kernels/tile.h", "");
    free(r->kernel_made.headers.v[0]);
    r->kernel_made.headers.v[0] = strdup("./tile.h");
    expect(r, "kernel p/k.cpp, through its header tile.h\n");
    r->kernel_made.headers.n = 0;
    expect(r, "kernel p/k.cpp, which includes other headers now\n");
    r->kernel_made.headers.n = 1;
}

static void test_what_ran_unknown_is_said(void **state)
{
    struct rig *r = *state;

    r->kernel_made.known = false;
    expect(r, "? kernel p/k.cpp (a binary of unknown sources ran)\n");
    inventory_free(&r->before);
    take(r, &r->before);
    inventory_sort(&r->before);
    r->kernel_made.known = true;
    expect(r, "? kernel p/k.cpp (a binary of unknown sources ran then)\n");
}

/* A program that does not run is gone, and is new when it runs again. */
static void test_programs_come_and_go(void **state)
{
    struct rig *r = *state;

    r->objects.orchestration = NULL;
    expect(r, "kernel p/k.cpp (it did not run)\norchestration p/o.cpp (it did not run)\n");
    inventory_free(&r->before);
    take(r, &r->before);
    inventory_sort(&r->before);
    r->objects.orchestration = r->orchestration;
    expect(r, "kernel p/k.cpp is new\norchestration p/o.cpp is new\n");
}

static void put(struct rig *r, struct inventory *v, enum inventory_group group, const char *name, const char *value)
{
    assert_int_equal(inventory_add(v, group, name, value, &r->err), 0);
}

static void test_the_other_groups(void **state)
{
    static const struct {
        enum inventory_group group;
        const char *name, *changed, *added, *gone;
    } groups[] = {
        {INVENTORY_COMPILER, "the compiler of kernels", "the compiler of kernels\n", "the compiler of kernels (new)\n",
         ""},
        {INVENTORY_PYTHON, "orchestration/host_orch.py", "orchestration/host_orch.py\n",
         "orchestration/host_orch.py (new)\n", "orchestration/host_orch.py (no longer used)\n"},
        {INVENTORY_METADATA, "distributed_meta.json", "distributed_meta.json\n", "distributed_meta.json (new)\n",
         "distributed_meta.json (no longer used)\n"},
        {INVENTORY_SUB_WORKER, "sub-worker check", "sub-worker check\n", "sub-worker check (new)\n",
         "sub-worker check (no longer used)\n"},
        {INVENTORY_INPUT, "x", "input x\n", "input x (new)\n", "input x (from no file any more)\n"},
        {INVENTORY_REFERENCE, "y", "reference y\n", "reference y (new)\n", "reference y (no longer compared)\n"},
        {INVENTORY_OPTION, "--seed", "other options: --seed 2\n", "other options: --seed 2\n",
         "other options: no --seed\n"},
        {INVENTORY_OPTION, "--scalar n", "other options: --scalar n=2\n", "other options: --scalar n=2\n",
         "other options: no --scalar n\n"},
        {INVENTORY_PTO_ISA, "include/pto/a.hpp", "PTO-ISA (1 of its headers)\n", "", ""},
        {INVENTORY_OWN, "tensor.h", "l3replay itself (1 of its headers)\n", "", ""},
    };
    struct rig *r = *state;

    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        struct inventory now = {0};

        put(r, &now, groups[i].group, groups[i].name, "2");
        compare(r, &now);
        assert_string_equal(r->text, groups[i].added);
        inventory_free(&r->before);
        take(r, &r->before);
        put(r, &r->before, groups[i].group, groups[i].name, "1");
        inventory_sort(&r->before);
        compare(r, &now);
        assert_string_equal(r->text, groups[i].changed);
        expect(r, groups[i].gone);
        now.items[0].value[0] = '1';
        compare(r, &now);
        assert_string_equal(r->text, "");
        inventory_free(&now);
        inventory_free(&r->before);
        take(r, &r->before);
        inventory_sort(&r->before);
    }
}

static void test_long_lists_are_cut(void **state)
{
    struct inventory now = {0};
    struct rig *r = *state;

    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "x%02d", i);
        put(r, &now, INVENTORY_INPUT, name, "1");
    }
    compare(r, &now);
    assert_non_null(strstr(r->text, "input x07 (new)\nand 12 more inputs\n"));
    assert_null(strstr(r->text, "x08"));
    inventory_free(&now);
}

/* --- the file ------------------------------------------------------------- */

static void test_what_was_written_is_read(void **state)
{
    struct rig *r = *state;
    char *path = file_join(r->dir, ".l3replay.last", NULL);
    struct inventory v = {0}, read;

    assert_int_equal(inventory_read(path, &read, &r->err), 0);
    put(r, &v, INVENTORY_HEADER, "a b%\n.h", "");
    put(r, &v, INVENTORY_OPTION, "--scalar n", "x y");
    put(r, &v, INVENTORY_SOURCE, "s", "1");
    put(r, &v, INVENTORY_SOURCE, "s", "1"); /* once */
    inventory_sort(&v);
    assert_int_equal(v.count, 3);
    assert_int_equal(inventory_write(&v, path, &r->err), 0);
    assert_int_equal(inventory_read(path, &read, &r->err), 1);
    assert_int_equal(read.count, 3);
    assert_string_equal(inventory_find(&read, INVENTORY_HEADER, "a b%\n.h"), "");
    assert_string_equal(inventory_find(&read, INVENTORY_OPTION, "--scalar n"), "x y");
    assert_null(inventory_find(&read, INVENTORY_INPUT, "s"));
    inventory_free(&read);
    inventory_free(&v);
    free(path);
}

/* Older versions', newer ones', cut and garbled: an error each, never a list. */
static void test_other_files_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "0123456789abcdef0123456789abcdef p/k.cpp\n",
        "l3replay-last 3\nend\n",
        "l3replay-last 2\n",
        "l3replay-last 2\nsource a 1\n",
        "l3replay-last 2\nsource a 1\nend",
        "l3replay-last 2\nsource a\nend\n",
        "l3replay-last 2\nsource a 1 2\nend\n",
        "l3replay-last 2\nwhat a 1\nend\n",
        "l3replay-last 2\nend\nsource a 1\n",
    };
    struct rig *r = *state;
    char *path = file_join(r->dir, ".l3replay.last", NULL);
    struct inventory v;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        temp_dir_put_text(r->dir, ".l3replay.last", texts[i]);
        assert_int_equal(inventory_read(path, &v, &r->err), -1);
        assert_non_null(strstr(r->err.what, ".l3replay.last"));
        assert_int_equal(v.count, 0);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(inventory_read(path, &v, &r->err), -1);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sources_and_their_headers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_headers_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_ran_unknown_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(test_programs_come_and_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_other_groups, setup, teardown),
        cmocka_unit_test_setup_teardown(test_long_lists_are_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_written_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_files_are_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
