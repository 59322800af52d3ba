/* Names that the compiler numbers anew: when two texts mean the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "rank-worker/compile/inline_names.h"

static void expect(const char *text, const char *canonical)
{
    char *got = inline_names_canonical(text);

    assert_non_null(got);
    assert_string_equal(got, canonical);
    free(got);
}

static void expect_none(const char *text)
{
    assert_null(inline_names_canonical(text));
}

static void numbers_follow_the_first_occurrence(void **state)
{
    (void)state;
    expect("void f() { int x_inline712_inline9__ssa_v1 = 0, y_inline9 = x_inline712_inline9__ssa_v1; }",
           "void f() { int x_inline1_inline2__ssa_v1 = 0, y_inline2 = x_inline1_inline2__ssa_v1; }");
    expect("// pto: %a_inline5\nvoid f() { /* a_inline5, b_inline0 */ g(a_inline5, b_inline0); }",
           "// pto: %a_inline1\nvoid f() { /* a_inline1, b_inline2 */ g(a_inline1, b_inline2); }");
    expect("void f() { int _inlinex = 1'000, a_inline3 = '{'; char b[] = \"}\\\"\"; }",
           "void f() { int _inlinex = 1'000, a_inline1 = '{'; char b[] = \"}\\\"\"; }");
}

/* A bijection: what was distinct stays distinct, also where a canonical number was in the text. */
static void distinct_names_stay_distinct(void **state)
{
    (void)state;
    expect("void f() { a_inline2 = a_inline1; a_inline12 = 0; }", "void f() { a_inline1 = a_inline2; a_inline3 = 0; }");
}

static void other_uses_of_one_name_are_other_texts(void **state)
{
    char *one = inline_names_canonical("void f() { a_inline4 = a_inline5; b = a_inline4; }");
    char *other = inline_names_canonical("void f() { a_inline4 = a_inline5; b = a_inline5; }");

    (void)state;
    assert_string_not_equal(one, other);
    free(one);
    free(other);
}

static void names_that_others_may_see_are_left(void **state)
{
    (void)state;
    expect_none("int a_inline4; void f() { a_inline4 = 1; }");          /* of the file */
    expect_none("void f_inline4(int b) { b = 1; }");                    /* a function */
    expect_none("#define M a_inline4\nvoid f() { M; a_inline4 = 1; }"); /* pasted and made text of */
    expect_none("  # define M \\\n a_inline4\nvoid f() {}");
    expect_none("void f() { puts(\"a_inline4\"); a_inline4 = 1; }"); /* printed */
    expect_none("void f() { int a_inline4; }\nint b_inline4;");      /* behind the body */
}

static void what_is_not_read_is_left(void **state)
{
    (void)state;
    expect_none("void f() { a = b; }"); /* no such name */
    expect_none("void f() { a_inline = 1; }");
    expect_none("void f() { a_inline05 = a_inline5; }");     /* would be one name */
    expect_none("void f() { a_inline1234567890 = 1; }");     /* never drawn */
    expect_none("void f() { g(R\"(})\"); a_inline4 = 1; }"); /* raw strings */
    expect_none("} void f() { a_inline4 = 1; }");
    expect_none("void f() { a_inline4 = 1;");
    expect_none("void f() { a_inline4 = 1; /* no end");
    expect_none("");
}

static void a_header_with_such_names_is_noticed(void **state)
{
    (void)state;
    assert_true(inline_names_occur("int a_inline4();"));
    assert_true(inline_names_occur("int _inline, a_inline0;"));
    assert_false(inline_names_occur("int always_inline, a_inlinex;"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_the_first_occurrence),
        cmocka_unit_test(distinct_names_stay_distinct),
        cmocka_unit_test(other_uses_of_one_name_are_other_texts),
        cmocka_unit_test(names_that_others_may_see_are_left),
        cmocka_unit_test(what_is_not_read_is_left),
        cmocka_unit_test(a_header_with_such_names_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
