/* Dynamic dimensions: what is taken where nothing was given, and what is said about it. */
#include "tests/support/record_build.h"

#define DYNAMIC(name, direction, shape) PARAM(name, direction, shape, "fp32")

static struct recording record_sizes(int cards, const char *params, const char *body, struct record_request request)
{
    struct recording r = {.dir = temp_dir_make()};
    char *text;

    assert_true(asprintf(&text, HEADER ENTRY "%s" MARK, body) > 0);
    build_put(r.dir, cards, params, text);
    free(text);
    record_request(&r, request);
    return r;
}

/* The size that axis `axis` of the first parameter got. */
static void expect_size(int cards, const char *shape, const char *body, int axis, int64_t size)
{
    struct recording r;
    char params[128];
    int64_t got;

    snprintf(params, sizeof params, DYNAMIC("p", "In", "%s"), shape);
    r = record_sizes(cards, params, body, (struct record_request){0});
    assert_recorded(&r);
    got = r.plan.dims[r.plan.storages[0].dims + (uint64_t)axis];
    if (got != size) {
        fail_msg("axis %d is %lld, not %lld, for\n%s", axis, (long long)got, (long long)size, body);
    }
    assert_true(r.plan.nnote > 0);
    assert_says(plan_text(&r.plan, r.plan.notes[0]), "'p' (axis");
    assert_says(plan_text(&r.plan, r.plan.notes[0]), "--shape");
    recording_free(&r);
}

#define P "tensors[\"p\"]"

static void takes_what_the_recording_needs(void **state)
{
    (void)state;
    /* Indexed by card, with the loop bound from either side. */
    expect_size(4, "[-1,8]", "    for r in range(world_size):\n    " SEND(P "[r]", "INPUT", "0"), 0, 4);
    expect_size(4, "[-1,8]",
                "    world_size = " P
                ".shape[0]\n    for r in range(world_size):\n    " SEND(P "[r, 0:8]", "INPUT", "0"),
                0, 4);
    expect_size(3, "[2,-1,8]", "    for r in range(world_size):\n    " SEND(P "[0, r, 0:8]", "INPUT", "0"), 1, 3);
    expect_size(3, "[2,-1]", SEND(P "[1, 0:world_size]", "INPUT", "0"), 1, 3);
    expect_size(3, "[-1,8]", "    for r in range(0, world_size):\n    " SEND(P "[r:r + 1]", "INPUT", "0"), 0, 3);
    /* Not indexed: 1. */
    expect_size(4, "[-1,8]", SEND(P, "INPUT", "3"), 0, 1);
    expect_size(4, "[8,-1]",
                "    M = " P ".shape[1]\n    for r in range(world_size):\n    " SEND(P "[r, 0:M]", "INPUT", "0"), 1, 1);
    expect_size(4, "[-1,8]", SEND(P "[0]", "INPUT", "3"), 0, 1);
    /* Sliced by constants. */
    expect_size(2, "[-1]", "    for r in range(world_size):\n    " SEND(P "[r * 64:r * 64 + 64]", "INPUT", "0"), 0,
                128);
    /* Computed from a size: the factor that the shape was written with, and more than what is taken off. */
    expect_size(4, "[-1]", "    M = " P ".shape[0] // 6\n" SEND(P "[0:M]", "INPUT", "0"), 0, 6);
    expect_size(4, "[-1]", "    M = (" P ".shape[0] - 5)\n" SEND(P "[0:M]", "INPUT", "0"), 0, 6);
    expect_size(4, "[-1]",
                "    M = " P ".shape[0] // 2\n    for i in range(M // 3):\n    " SEND(P "[i:i + 1]", "INPUT", "0"), 0,
                8);
    /* Steps reach their last element only: 5, 8, ... 89. */
    expect_size(2, "[-1]", "    t = torch.zeros(29)\n    t[...] = " P "[5:90:3]\n", 0, 90);
    expect_size(2, "[-1]", "    t = torch.zeros(4)\n    t[...] = " P "[5:40:3][8:12]\n", 0, 39);
}

#define PAIR DYNAMIC("p", "In", "[-1,8]") "," DYNAMIC("q", "Out", "[-1,8]")

/* Parameters of one shape pattern were written with one symbol. */
static void one_pattern_has_one_size(void **state)
{
    struct recording r = record_sizes(4, PAIR,
                                      "    for r in range(world_size):\n    " SEND(P "[r]", "INPUT", "0")
                                          SEND("tensors[\"q\"]", "OUTPUT", "0"),
                                      (struct record_request){0});
    struct record_shape given = {"q", 2, {5, 8}};

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.dims[r.plan.storages[1].dims], 4);
    assert_int_equal(r.plan.nnote, 1);
    recording_free(&r);
    r = record_sizes(4, PAIR, "    for r in range(world_size):\n    " SEND(P "[r]", "INPUT", "0"),
                     (struct record_request){.shapes = &given, .nshape = 1});
    assert_recorded(&r);
    assert_int_equal(r.plan.dims[r.plan.storages[0].dims], 5);
    assert_int_equal(r.plan.dims[r.plan.storages[1].dims], 5);
    recording_free(&r);
}

