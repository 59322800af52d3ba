/* Strict parsing and checked access. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/json.h"
#include "common/base/json_write.h"

static struct error err;
static struct json_source source = {.file = "/somewhere/doc.json", .hint = "write it again", .err = &err};

static void test_accepted(void **state)
{
    /* From the grammar of RFC 8259. */
    static const char *const good[] = {"{}",
                                       " [ ] ",
                                       "0",
                                       "-0",
                                       "10",
                                       "1.5e+10",
                                       "1E5",
                                       "\"\\u00e9\\n\"",
                                       "null",
                                       "true",
                                       "\"\xf0\x9f\x98\x80\"",
                                       "\"\\\\u0000\"",
                                       "[1,2]",
                                       "{\"a\":{\"a\":1}}"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cJSON *value = json_parse(&source, good[i], strlen(good[i]));
        if (!value) {
            fail_msg("%s: %s", good[i], err.what);
        }
        cJSON_Delete(value);
    }
}

static void test_refused(void **state)
{
    static const char *const bad[] = {"",
                                      " ",
                                      "{",
                                      "[1,]",
                                      "{\"a\"}",
                                      "{\"a\":1,}",
                                      "01",
                                      "-",
                                      "-01",
                                      "1.",
                                      ".5",
                                      "1e",
                                      "+1",
                                      "1 2",
                                      "tru",
                                      "'a'",
                                      "\"a",
                                      "\"\t\"",
                                      "\"a\nb\"",
                                      "\"\\x\"",
                                      "NaN",
                                      "\"\\u0000\"",
                                      "\"\\\\\\u0000\"",
                                      "{\"a\":1,\"b\":2,\"a\":3}",
                                      "[{\"x\":[],\"x\":[]}]",
                                      "\"\xc3\"",
                                      "\"\xed\xa0\x80\"",
                                      "\"\xf4\x90\x80\x80\"",
                                      "\"\xe0\x80\x80\"",
                                      "\xef\xbb\xbf{}"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&err, 0, sizeof err);
        if (json_parse(&source, bad[i], strlen(bad[i]))) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_non_null(strstr(err.what, "doc.json"));
        assert_non_null(strstr(err.where, "/somewhere/doc.json"));
        assert_string_equal(err.hint, "write it again");
    }
    assert_null(json_parse(&source, "[0]\0[1]", 7));
}

static void test_place_of_a_fault(void **state)
{
    static const char text[] = "{\n  \"a\": 1,\n  \"b\": ?\n}";

    (void)state;
    assert_null(json_parse(&source, text, sizeof text - 1));
    assert_non_null(strstr(err.what, "line 3"));
}

static void test_integers(void **state)
{
    static const struct {
        const char *text;
        int ok;
        int64_t value;
    } cases[] = {{"5", 1, 5},     {"-5", 1, -5},  {"10", 1, 10}, {"11", 0, 0},   {"-6", 0, 0},  {"true", 0, 0},
                 {"\"5\"", 0, 0}, {"null", 0, 0}, {"1.5", 0, 0}, {"1e1", 1, 10}, {"[5]", 0, 0}, {"1e400", 0, 0}};
    int64_t got;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *value = json_parse(&source, cases[i].text, strlen(cases[i].text));
        assert_non_null(value);
        assert_int_equal(json_get_int(&source, value, NULL, -5, 10, &got), cases[i].ok - 1);
        if (cases[i].ok) {
            assert_int_equal(got, cases[i].value);
        } else {
            assert_non_null(strstr(err.what, "doc.json: "));
        }
        cJSON_Delete(value);
    }
    assert_int_equal(json_get_int(&source, NULL, NULL, 0, 1, &got), -1);
    assert_non_null(strstr(err.what, "missing"));
}

/* Objects of few keys and of many: the last key is the first one again, or is not. */
static void test_keys_are_there_once(void **state)
{
    char text[2048];

    (void)state;
    for (int count = 1; count <= 100; count++) {
        for (int last = 0; last <= count; last += count) {
            size_t used = 0;
            cJSON *root;

            for (int i = 0; i < count; i++) {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s\"key%d\":%d", i ? "," : "{", i, i);
            }
            used += (size_t)snprintf(text + used, sizeof text - used, ",\"key%d\":0}", last);
            root = json_parse(&source, text, used);
            if (last) {
                assert_non_null(root);
            } else {
                assert_null(root);
                assert_string_equal(err.what, "doc.json: 'key0': the key stands there twice in one object");
            }
            cJSON_Delete(root);
        }
    }
}

