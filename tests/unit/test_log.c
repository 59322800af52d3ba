/* Lines on stderr: which word stands before a message, and which levels are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/log.h"

static int saved = -1, ends[2];

static void capture(void)
{
    assert_int_equal(pipe(ends), 0);
    saved = dup(STDERR_FILENO);
    assert_true(saved >= 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    close(ends[1]);
}

/* All that was written since capture(); it fits in the pipe. */
static void assert_written(const char *expected)
{
    char text[1024] = "";
    ssize_t n;

    dup2(saved, STDERR_FILENO);
    close(saved);
    n = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    assert_int_equal(n, strlen(expected));
    assert_string_equal(text, expected);
}

static void a_note_has_its_own_word(void **state)
{
    (void)state;
    log_set_level(LOG_WARN);
    capture();
    log_note("%d of %s", 3, "them");
    assert_written("l3replay: note: 3 of them\n");
}

static void what_a_message_says_does_not_change_its_word(void **state)
{
    (void)state;
    log_set_level(LOG_WARN);
    capture();
    log_msg(LOG_WARN, "note: %d", 1);
    log_msg(LOG_ERROR, "broken");
    assert_written("l3replay: warning: note: 1\nl3replay: error: broken\n");
}

static void a_note_is_not_printed_above_warnings(void **state)
{
    (void)state;
    log_set_level(LOG_ERROR);
    capture();
    log_note("unseen");
    assert_written("");
}

static enum log_kind kept_kind;
static char kept[64];

static void keep(enum log_kind kind, const char *text)
{
    kept_kind = kind;
    strncpy(kept, text, sizeof kept - 1);
}

static void what_is_not_printed_is_kept(void **state)
{
    (void)state;
    log_set_level(LOG_NULL);
    log_keep(keep);
    log_note("unseen %d", 1);
    assert_string_equal(kept, "unseen 1");
    assert_int_equal(kept_kind, LOG_KIND_NOTE);
    log_msg(LOG_WARN, "unseen %d", 2);
    assert_string_equal(kept, "unseen 2");
    assert_int_equal(kept_kind, LOG_KIND_WARNING);
    log_msg(LOG_ERROR, "an error is the verdict's");
    log_keep(NULL);
    log_note("unseen %d", 3);
    assert_string_equal(kept, "unseen 2");
}

static void lines_of_other_processes_are_kept_by_their_word(void **state)
{
    (void)state;
    log_keep(keep);
    log_set_level(LOG_ERROR);
    assert_false(log_take_line("card 1", "l3replay: warning: hot"));
    assert_string_equal(kept, "card 1: hot");
    assert_int_equal(kept_kind, LOG_KIND_WARNING);
    log_set_level(LOG_WARN);
    assert_true(log_take_line("card 2", "l3replay: note: warm"));
    assert_string_equal(kept, "card 2: warm");
    assert_int_equal(kept_kind, LOG_KIND_NOTE);
    assert_true(log_take_line("card 3", "warning: of a kernel"));
    assert_true(log_take_line("card 3", "l3replay: error: cold"));
    assert_string_equal(kept, "card 2: warm");
    log_set_level(LOG_NULL);
    assert_false(log_take_line("card 3", "l3replay: error: cold"));
    assert_true(log_take_line("card 3", "of a kernel, at every level"));
    log_keep(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_has_its_own_word),
        cmocka_unit_test(what_a_message_says_does_not_change_its_word),
        cmocka_unit_test(a_note_is_not_printed_above_warnings),
        cmocka_unit_test(what_is_not_printed_is_kept),
        cmocka_unit_test(lines_of_other_processes_are_kept_by_their_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
