/* Names out of files do not steer a terminal. */
#include "tests/support/temp_dir.h"

#include "common/base/clean_name.h"
#include "common/base/file.h"
#include "orchestrator/profiles/dfx_read.h"
#include "orchestrator/profiles/run_record.h"

static void names_lose_what_steers_a_terminal(void **state)
{
    static const char *const names[][2] = {
        {"a\x1b[31mb", "a?[31mb"},
        {"a\nb\tc\x7f", "a?b?c?"},
        {"x\u202ey", "x?y"},
        {"\u202a\u202b\u202c\u202d", "????"},
        {"\u2066\u2069", "??"},
        {"\u2029\u202f\u2065\u206a", "\u2029\u202f\u2065\u206a"},
        {"größe \u77e9\u9635", "größe \u77e9\u9635"},
        {"\xe2\x80", "\xe2\x80"},
        {"\xe2", "\xe2"},
        {"", ""},
    };
    char *dir = temp_dir_make(), buf[64];
    struct dfx_dispatch d;
    struct dfx_list list;
    struct error err;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(buf, sizeof buf, "%s", names[i][0]);
        assert_string_equal(clean_name(buf), names[i][1]);
    }
    assert_null(clean_name(NULL));
    temp_dir_put_text(dir, "rank0/d0/dispatch_program.json", "{\"program\": \"p\\u001b[2J\"}");
    temp_dir_put_text(dir, "rank0/d0/name_map.json", "{\"callable_id_to_name\": {\"0\": \"k\\u202eq\"}}");
    assert_int_equal(dfx_list_read(dir, &list, &err), 0);
    assert_int_equal(dfx_load(&list.entries[0], &d, &err), 0);
    assert_string_equal(d.program, "p?[2J");
    assert_string_equal(d.names[0].name, "k?q");
    dfx_free(&d);
    dfx_list_free(&list);
    temp_dir_remove(dir);
}

static void names_in_the_record_of_a_run_are_cleaned(void **state)
{
    char *dir = temp_dir_make(), *path;
    struct run_record r;
    struct error err;

    (void)state;
    temp_dir_put_text(
        dir, "l3_run.json",
        "{\"l3_run\": 1, \"world_size\": 1, \"origin_ns\": \"1\", \"clocks\": [{\"host\": "
        "\"no\\u0007de\", \"lanes\": [0, 1, 2], \"alignment\": \"shared\", \"error_ns\": 0, \"points\": []}],"
        " \"nodes\": [{\"kind\": \"copy\", \"name\": \"c\\r\", \"lane\": 1}, {\"kind\": \"sub\", \"name\": "
        "\"s\\u2067\", \"lane\": 2, \"waits_for\": [{\"node\": 0, \"storage\": \"x\\u001b\"}]}]}");
    path = file_join(dir, "l3_run.json", &err);
    if (run_record_read(path, &r, &err)) {
        fail_msg("%s", err.what);
    }
    assert_string_equal(r.nodes[0].name, "c?");
    assert_string_equal(r.nodes[1].name, "s?");
    assert_string_equal(r.edges[0].storage, "x?");
    assert_string_equal(r.clocks.items[0].host, "no?de");
    run_record_free(&r);
    free(path);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lose_what_steers_a_terminal),
        cmocka_unit_test(names_in_the_record_of_a_run_are_cleaned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
