/* Records of the plan stream that are refused, and what the error says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "common/plan/plan_stream.h"
#include "tests/support/plan_sample.h"

/* A record of the sample is put in place of another one; the error must name its line and hold `what`. */
static void refused(size_t at, const char *line, const char *what)
{
    const char *lines[PLAN_SAMPLE];
    char where[32];
    struct plan p;
    struct error err;

    memcpy(lines, plan_sample, sizeof lines);
    lines[at] = line;
    snprintf(where, sizeof where, "origin, line %zu", at + 1);
    if (plan_sample_read(lines, PLAN_SAMPLE, &p, &err) == 0) {
        fail_msg("accepted: %s", line);
    }
    if (strncmp(err.where, where, strlen(where)) != 0 ||
        (err.where[strlen(where)] && !strchr(" ,", err.where[strlen(where)])) || !strstr(err.what, what)) {
        fail_msg("%s\n  gives: %s\n  in: %s, wanted %s", line, err.what, err.where, where);
    }
}

/* The same, and it is taken. */
static void accepted(size_t at, const char *line)
{
    struct error err;
    struct plan_stream *s = plan_stream_new("origin", &err);

    assert_non_null(s);
    for (size_t i = 0; i <= at; i++) {
        char *copy = strdup(i == at ? line : plan_sample[i]);

        assert_non_null(copy);
        if (plan_stream_line(s, copy, strlen(copy), &err)) {
            fail_msg("%s\n  gives: %s", copy, err.what);
        }
        free(copy);
    }
    plan_stream_free(s);
}

static void test_header_is_checked(void **state)
{
    struct error err;
    struct plan p;
    const char *lines[1] = {"{\"plan\":2,\"world_size\":1}"};

    (void)state;
    refused(0, "{\"plan\":2,\"world_size\":3}", "version 2");
    assert_int_equal(plan_sample_read(lines, 1, &p, &err), -1);
    assert_non_null(strstr(err.hint, "record the plan again"));
    refused(0, "{\"world_size\":3,\"plan\":1}", "header");
    refused(0, "{\"plan\":1}", "world_size");
    refused(0, "{\"plan\":1,\"world_size\":0}", "0 cards");
    refused(0, "{\"plan\":1,\"world_size\":1e9}", "world_size");
    refused(0, "{\"plan\":true,\"world_size\":1}", "an integer is needed, not true");
    refused(1, "{\"plan\":1,\"world_size\":3}", "second header");
    refused(1, plan_sample[PLAN_SAMPLE - 1], "says that it has 6");
}

static void test_lines_are_checked(void **state)
{
    static const char *const garbage[] = {
        "", "x", "[]", "{}", "{\"note\":\"a\"", "{\"note\":\"a\"} {}", "null", "{\"note\":\"a\"}x"};
    struct error err;
    struct plan_stream *s = plan_stream_new("origin", &err);
    char zero[] = "{\"plan\":1,\0\"world_size\":1}";

    (void)state;
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        refused(2, garbage[i], "line 3");
    }
    refused(2, "{\"surprise\":1}", "\"surprise\" is unknown");
    assert_int_equal(plan_stream_line(s, zero, sizeof zero - 1, &err), -1);
    plan_stream_free(s);
}

static void test_storages_are_checked(void **state)
{
    (void)state;
    refused(2, plan_sample[3], "id 1 where 0 comes next");
    refused(2, "{\"storage\":0,\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4]}", "'name': it is missing");
    refused(2, "{\"storage\":0,\"name\":7,\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4]}",
            "a string is needed, not 7");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"lost\",\"dtype\":\"fp32\",\"shape\":[4]}", "\"lost\"");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp33\",\"shape\":[4]}", "\"fp33\"");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[-4]}", "shape");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4.5]}", "4.5");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[1e300]}", "shape");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":4}",
            "a list is needed, not 4");
    refused(2,
            "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[0,9007199254740991,"
            "9007199254740991]}",
            "2^60");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4,128]}", "direction");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4],\"fill\":1e999}",
            "fill");
    refused(2,
            "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":"
            "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
            "more than 16");
}