static void expect_refused(const char *body, struct record_request request, enum error_kind kind, const char *what,
                           const char *hint)
{
    struct recording r = record_sizes(2, PAIR, body, request);

    assert_int_equal(r.rc, -1);
    assert_int_equal(r.err.kind, kind);
    assert_says(r.err.what, what);
    assert_says(r.err.hint, hint);
    recording_free(&r);
}

static void says_how_to_give_a_size(void **state)
{
    struct record_shape small = {"p", 2, {1, 8}}, other = {"z", 1, {4}}, few = {"p", 1, {4}};
    struct record_scalar scalar = {"p", 1, "1"};

    (void)state;
    expect_refused("    assert " P ".shape[0] == 777, \"needs 777\"\n", (struct record_request){0}, ERROR_INFRA,
                   "AssertionError: needs 777", "--shape p=");
    expect_refused("    " P "[1 << 40]\n", (struct record_request){0}, ERROR_USAGE, "'p' (axis 0)", "--shape p=");
    expect_refused("    " P "[1]\n", (struct record_request){.shapes = &small, .nshape = 1}, ERROR_INFRA,
                   "index 1 is out of bounds for dimension 0 with size 1", "--shape p=");
    expect_refused("    pass\n", (struct record_request){.shapes = &few, .nshape = 1}, ERROR_USAGE, "[4]",
                   "--shape p=");
    expect_refused("    pass\n", (struct record_request){.shapes = &other, .nshape = 1}, ERROR_USAGE, "'z'", "p, q");
    expect_refused("    pass\n", (struct record_request){.scalars = &scalar, .nscalar = 1}, ERROR_USAGE, "'p'", "none");
}

/* A name that is nowhere defined is there at no size, even where sizes are open. */
static void a_missing_name_is_no_size(void **state)
{
    struct recording r = record_sizes(2, PAIR, "    " P "[0, 0:TOK]\n", (struct record_request){0});

    (void)state;
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "NameError");
    assert_says(r.err.hint, "compile the program again");
    assert_null(strstr(r.err.hint, "--shape"));
    recording_free(&r);
}

/* A fixed shape belongs to a number of cards. */
static void fixed_sizes_name_the_cards(void **state)
{
    struct recording r =
        record_sizes(3, DYNAMIC("p", "In", "[2,8]"),
                     "    for r in range(world_size):\n    " SEND(P "[r]", "INPUT", "0"), (struct record_request){0});

    (void)state;
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "index 2 is out of bounds for dimension 0 with size 2 (tensor 'p' of shape [2, 8])");
    assert_says(r.err.hint, "--device-ids");
    recording_free(&r);
}

/* An index that can be no card's is not about the number of cards. */
static void other_indices_do_not_name_the_cards(void **state)
{
    struct recording r = record_sizes(3, DYNAMIC("p", "In", "[64,8]"), "    " P "[64]\n", (struct record_request){0});

    (void)state;
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "index 64 is out of bounds for dimension 0 with size 64");
    assert_says(r.err.hint, "correct the index");
    assert_null(strstr(r.err.hint, "--device-ids"));
    recording_free(&r);
}

/* Looking for sizes runs host_orch.py more than once: the plan must come from one run alone, with fresh globals. */
static void runs_do_not_mix(void **state)
{
    struct recording r = record_text(2, DYNAMIC("p", "In", "[-1,8]"),
                                     HEADER "seen = []\n" ENTRY "    seen.append(1)\n    assert len(seen) == 1\n" SEND(
                                         P "[6]", "INPUT", "None") SEND(P "[0]", "INPUT", "None") MARK);

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.nnode, 2);
    assert_int_equal(r.plan.nodes[0].lane, 0);
    assert_int_equal(r.plan.nodes[1].k, 0);
    assert_int_equal(r.plan.dims[r.plan.storages[0].dims], 7);
    recording_free(&r);
}

static void scalars_not_given_are_reported(void **state)
{
    struct recording r = record_text(1, PARAM("n", "In", "null", "int32"),
                                     HEADER ENTRY "    ta = TaskArgs()\n    ta.add_scalar(tensors[\"n\"])\n"
                                                  "    _submit_chip(orch, callables[\"chip\"], ta, config, 0)\n" MARK);
    struct record_scalar bad = {"n", 0, "3000000000"};
    struct record_request request = {.build = &r.build, .scalars = &bad, .nscalar = 1};
    struct plan plan = {0};

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.nnote, 1);
    assert_says(plan_text(&r.plan, r.plan.notes[0]), "scalar 'n': taken as 1");
    assert_int_equal(record_plan(&request, NULL, &plan, &r.err), -1);
    assert_int_equal(r.err.kind, ERROR_USAGE);
    assert_says(r.err.what, "out of range for the scalar 'n'");
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_the_recording_needs),
        cmocka_unit_test(one_pattern_has_one_size),
        cmocka_unit_test(says_how_to_give_a_size),
        cmocka_unit_test(a_missing_name_is_no_size),
        cmocka_unit_test(fixed_sizes_name_the_cards),
        cmocka_unit_test(other_indices_do_not_name_the_cards),
        cmocka_unit_test(runs_do_not_mix),
        cmocka_unit_test(scalars_not_given_are_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
