/* The one error type. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/base/error.h"

static void the_site_fills_what_where_and_hint(void **state)
{
    struct error err;

    (void)state;
    assert_int_equal(error_set(&err, "file.json", "write it again", "field %s is %d", "schema", 7), -1);
    assert_int_equal(err.kind, ERROR_INFRA);
    assert_string_equal(err.what, "field schema is 7");
    assert_string_equal(err.where, "file.json");
    assert_string_equal(err.hint, "write it again");
}

static void errno_is_put_into_words(void **state)
{
    struct error err;

    (void)state;
    errno = ENOSPC;
    assert_int_equal(error_errno(&err, NULL, NULL, "cannot write %s", "x"), -1);
    assert_string_equal(err.what, "cannot write x: No space left on device");
    assert_string_equal(err.where, "");
}

static void a_text_that_does_not_fit_ends_in_dots(void **state)
{
    static char longer[5000];
    struct error err;

    (void)state;
    memset(longer, 'a', sizeof longer - 1);
    error_set(&err, longer, longer, "%s", longer);
    assert_int_equal(strlen(err.what), sizeof err.what - 1);
    assert_string_equal(err.what + sizeof err.what - 4, "...");
    assert_string_equal(err.where + sizeof err.where - 4, "...");
    assert_string_equal(err.hint + sizeof err.hint - 4, "...");
    errno = EIO;
    error_errno(&err, NULL, NULL, "%.1530s", longer); /* the errno text is what does not fit */
    assert_string_equal(err.what + sizeof err.what - 4, "...");
}

static void no_struct_is_fine(void **state)
{
    (void)state;
    assert_int_equal(error_set_kind(NULL, ERROR_FAIL, NULL, NULL, "x"), -1);
}

static void places_are_put_in_front_as_far_as_they_fit(void **state)
{
    struct error err;

    (void)state;
    error_set(&err, NULL, NULL, "x");
    error_within(&err, "run 3 of 20");
    assert_string_equal(err.where, "run 3 of 20");
    error_within(&err, "job");
    assert_string_equal(err.where, "job: run 3 of 20");
    memset(err.where, 'y', sizeof err.where - 1);
    error_within(&err, "job");
    assert_int_equal(strncmp(err.where, "job: yyy", 8), 0);
    assert_int_equal(strlen(err.where), sizeof err.where - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_site_fills_what_where_and_hint),         cmocka_unit_test(errno_is_put_into_words),
        cmocka_unit_test(a_text_that_does_not_fit_ends_in_dots),      cmocka_unit_test(no_struct_is_fine),
        cmocka_unit_test(places_are_put_in_front_as_far_as_they_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
