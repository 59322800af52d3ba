/* What a source and a dependency file say, read without a compiler. */
#include "rank-worker/compile/deps.h"
#include "rank-worker/compile/scan.h"
#include "tests/support/temp_dir.h"

static char *dir;

static int set_up(void **state)
{
    (void)state;
    dir = temp_dir_make();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static struct scan scan(const char *text)
{
    struct scan s;
    struct error err = {0};
    char *path;

    temp_dir_put_text(dir, "k.cpp", text);
    assert_true(asprintf(&path, "%s/k.cpp", dir) > 0);
    assert_int_equal(scan_source(path, NULL, 0, &s, &err), 0);
    free(path);
    return s;
}

static void expect_scan(const char *text, bool pto, bool bfloat16, const char *prefix)
{
    struct scan s = scan(text);

    assert_int_equal(s.pto, pto);
    assert_int_equal(s.bfloat16, bfloat16);
    if (prefix) {
        assert_string_equal(s.prefix ? s.prefix : "(none)", prefix);
    } else {
        assert_null(s.prefix);
    }
    scan_free(&s);
}

static void test_pto_is_found(void **state)
{
    (void)state;
    expect_scan("#include <cstdint>\n", false, false, NULL);
    expect_scan("#include <pto/common/type.hpp>\n", true, false, NULL);
    expect_scan("  #\tinclude \"pto/comm/pto_comm_inst.hpp\"\n", true, false, NULL);
    expect_scan("// #include <pto/pto-inst.hpp>\n", false, false, NULL);
    expect_scan("/* #include <pto/pto-inst.hpp>\n#include <pto/pto-inst.hpp> */ int x;\n", false, false, NULL);
    expect_scan("int x = '\"'; // \"\n#include <pto/pto-inst.hpp>\n", true, false, NULL);
    expect_scan("int million = 1'000'000; /* ' */\n#include <pto/pto-inst.hpp>\n", true, false, NULL);
    expect_scan("bfloat16_t x;", false, true, NULL);
    expect_scan("float x; // no bfloat16_t", false, false, NULL);
}

static void test_own_headers_are_read_too(void **state)
{
    struct scan s;

    (void)state;
    temp_dir_put_text(dir, "own.h", "#include \"sub/next.h\"\n");
    temp_dir_put_text(dir, "sub/next.h", "#include \"../own.h\"\n#include <pto/pto-inst.hpp>\nbfloat16_t b;\n");
    s = scan("#include \"own.h\"\n");
    assert_true(s.pto);
    assert_true(s.bfloat16);
    assert_null(s.prefix);
    scan_free(&s);
}

static void test_prefix_is_what_comes_before_code(void **state)
{
    (void)state;
    expect_scan("/* c\n */\n#include <cstdint>\n\n#ifndef __gm__ // why\n#define __gm__\n#endif\n"
                "#include <pto/pto-inst.hpp>\n#include \"tensor.h\"\nusing namespace pto;\n",
                true, false,
                "#include <cstdint>\n#ifndef __gm__ \n#define __gm__\n#endif\n#include <pto/pto-inst.hpp>\n"
                "#include \"tensor.h\"\n");
    /* Code, a pragma, or a definition over several lines before it. */
    expect_scan("int x;\n#include <pto/pto-inst.hpp>\n", true, false, NULL);
    expect_scan("#pragma pack(1)\n#include <pto/pto-inst.hpp>\n", true, false, NULL);
    expect_scan("#define A \\\n 1\n#include <pto/pto-inst.hpp>\n", true, false, NULL);
    /* Not in the middle of a condition. */
    expect_scan("#ifdef A\n#include <pto/pto-inst.hpp>\nint x;\n#endif\n", true, false, NULL);
    expect_scan("#ifdef A\n#include <pto/pto-inst.hpp>\n#endif\n#include <cmath>\nint x;\n", true, false,
                "#ifdef A\n#include <pto/pto-inst.hpp>\n#endif\n#include <cmath>\n");
    /* A header of its own ends it. */
    temp_dir_put_text(dir, "tensor.h", "");
    expect_scan("#include <pto/pto-inst.hpp>\n#include \"tensor.h\"\n", true, false, "#include <pto/pto-inst.hpp>\n");
    expect_scan("#include \"tensor.h\"\n#include <pto/pto-inst.hpp>\n", true, false, NULL);
}

static void test_unfinished_sources(void **state)
{
    (void)state;
    expect_scan("", false, false, NULL);
    expect_scan("/* no end", false, false, NULL);
    expect_scan("/*", false, false, NULL);
    expect_scan("\"no end\\", false, false, NULL);
    expect_scan("#include <pto/no end", false, false, NULL);
    expect_scan("#include \"", false, false, NULL);
    expect_scan("#", false, false, NULL);
    expect_scan("//", false, false, NULL);
    /* A literal without an end ends with its line: what follows is a comment again. */
    expect_scan("#error 'no end\n/*\n#include <pto/pto-inst.hpp>\n*/\n", false, false, NULL);
    expect_scan("#error \"no end\n/*\n#include <pto/pto-inst.hpp>\n*/\n", false, false, NULL);
    /* And one that has its end does not go on to the end of the line. */
    expect_scan("char c = ' '; /*\n#include <pto/pto-inst.hpp>\n*/\n", false, false, NULL);
}

static void test_dependency_file(void **state)
{
    static const char *const expected[] = {"./../up.h", "./a b.h", "./c#d.h", "./e$f.h", "./g\\h.h", "/abs/inc.h"};
    struct args headers = {0};
    struct error err = {0};
    char *path, *text;

    (void)state;
    assert_true(asprintf(&path, "%s/k.d", dir) > 0);
    assert_true(asprintf(&text, "object: /src/k.cpp /src/a\\ b.h \\\n  /src/c\\#d.h /src/e$$f.h \\\n /src/g\\h.h\\\n"
                                " /abs/inc.h /src/../up.h /other/pch.hpp /abs/inc.h\n") > 0);
    temp_dir_put_text(dir, "k.d", text);
    assert_int_equal(deps_read(path,
                               &(struct deps_places){.dir = "/src", .source = "/src/k.cpp", .other = "/other/pch.hpp"},
                               &headers, &err),
                     0);
    assert_int_equal(headers.n, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < headers.n; i++) {
        assert_string_equal(headers.v[i], expected[i]);
    }
    args_free(&headers);
    temp_dir_put_text(dir, "k.d", "object: /src/k.cpp");
    assert_int_equal(deps_read(path, &(struct deps_places){.dir = "/src", .source = "/src/k.cpp"}, &headers, &err), 0);
    assert_int_equal(headers.n, 0);
    args_free(&headers);

    /* Of a compiler that ran elsewhere. */
    temp_dir_put_text(dir, "k.d", "object: k.cpp inc/h.h /src/k.h");
    assert_int_equal(
        deps_read(path, &(struct deps_places){.dir = "/src", .cwd = "/rt", .source = "/rt/k.cpp"}, &headers, &err), 0);
    assert_int_equal(headers.n, 2);
    assert_string_equal(headers.v[0], "./k.h");
    assert_string_equal(headers.v[1], "/rt/inc/h.h");
    args_free(&headers);
    free(path);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pto_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_own_headers_are_read_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_prefix_is_what_comes_before_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unfinished_sources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_dependency_file, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