static void test_domains_are_checked(void **state)
{
    (void)state;
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[],\"window\":8}", "no members");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[3],\"window\":8}", "card 3");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[1,1],\"window\":8}", "twice");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[\"1\"],\"window\":8}", "workers");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[1],\"window\":-8}", "window");
    refused(5, "{\"domain\":1,\"name\":\"c\",\"workers\":[1],\"window\":8}", "id 1 where 0");
    refused(5,
            "{\"domain\":0,\"name\":\"c\",\"workers\":[1],\"window\":8,"
            "\"buffers\":[{\"name\":\"b\",\"offset\":4,\"nbytes\":5}]}",
            "outside the window");
    refused(4, "{\"end_domain\":0}", "does not exist");
    refused(11, "{\"end_domain\":0}", "ends twice");
    refused(11, "{\"dispatch\":4,\"program\":\"p\",\"card\":2,\"args\":[],\"scalars\":[[\"ctx\",0,2,0]]}",
            "used after its end");
    refused(11, "{\"copy\":4,\"dst\":[3,\"fp32\",0,[1]],\"fill\":0}", "used after its end");
}

static void test_nodes_are_checked(void **state)
{
    (void)state;
    refused(7, "{\"dispatch\":2,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[]}", "id 2 where 1");
    refused(7, "{\"dispatch\":1,\"program\":\"\",\"card\":0,\"args\":[],\"scalars\":[]}", "empty");
    refused(7, "{\"dispatch\":1,\"card\":0,\"args\":[],\"scalars\":[]}", "'program': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":3,\"args\":[],\"scalars\":[]}", "card 3");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"args\":[],\"scalars\":[]}", "'card': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"scalars\":[]}", "'args': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[]}", "'scalars': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[9007199254740992]}", "2^53");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[-1]}", "scalars");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[\"18446744073709551616\"]}",
            "64-bit");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[\" 1\"]}", "64-bit");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[[\"ctx\",0,1,0]]}", "no member");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[[\"ctx\",1,0,0]]}",
            "domain 1 does not exist");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[[\"ctx\",0,0]]}", "kind");
    refused(9, "{\"dispatch\":3,\"program\":\"p\",\"card\":1,\"args\":[],\"scalars\":[],\"group\":-1}", "group");
    refused(11, "{\"dispatch\":4,\"program\":\"p\",\"card\":1,\"args\":[],\"scalars\":[],\"k\":\"0\"}", "'k'");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"src\":[0,\"fp32\",0,[128,4]]}", "different shapes");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]]}", "either");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"src\":[0,\"fp32\",0,[4,128]],\"fill\":0}", "either");
    refused(12, "{\"sub\":5,\"line\":50,\"args\":[],\"scalars\":[]}", "'name': it is missing");
}

/* A dispatch with this argument. */
static void refused_arg(const char *arg, const char *what)
{
    char line[256];

    snprintf(line, sizeof line, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[%s],\"scalars\":[]}", arg);
    refused(7, line, what);
}

static void test_views_are_checked(void **state)
{
    (void)state;
    refused_arg("7", "a list is needed, not 7");
    refused_arg("[]", "not a tagged view");
    refused_arg("[]", "not a tagged view");
    refused_arg("[\"maybe\",0,\"fp32\",0,[1]]", "\"maybe\" is not known");
    refused_arg("[\"in\",5,\"fp32\",0,[1]]", "storage 5");
    refused_arg("[\"in\",0,\"fp32\",0]", "too few");
    refused_arg("[\"in\",0,\"fp32\",0,[0]]", "empty view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[4,0,2]]", "empty view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[1],[1],[1]]", "too many");
    refused_arg("[\"in\",0,\"fp32\",0,[2,2],[1]]", "1 strides");
    refused_arg("[\"in\",0,\"fp32\",512,[1]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",511,[2]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",0,[4,128],[129,1]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"int64\",0,[257]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",9007199254740991,[1]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",0,[9007199254740991,9007199254740991]]", "huge");
    refused_arg("[\"in\",0,\"fp32\",0,[4096],[4503599627370496]]", "huge");
    /* 128^9 elements, though no byte is outside. */
    refused_arg("[\"in\",0,\"fp32\",0,[128,128,128,128,128,128,128,128,128],[0,0,0,0,0,0,0,0,1]]", "huge");
}

