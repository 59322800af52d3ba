/* Growing arrays: what is kept, what is zero, and sizes that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/array.h"
#include "common/base/clock.h"

static void test_appends_keep_what_is_there(void **state)
{
    uint32_t *items = NULL;
    size_t capacity = 0;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(array_reserve(&items, &capacity, i, 1, sizeof *items), 0);
        assert_true(capacity > i);
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(items[i], i);
    }
    free(items);
}

static void test_many_at_once(void **state)
{
    uint64_t *items = NULL;
    size_t capacity = 0;

    (void)state;
    assert_int_equal(array_reserve(&items, &capacity, 0, 0, sizeof *items), 0);
    assert_null(items);
    assert_int_equal(array_reserve(&items, &capacity, 3, 5000, sizeof *items), 0);
    assert_true(capacity >= 5003);
    items[5002] = 1;
    free(items);
}

static void test_new_room_of_an_element_is_zero(void **state)
{
    unsigned char *items = NULL;
    size_t capacity = 0, before;

    (void)state;
    for (size_t n = 0; n < 200; n++) {
        before = capacity;
        assert_int_equal(array_room(&items, &capacity, n, 1), 0);
        for (size_t i = before; i < capacity; i++) {
            assert_int_equal(items[i], 0);
        }
        items[n] = 0xff;
    }
    free(items);
}

/* SIZE_MAX elements of two bytes have no size; nor has one more than SIZE_MAX elements a count. */
static void test_sizes_beyond_the_address_space(void **state)
{
    static const struct {
        size_t count, more, size;
    } cases[] = {{SIZE_MAX, 1, 1}, {1, SIZE_MAX, 1}, {SIZE_MAX - 1, 1, 2}, {SIZE_MAX / 8, 1, 16}};
    uint16_t *items = malloc(4 * sizeof *items), *was = items;
    size_t capacity = 4;

    (void)state;
    assert_non_null(items);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(array_reserve(&items, &capacity, cases[i].count, cases[i].more, cases[i].size), -1);
        assert_int_equal(capacity, 4);
        assert_ptr_equal(items, was);
    }
    free(items);
}

/* A deadline is a time as pthread_cond_timedwait() takes it: nanoseconds below a second. */
static void test_deadline(void **state)
{
    static const uint64_t far[] = {0, 1, 999999999, 1000000000, 5500000000};

    (void)state;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        uint64_t before = clock_now_ns();
        struct timespec t = clock_deadline(far[i]);
        uint64_t after = clock_now_ns(), at;

        assert_in_range(t.tv_nsec, 0, 999999999);
        at = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
        assert_in_range(at, before + far[i], after + far[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appends_keep_what_is_there),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_new_room_of_an_element_is_zero),
        cmocka_unit_test(test_sizes_beyond_the_address_space),
        cmocka_unit_test(test_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