/* Errors say where a value stands, however deep, and what it is. */
static void test_path_of_a_value(void **state)
{
    static const char text[] = "{\"nodes\": [{}, {\"waits\": [3, \"x\", [1.5]], \"ok\": 1}]}";
    cJSON *root = json_parse(&source, text, strlen(text));
    const cJSON *nodes, *node, *waits;
    int64_t number;
    bool truth;

    (void)state;
    assert_non_null(root);
    assert_int_equal(json_get_list(&source, root, "nodes", &nodes, NULL), 0);
    node = nodes->child->next;
    assert_int_equal(json_get_list(&source, node, "waits", &waits, NULL), 0);
    assert_int_equal(json_get_int(&source, waits->child, NULL, 0, 2, &number), -1);
    assert_string_equal(err.what, "doc.json: 'nodes[1].waits[0]': 3 is out of range, 0 to 2 are possible");
    assert_string_equal(err.where, "/somewhere/doc.json, field nodes[1].waits[0]");
    assert_string_equal(err.hint, "write it again");
    assert_int_equal(json_get_int(&source, waits->child->next->next->child, NULL, 0, 2, &number), -1);
    assert_string_equal(err.what, "doc.json: 'nodes[1].waits[2][0]': an integer is needed, not 1.5");
    assert_int_equal(json_get_bool(&source, node, "ok", &truth), -1);
    assert_string_equal(err.what, "doc.json: 'nodes[1].ok': true or false is needed, not 1");
    assert_int_equal(json_get_list(&source, nodes->child, "waits", &waits, NULL), -1);
    assert_string_equal(err.what, "doc.json: 'nodes[0].waits': it is missing; a list is needed");
    assert_int_equal(json_get_int(&source, root, "version", 0, 1, &number), -1);
    assert_string_equal(err.what, "doc.json: 'version': it is missing; an integer is needed");
    assert_int_equal(json_get_int(&source, root, NULL, 0, 1, &number), -1);
    assert_non_null(strstr(err.what, "doc.json: an integer is needed, not {"));
    cJSON_Delete(root);
}

/* What a double cannot hold comes as a string; negative and other text is no such number. */
static void test_wide_numbers(void **state)
{
    static const struct {
        const char *text;
        int ok;
        uint64_t value;
    } cases[] = {{"0", 1, 0},
                 {"9007199254740991", 1, (UINT64_C(1) << 53) - 1},
                 {"9007199254740992", 0, 0},
                 {"\"18446744073709551615\"", 1, UINT64_MAX},
                 {"\"18446744073709551616\"", 0, 0},
                 {"-1", 0, 0},
                 {"\"-1\"", 0, 0},
                 {"\"\"", 0, 0},
                 {"\"1x\"", 0, 0}};
    uint64_t got;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *value = json_parse(&source, cases[i].text, strlen(cases[i].text));
        assert_non_null(value);
        assert_int_equal(json_get_u64(&source, value, NULL, &got), cases[i].ok - 1);
        if (cases[i].ok) {
            assert_true(got == cases[i].value);
        }
        cJSON_Delete(value);
    }
}

static void test_choices(void **state)
{
    static const char *const names[] = {"aic", "aiv"};
    cJSON *root = json_parse(&source, "{\"core\": \"aiv\", \"other\": \"cpu\"}", 31);
    size_t which = 7;

    (void)state;
    assert_non_null(root);
    assert_int_equal(json_get_choice(&source, root, "core", names, 2, &which), 0);
    assert_int_equal(which, 1);
    assert_int_equal(json_get_choice(&source, root, "other", names, 2, &which), -1);
    assert_string_equal(err.what, "doc.json: 'other': \"cpu\" is not known; known are aic, aiv");
    cJSON_Delete(root);
}

/* Names of files are bytes; both ends must say so. */
static void test_bytes(void **state)
{
    struct json_source bytes = {.file = "sheet", .err = &err, .bytes = true};
    struct json_writer w = {.bytes = true};
    cJSON *root = json_new_object(&w);
    char *text;

    (void)state;
    json_put_string(&w, root, "path", "/tmp/gr\xfc\xdf");
    text = json_finish_line(&w, root, "sheet", &err);
    assert_string_equal(text, "{\"path\":\"/tmp/gr\xfc\xdf\"}");
    assert_null(json_parse(&source, text, strlen(text)));
    root = json_parse(&bytes, text, strlen(text));
    assert_string_equal(json_text_of(root, "path"), "/tmp/gr\xfc\xdf");
    cJSON_Delete(root);
    free(text);
}

static void test_shown_values_are_short(void **state)
{
    cJSON *value = cJSON_CreateString("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    char buf[10];

    (void)state;
    assert_string_equal(json_show(value, buf, sizeof buf), "\"\xc3\xa9\xc3\xa9...");
    assert_string_equal(json_show(NULL, buf, sizeof buf), "nothing");
    cJSON_Delete(value);
}

static void test_writing(void **state)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *list, *back;
    char *text;

    (void)state;
    json_put_text(&w, root, "latin1",
                  "gr\xfc\xdf"
                  "e");
    json_put_text(&w, root, "nothing", NULL);
    json_put_text(&w, root, "empty", "");
    json_put_number(&w, root, "nan", (double)NAN);
    json_put_number(&w, root, "inf", -(double)INFINITY);
    list = json_put_list(&w, root, "list");
    json_append_text(&w, list, "");
    json_append_number(&w, list, 9007199254740991.0);
    text = json_finish(&w, root, "text", NULL);
    assert_non_null(text);
    back = json_parse(&source, text, strlen(text));
    assert_non_null(back);
    assert_string_equal(cJSON_GetObjectItem(back, "latin1")->valuestring, "gr??e");
    assert_null(cJSON_GetObjectItem(back, "nothing"));
    assert_null(cJSON_GetObjectItem(back, "empty"));
    assert_string_equal(cJSON_GetObjectItem(back, "nan")->valuestring, "nan");
    assert_string_equal(cJSON_GetObjectItem(back, "inf")->valuestring, "-inf");
    assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(back, "list"), 1)->valuedouble == 9007199254740991.0);
    cJSON_Delete(back);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_place_of_a_fault),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_keys_are_there_once),
        cmocka_unit_test(test_path_of_a_value),
        cmocka_unit_test(test_wide_numbers),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_shown_values_are_short),
        cmocka_unit_test(test_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
