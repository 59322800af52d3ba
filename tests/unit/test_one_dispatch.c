/* The plan of an L2 build: one dispatch with all parameters. */
#include "tests/support/record_build.h"

#include <math.h>

#include "orchestrator/record/one_dispatch.h"

#define L2_META(params) "{\"schema\": 1, \"params\": [" params "]}"

static struct recording open_l2(const char *meta)
{
    struct recording r = {.dir = temp_dir_make()};

    temp_dir_put_text(r.dir, "kernel_config.py", KERNEL_CONFIG);
    temp_dir_put_text(r.dir, "compiled_meta.json", meta);
    return r;
}

static struct recording record_l2(const char *meta, struct record_request request)
{
    struct recording r = open_l2(meta);

    record_request(&r, request);
    return r;
}

/* Without Python: what the plan says does not depend on kernel_config.py. */
static struct recording plan_of(const char *meta, struct record_request request)
{
    struct recording r = open_l2(meta);

    log_set_level(LOG_NULL);
    assert_int_equal(build_open(r.dir, &r.build, &r.err), 0);
    request.build = &r.build;
    r.rc = one_dispatch_plan(&request, "p", &r.plan, &r.err);
    return r;
}

static void all_parameters_in_order(void **state)
{
    struct record_files files = {0};
    struct record_scalar scalars[] = {{.name = "n", .text = "-5"}, {.name = "eps", .text = "0.5"}};
    struct recording r =
        record_l2(L2_META(PARAM("x", "In", "[4,16]", "fp16") "," PARAM("n", "In", "null", "int32") "," PARAM(
                      "acc", "InOut", "[16]", "int32") "," PARAM("eps", "In", "null",
                                                                 "fp16") "," PARAM("y", "Out", "[4,16]", "fp32")),
                  (struct record_request){.scalars = scalars, .nscalar = 2, .files = &files});
    const struct plan_node *n;

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.programs.count, 1);
    assert_string_equal(r.programs.items[0].dir, r.build.dir);
    assert_int_equal(r.plan.world_size, 1);
    assert_int_equal(r.plan.nnode, 1);
    assert_int_equal(r.plan.nstorage, 3);
    assert_int_equal(r.plan.nnote, 0);
    n = r.plan.nodes;
    assert_int_equal(n->kind, PLAN_DISPATCH);
    assert_int_equal(n->lane, 0);
    assert_int_equal(n->k, 0);
    assert_string_equal(plan_text(&r.plan, r.plan.programs[n->program]), r.programs.items[0].name);
    assert_int_equal(n->narg, 3);
    assert_int_equal(arg_tag(&r.plan, 0, 0), PLAN_TAG_INPUT);
    assert_int_equal(arg_tag(&r.plan, 0, 1), PLAN_TAG_INOUT);
    assert_int_equal(arg_tag(&r.plan, 0, 2), PLAN_TAG_OUTPUT_EXISTING);
    assert_view(&r.plan, arg_view(&r.plan, 0, 0), "x+0 4 16 / 16 1");
    assert_view(&r.plan, arg_view(&r.plan, 0, 1), "acc+0 16 / 1");
    assert_int_equal(r.plan.storages[0].nbytes, 4 * 16 * 2);
    assert_string_equal(plan_text(&r.plan, r.plan.storages[2].name), "y");
    assert_int_equal(n->nscalar, 2);
    assert_true(scalar_at(&r.plan, 0, 0)->bits == (uint64_t)-5);
    assert_int_equal(scalar_at(&r.plan, 0, 1)->bits, 0x3f000000); /* 0.5 as a float32, whatever the parameter's type */
    /* What was executed is known, for the list of changes. */
    assert_int_equal(files.count, 1);
    assert_string_equal(files.items[0].name, "kernel_config.py");
    record_files_free(&files);
    recording_free(&r);
}

static void what_nothing_gives_is_one_with_a_note(void **state)
{
    struct recording r = plan_of(L2_META(PARAM("x", "In", "[-1,8]", "fp32") "," PARAM(
                                     "on", "In", "null", "bool") "," PARAM("f", "In", "null", "fp32")),
                                 (struct record_request){0});

    (void)state;
    assert_recorded(&r);
    assert_view(&r.plan, arg_view(&r.plan, 0, 0), "x+0 1 8 / 8 1");
    assert_int_equal(scalar_at(&r.plan, 0, 0)->bits, 1);
    assert_int_equal(scalar_at(&r.plan, 0, 1)->bits, 0x3f800000);
    assert_int_equal(r.plan.nnote, 3);
    assert_says(plan_text(&r.plan, r.plan.notes[0]), "'x'");
    assert_says(plan_text(&r.plan, r.plan.notes[0]), "--shape");
    assert_says(plan_text(&r.plan, r.plan.notes[1]), "--scalar");
    recording_free(&r);
}

static void a_given_shape_counts(void **state)
{
    struct record_shape shape = {.name = "x", .ndim = 2, .shape = {3, 8}};
    struct recording r =
        plan_of(L2_META(PARAM("x", "In", "[-1,8]", "fp32")), (struct record_request){.shapes = &shape, .nshape = 1});

    (void)state;
    assert_recorded(&r);
    assert_view(&r.plan, arg_view(&r.plan, 0, 0), "x+0 3 8 / 8 1");
    assert_int_equal(r.plan.nnote, 0);
    recording_free(&r);
}

static void expect_refused(const char *meta, struct record_request request, const char *words)
{
    struct recording r = plan_of(meta, request);

    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, words);
    recording_free(&r);
}

static void what_no_dispatch_takes(void **state)
{
    struct record_scalar scalar = {.name = "n", .text = "300"};

    (void)state;
    expect_refused(L2_META(PARAM("x", "In", "[2,0]", "fp32")), (struct record_request){0}, "empty");
    expect_refused(L2_META(PARAM("x", "In", "[]", "fp32")), (struct record_request){0}, "0 dimensions");
    expect_refused(L2_META(PARAM("x", "In", "[1,1,1,1,1,2]", "fp32")), (struct record_request){0}, "6 dimensions");
    expect_refused(L2_META(PARAM("x", "In", "[1099511627776,1099511627776]", "fp32")), (struct record_request){0},
                   "too large");
    expect_refused(L2_META(PARAM("n", "In", "null", "uint8")),
                   (struct record_request){.scalars = &scalar, .nscalar = 1}, "out of range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_parameters_in_order),
        cmocka_unit_test(what_nothing_gives_is_one_with_a_note),
        cmocka_unit_test(a_given_shape_counts),
        cmocka_unit_test(what_no_dispatch_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