/* What a device cannot be given: its tensors have 5 dimensions of 32 bits. */
static void test_views_of_dispatches_fit_a_device(void **state)
{
    static const char five[] = "{\"dispatch\":1,\"program\":\"p\",\"card\":0,"
                               "\"args\":[[\"in\",0,\"fp32\",0,[1,1,1,4,128]]],\"scalars\":[]}";
    static const char longest[] = "{\"dispatch\":0,\"program\":\"p\",\"card\":0,"
                                  "\"args\":[[\"in\",0,\"int8\",0,[4294967295]]],\"scalars\":[]}";
    const char *lines[] = {
        "{\"plan\":1,\"world_size\":1}",
        "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"int8\",\"shape\":[8589934592],\"direction\":"
        "\"In\"}",
        longest,
        "{\"end\":1}",
    };
    struct plan p;
    struct error err;

    (void)state;
    refused_arg("[\"in\",0,\"fp32\",0,[1,1,1,1,4,128]]", "6 dimensions");
    refused_arg("[\"in\",0,\"fp32\",0,[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]", "16 dimensions");
    refused_arg("[\"in\",0,\"fp32\",0,[4,128],[0,1]]", "expanded view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[1,128],[0,1]]", "expanded view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[1,128],[4294967296,1]]", "2^32");
    accepted(7, five);
    assert_int_equal(plan_sample_read(lines, 4, &p, &err), 0);
    assert_int_equal(p.dims[p.views[0].dims], 4294967295);
    plan_free(&p);
    lines[2] = "{\"dispatch\":0,\"program\":\"p\",\"card\":0,"
               "\"args\":[[\"in\",0,\"int8\",0,[4294967296]]],\"scalars\":[]}";
    assert_int_equal(plan_sample_read(lines, 4, &p, &err), -1);
    assert_non_null(strstr(err.what, "2^32"));
}

/* A dispatch of `ntensor` tensors and `nscalar` scalars. */
static char *wide_dispatch(unsigned ntensor, unsigned nscalar)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    fputs("{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[", f);
    for (unsigned i = 0; i < ntensor; i++) {
        fprintf(f, "%s[\"in\",0,\"fp32\",0,[1]]", i ? "," : "");
    }
    fputs("],\"scalars\":[", f);
    for (unsigned i = 0; i < nscalar; i++) {
        fputs(i ? ",1" : "1", f);
    }
    fputs("]}", f);
    fclose(f);
    return text;
}

static void test_arguments_of_dispatches_are_counted(void **state)
{
    char *most = wide_dispatch(256, 128), *tensors = wide_dispatch(257, 0), *scalars = wide_dispatch(0, 129);

    (void)state;
    accepted(7, most);
    refused(7, tensors, "257 tensors");
    refused(7, scalars, "129 scalars");
    free(most);
    free(tensors);
    free(scalars);
}

/* Only the source of a copy may have one element in several places. */
static void test_only_sources_are_expanded(void **state)
{
    (void)state;
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128],[0,1]],\"src\":[0,\"fp32\",0,[4,128]]}", "expanded");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128],[0,1]],\"fill\":0}", "expanded");
    refused(12, "{\"sub\":5,\"name\":\"s\",\"args\":[[\"in\",0,\"fp32\",0,[2],[0]]],\"scalars\":[]}", "expanded");
    accepted(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[1,128],[0,1]],\"fill\":0}");
}

static void test_parameters_have_different_names(void **state)
{
    (void)state;
    refused(3,
            "{\"storage\":1,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4],\"direction\":\"In\"}",
            "two parameters called x");
    accepted(3, "{\"storage\":1,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4]}");
}

/* The line of host_orch.py that a record came from is said too, and not taken for the one of the stream. */
static void test_errors_name_both_lines(void **state)
{
    static const struct {
        const char *line, *where;
    } cases[] = {
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":37,\"args\":[],\"scalars\":[]}",
         "origin, line 2 (host_orch.py:37)"},
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":0,\"args\":[],\"scalars\":[]}", "origin, line 2"},
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":\"9\",\"args\":[],\"scalars\":[]}",
         "origin, line 2, field line"},
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":1e300,\"args\":[],\"scalars\":[]}",
         "origin, line 2, field line"},
        {"{\"dispatch\":0,\"line\":9", "origin, line 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *lines[] = {plan_sample[0], cases[i].line};
        struct plan p;
        struct error err;

        assert_int_equal(plan_sample_read(lines, 2, &p, &err), -1);
        assert_string_equal(err.where, cases[i].where);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header_is_checked),
        cmocka_unit_test(test_lines_are_checked),
        cmocka_unit_test(test_storages_are_checked),
        cmocka_unit_test(test_domains_are_checked),
        cmocka_unit_test(test_nodes_are_checked),
        cmocka_unit_test(test_views_are_checked),
        cmocka_unit_test(test_views_of_dispatches_fit_a_device),
        cmocka_unit_test(test_arguments_of_dispatches_are_counted),
        cmocka_unit_test(test_only_sources_are_expanded),
        cmocka_unit_test(test_parameters_have_different_names),
        cmocka_unit_test(test_errors_name_both_lines),
    };

    log_set_level(LOG_NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
