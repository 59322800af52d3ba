/* The name that a compiler did not know, out of messages as g++ 12 and clang 19 print them. */
#include "rank-worker/compile/unknown_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(const char *messages, enum unknown_kind kind, const char *expected)
{
    char name[16];

    assert_int_equal(unknown_name(messages, name, sizeof name), kind);
    assert_string_equal(name, expected);
}

static void test_headers(void **state)
{
    (void)state;
    expect("o.cpp:4:10: fatal error: later_api.h: No such file or directory\n    4 | #include \"later_api.h\"\n",
           UNKNOWN_HEADER, "later_api.h");
    expect("o.cpp:4:10: fatal error: 'a/later.h' file not found\n", UNKNOWN_HEADER, "a/later.h");
    expect("fatal error: a_name_that_is_too_long.h: No such file or directory\n", UNKNOWN_HEADER, "a_name_that_is_");
}

static void test_identifiers(void **state)
{
    (void)state;
    expect("In file included from x:\no.cpp:9:5: error: 'rt_later' was not declared in this scope; did you mean 'x'?\n",
           UNKNOWN_IDENTIFIER, "rt_later");
    expect("o.cpp:9:5: error: 'Later' does not name a type\n", UNKNOWN_IDENTIFIER, "Later");
    expect("o.cpp:9:5: error: 'Later' is not a member of 'simpler::tmr'\n", UNKNOWN_IDENTIFIER, "Later");
    expect("o.cpp:9:5: error: use of undeclared identifier 'rt_later'\n", UNKNOWN_IDENTIFIER, "rt_later");
    expect("o.cpp:9:5: error: unknown type name 'Later'; did you mean 'x'?\n", UNKNOWN_IDENTIFIER, "Later");
    /* The first one counts: the others follow from it. */
    expect("o.cpp:9:5: error: 'A' does not name a type\no.cpp:9:5: error: 'B' does not name a type\n",
           UNKNOWN_IDENTIFIER, "A");
}

static void test_something_else(void **state)
{
    (void)state;
    expect("", UNKNOWN_NOTHING, "");
    expect("o.cpp:9:5: error: expected ';' before '}' token\n", UNKNOWN_NOTHING, "");
    expect("o.cpp:9:5: warning: unused variable 'x'", UNKNOWN_NOTHING, "");
    expect("fatal error: : No such file or directory", UNKNOWN_NOTHING, "");
    expect("error: 'x", UNKNOWN_NOTHING, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_identifiers),
        cmocka_unit_test(test_something_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
