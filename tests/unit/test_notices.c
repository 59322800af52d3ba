/* Notes and warnings kept, and handed from process to process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "orchestrator/job/notices.h"

static void expect(enum log_kind kind, size_t n, const char *const *texts)
{
    const char *const *got;

    assert_int_equal(notices_list(kind, &got), n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(got[i], texts[i]);
    }
}

static void what_one_process_packs_another_keeps(void **state)
{
    char *text;
    size_t nbytes;

    (void)state;
    log_set_level(LOG_NULL);
    notices_keep();
    log_msg(LOG_WARN, "lost %d", 1);
    log_note("idle");
    log_msg(LOG_WARN, "lost %d", 2);
    text = notices_pack(&nbytes);
    assert_non_null(text);

    notices_keep(); /* as the other one */
    log_msg(LOG_WARN, "lost 2");
    notices_unpack(text, nbytes);
    expect(LOG_KIND_NOTE, 1, (const char *const[]){"idle"});
    expect(LOG_KIND_WARNING, 2, (const char *const[]){"lost 2", "lost 1"}); /* each text once */
    free(text);
    notices_end();
}

static void nothing_kept_is_nothing_packed(void **state)
{
    size_t nbytes = 7;

    (void)state;
    notices_keep();
    assert_null(notices_pack(&nbytes));
    assert_int_equal(nbytes, 0);
    notices_end();
}

/* What a peer sends is input. */
static void what_is_no_notice_is_left_out(void **state)
{
    static const char text[] = "Wright\nXwrong kind\n\nNalso right\nWwithout an end";

    (void)state;
    notices_keep();
    notices_unpack(text, sizeof text - 1);
    expect(LOG_KIND_WARNING, 1, (const char *const[]){"right"});
    expect(LOG_KIND_NOTE, 1, (const char *const[]){"also right"});
    notices_end();
}

static void more_than_fits_is_cut_between_texts(void **state)
{
    char *text, item[3000];
    size_t nbytes;

    (void)state;
    log_set_level(LOG_NULL);
    notices_keep();
    for (int i = 0; i < 200; i++) {
        memset(item, 'a' + i % 26, sizeof item - 1);
        item[sizeof item - 1] = '\0';
        log_msg(LOG_WARN, "%d%s", i, item);
    }
    text = notices_pack(&nbytes);
    assert_non_null(text);
    assert_in_range(nbytes, NOTICES_TEXT_MAX - 2 * sizeof item, NOTICES_TEXT_MAX);
    assert_true(text[nbytes - 1] == '\n');
    free(text);
    notices_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_process_packs_another_keeps),
        cmocka_unit_test(nothing_kept_is_nothing_packed),
        cmocka_unit_test(what_is_no_notice_is_left_out),
        cmocka_unit_test(more_than_fits_is_cut_between_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
