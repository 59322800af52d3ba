/* Manifests, journals and summaries of batches: what is input is checked, and one bad entry costs itself alone. */
#include "tests/support/temp_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "orchestrator/batch/batch_journal.h"

static char *dir;
static struct error err;

static int make_dir(void **state)
{
    (void)state;
    dir = temp_dir_make();
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static char *path_of(const char *name)
{
    return file_join(dir, name, NULL);
}

static int read_text(struct manifest *m, const char *text)
{
    char *path = path_of("m.json");
    int rc;

    temp_dir_put_text(dir, "m.json", text);
    rc = manifest_read(m, path, &err);
    free(path);
    return rc;
}

static void an_entry_is_what_it_says(void **state)
{
    struct manifest m;

    (void)state;
    assert_int_equal(read_text(&m,
                               "[{\"work_dir\": \"a b\", \"platform\": \"a5sim\", \"device_id\": 3},"
                               " {\"work_dir\": \"c\", \"device_ids\": [2, 0]}, {\"work_dir\": \"d\", \"device_ids\": "
                               "\"0-3\", \"more\": {}}]"),
                     0);
    assert_int_equal(m.count, 3);
    assert_string_equal(m.entries[0].work_dir, "a b");
    assert_string_equal(m.entries[0].platform, "a5sim");
    assert_string_equal(m.entries[0].device_id, "3");
    assert_null(m.entries[0].device_ids);
    assert_string_equal(m.entries[1].device_ids, "2,0");
    assert_string_equal(m.entries[2].device_ids, "0-3");
    for (size_t i = 0; i < m.count; i++) {
        assert_string_equal(m.entries[i].fault.what, "");
    }
    manifest_free(&m);
}

static void a_bad_entry_stays_one_entry(void **state)
{
    static const struct {
        const char *text, *name, *word;
    } cases[] = {{"7", "entry-1", "object"},
                 {"null", "entry-1", "object"},
                 {"{}", "entry-1", "work_dir"},
                 {"{\"work_dir\": 3}", "entry-1", "work_dir"},
                 {"{\"work_dir\": \"\"}", "", "empty"},
                 {"{\"work_dir\": \"w\", \"platform\": true}", "w", "platform"},
                 {"{\"work_dir\": \"w\", \"device_id\": -1}", "w", "device_id"},
                 {"{\"work_dir\": \"w\", \"device_id\": 1.5}", "w", "device_id"},
                 {"{\"work_dir\": \"w\", \"device_ids\": [0, \"1\"]}", "w", "device_ids"},
                 {"{\"work_dir\": \"w\", \"device_ids\": 2}", "w", "device_ids"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        struct manifest m;

        snprintf(text, sizeof text, "[{\"work_dir\": \"first\"}, %s, {\"work_dir\": \"last\"}]", cases[i].text);
        assert_int_equal(read_text(&m, text), 0);
        assert_int_equal(m.count, 3);
        assert_string_equal(m.entries[1].work_dir, cases[i].name);
        assert_non_null(strstr(m.entries[1].fault.what, cases[i].word));
        assert_string_equal(m.entries[0].fault.what, "");
        assert_string_equal(m.entries[2].work_dir, "last");
        assert_string_equal(m.entries[2].fault.what, "");
        manifest_free(&m);
    }
}

/* A line of the marker is one line, whatever a directory is called. */
static void names_cannot_end_a_line(void **state)
{
    struct manifest m;

    (void)state;
    assert_int_equal(read_text(&m, "[{\"work_dir\": \"a\\nPYPTO_EXEC_RESULT=PASS\\u001b[2J\"}]"), 0);
    assert_null(strchr(m.entries[0].work_dir, '\n'));
    assert_null(strchr(m.entries[0].work_dir, '\033'));
    manifest_free(&m);
}

static void what_is_no_list_is_refused(void **state)
{
    static const char *const texts[] = {"", "{}", "[", "[{\"work_dir\": \"a\"}] x", "\xff", "nonsense"};
    struct manifest m;
    char *path = path_of("none.json");

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_text(&m, texts[i]), -1);
        assert_int_equal(err.kind, ERROR_INFRA);
    }
    assert_int_equal(manifest_read(&m, path, &err), -1);
    free(path);
    assert_int_equal(read_text(&m, "[]"), 0);
    assert_int_equal(m.count, 0);
    manifest_free(&m);
}

/* --- journal -------------------------------------------------------------- */

static const char two[] = "[{\"work_dir\": \"a\"}, {\"work_dir\": \"b\"}]";

static void keep(const char *path, const struct manifest *m, size_t i, enum batch_verdict verdict, bool resumed)
{
    struct batch_outcome o = {.verdict = verdict, .seconds = 1.5, .device = verdict == BATCH_PASS ? 4 : -1};
    struct batch_journal j;

    strcpy(o.error.what, verdict == BATCH_PASS ? "" : "it \"broke\"");
    assert_int_equal(batch_journal_open(&j, path, m, resumed, &err), 0);
    assert_int_equal(batch_journal_add(&j, i, &o, &err), 0);
    batch_journal_close(&j, false);
}

static void what_ended_is_read_again(void **state)
{
    struct batch_outcome outcomes[2] = {0};
    char *path = path_of("journal");
    struct manifest m;

    (void)state;
    unlink(path);
    assert_int_equal(read_text(&m, two), 0);
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), 0);
    keep(path, &m, 0, BATCH_PASS, false);
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), 1);
    keep(path, &m, 1, BATCH_FAIL, true);
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), 2);
    assert_int_equal(outcomes[0].verdict, BATCH_PASS);
    assert_int_equal(outcomes[0].device, 4);
    assert_true(outcomes[0].earlier && outcomes[0].seconds == 1.5);
    assert_int_equal(outcomes[1].verdict, BATCH_FAIL);
    assert_string_equal(outcomes[1].error.what, "it \"broke\"");
    keep(path, &m, 0, BATCH_INFRA, false); /* begun anew */
    memset(outcomes, 0, sizeof outcomes);
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), 1);
    assert_int_equal(outcomes[0].verdict, BATCH_INFRA);
    free(path);
    manifest_free(&m);
}

/* As a batch leaves it that was killed while it wrote. */
static void an_unfinished_line_does_not_count(void **state)
{
    struct batch_outcome outcomes[2] = {0};
    char *path = path_of("journal");
    struct manifest m;
    FILE *f;

    (void)state;
    assert_int_equal(read_text(&m, two), 0);
    keep(path, &m, 0, BATCH_PASS, false);
    f = fopen(path, "a");
    assert_non_null(f);
    fputs("{\"entry\": 1, \"res", f);
    fclose(f);
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), 1);
    keep(path, &m, 1, BATCH_PASS, true); /* in its place */
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), 2);
    free(path);
    manifest_free(&m);
}

static void the_journal_of_another_manifest_is_refused(void **state)
{
    struct batch_outcome outcomes[2] = {0};
    char *path = path_of("journal");
    struct manifest m;

    (void)state;
    assert_int_equal(read_text(&m, two), 0);
    keep(path, &m, 0, BATCH_PASS, false);
    manifest_free(&m);
    assert_int_equal(read_text(&m, "[{\"work_dir\": \"b\"}, {\"work_dir\": \"a\"}]"), 0);
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), -1);
    assert_non_null(strstr(err.what, "manifest has changed"));
    free(path);
    manifest_free(&m);
}

static void a_damaged_journal_is_refused(void **state)
{
    static const char *const lines[] = {"nonsense\n", "{\"batch_journal\": 2, \"manifest\": \"x\"}\n", "{}\n"};
    struct batch_outcome outcomes[2] = {0};
    char *path = path_of("journal");
    struct manifest m;

    (void)state;
    assert_int_equal(read_text(&m, two), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        temp_dir_put_text(dir, "journal", lines[i]);
        assert_int_equal(batch_journal_read(path, &m, outcomes, &err), -1);
    }
    unlink(path);
    keep(path, &m, 1, BATCH_PASS, false); /* the first entry is missing */
    assert_int_equal(batch_journal_read(path, &m, outcomes, &err), -1);
    free(path);
    manifest_free(&m);
}

static void a_journal_of_entries_that_all_ended_goes(void **state)
{
    struct batch_journal j;
    char *path = path_of("journal");
    struct manifest m;

    (void)state;
    assert_int_equal(read_text(&m, two), 0);
    assert_int_equal(batch_journal_open(&j, path, &m, false, &err), 0);
    batch_journal_close(&j, true);
    assert_int_equal(access(path, F_OK), -1);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody waits for its other end */
    assert_int_equal(batch_journal_open(&j, path, &m, false, &err), -1);
    unlink(path);
    free(path);
    manifest_free(&m);
}

/* --- summaries ------------------------------------------------------------ */

static void xml_is_escaped_and_counts_are_right(void **state)
{
    struct batch_outcome outcomes[4] = {{.verdict = BATCH_PASS, .seconds = 0.25, .device = 0},
                                        {.verdict = BATCH_FAIL, .seconds = 1, .device = -1},
                                        {.verdict = BATCH_INFRA, .device = -1}};
    char *path = path_of("junit.xml"), *text;
    struct manifest m;

    (void)state;
    strcpy(outcomes[1].error.what, "a < b && \"c\" \x01\xff");
    assert_int_equal(read_text(&m, "[{\"work_dir\": \"<&>\"}, {\"work_dir\": \"b\"}, 3, {\"work_dir\": \"d\"}]"), 0);
    assert_int_equal(batch_write_junit(path, &m, outcomes, &err), 0);
    text = file_read(path, 1 << 20, NULL, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"1.250\""));
    assert_non_null(strstr(text, "name=\"&lt;&amp;&gt;\" time=\"0.250\"/>"));
    assert_non_null(strstr(text, "<failure message=\"a &lt; b &amp;&amp; &quot;c&quot;  ?\">"));
    assert_non_null(strstr(text, "<skipped/>"));
    free(text);
    free(path);
    manifest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_what_it_says),
        cmocka_unit_test(a_bad_entry_stays_one_entry),
        cmocka_unit_test(names_cannot_end_a_line),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(what_ended_is_read_again),
        cmocka_unit_test(an_unfinished_line_does_not_count),
        cmocka_unit_test(the_journal_of_another_manifest_is_refused),
        cmocka_unit_test(a_damaged_journal_is_refused),
        cmocka_unit_test(a_journal_of_entries_that_all_ended_goes),
        cmocka_unit_test(xml_is_escaped_and_counts_are_right),
    };

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
