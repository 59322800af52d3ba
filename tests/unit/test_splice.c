/* What a splice makes of text: the clean-up of ptoas's output, marks, parameter lists, the level. */
#include "tests/support/temp_dir.h"

#include "rank-worker/splice/body.h"
#include "rank-worker/splice/ptoas.h"
#include "rank-worker/splice/signature.h"
#include "rank-worker/splice/target.h"

static struct span span(const char *text)
{
    return (struct span){text, strlen(text)};
}

static void expect_body(const char *raw, const char *expected)
{
    struct error err;
    char *body;
    size_t size;

    assert_int_equal(body_clean(span(raw), &body, &size, &err), 0);
    assert_string_equal(body, expected);
    assert_int_equal(size, strlen(expected));
    free(body);
}

static void unchanged(const char *raw)
{
    expect_body(raw, raw);
}

static void test_lines_dropped(void **state)
{
    (void)state;
    expect_body("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n\nint x;", "\nint x;");
    expect_body("a\n  #include <cstdint>\t\nb\n", "a\nb\n");
    expect_body("#include \"runtime/tensor.h\"\r\nx\r\n", "x\r\n");
    expect_body("  using namespace pto;  \n", "");
    expect_body("{\n  set_ffts_base_addr(v1);\n}\n", "{\n}\n");
    unchanged("#include <cmath>\nusing namespace pto2;\nusing namespace pto; int x;\nx = set_ffts_base_addr(v1);\n");
    unchanged("// #include <cstdint>\n");
    unchanged("");
}

static void test_words(void **state)
{
    (void)state;
    expect_body("template <typename Tensor> f(Tensor &t)", "template <typename ChipTensor> f(ChipTensor &t)");
    unchanged("GlobalTensor Tensors Tensor_ _Tensor ChipTensor Tensor\xc3\xa4");
    expect_body("AICORE void f(", "static __aicore__ void f(");
    expect_body("__global__ AICORE void f(", "static __aicore__ void f(");
    expect_body("extern \"C\" __global__ AICORE void f(", "static __aicore__ void f(");
    expect_body("extern \"C\" AICORE void f(", "static __aicore__ void f(");
    expect_body("extern\"C\"AICORE\n void f(", "static __aicore__ void f(");
    expect_body("static AICORE inline void f(", "static __aicore__ inline void f(");
    expect_body("__global__ AICORE int f(", "__global__ __aicore__ int f(");
    expect_body("extern \"C\" int f(); AICORE voided g", "extern \"C\" int f(); __aicore__ voided g");
    unchanged("AICORES MY_AICORE __global__ void f(");
}

static void test_functions(void **state)
{
    const char *text = "AICORE void a(int x); AICORE inline void b() {} __global__ AICORE void\n c (int) {} "
                       "AICORE void d; void e() {} AICORE void f{} AICORE void a(int x) {}";
    const char *expected[] = {"a", "c", "a"};
    struct span name;
    size_t at = 0;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(body_next_function(span(text), &at, &name));
        assert_true(text_equals(name, expected[i]));
    }
    assert_false(body_next_function(span(text), &at, &name));
}

static void test_mgather(void **state)
{
    (void)state;
    /* Three operands, all aliases that nothing else uses: the wrappers come back, the aliases go. */
    expect_body("{\n  __ubuf__ float* p = dst.data();\n  __gm__ float* q = (__gm__ float*) table;\n"
                "  __cbuf__ int32_t *r = idx.data();\n  keep();\n  MGATHER<pto::Coalesce::Row>(p, q,r); // x\n}\n",
                "{\n  keep();\n  MGATHER<pto::Coalesce::Row>(dst, table, idx); // x\n}\n");
    /* One is used elsewhere: nothing happens. */
    unchanged("__ubuf__ float* p = dst.data();\n__gm__ float* q = (__gm__ float*) table;\n"
              "__ubuf__ int32_t* r = idx.data();\nuse(p);\nMGATHER(p, q, r);\n");
    /* One is no alias. */
    unchanged("__ubuf__ float* p = dst.data();\n__gm__ float* q = (__gm__ float*) table;\nMGATHER(p, q, idx);\n");
    /* Defined after the call only. */
    unchanged("__ubuf__ float* p = dst.data();\n__gm__ float* q = (__gm__ float*) table;\nMGATHER(p, q, r);\n"
              "__ubuf__ int32_t* r = idx.data();\n");
}

static void test_mgather_scratch(void **state)
{
#define THREE "__ubuf__ float* p = d.data();\n__gm__ float* q = (__gm__ float*) t;\n__ubuf__ int* r = i.data();\n"
    (void)state;
    expect_body(THREE "__gm__ float* s = (__gm__ float*) w;\nMGATHER(p, q, r, s);\n", "MGATHER(d, t, i, w);\n");
    expect_body(THREE "MGATHER(p, q, r, w);\n", "MGATHER(d, t, i, w);\n");
    unchanged(THREE "__gm__ float* s = (__gm__ float*) w;\nuse(s);\nMGATHER(p, q, r, s);\n");
    /* The same names in two functions: each call has its own. */
    expect_body(THREE "MGATHER(p, q, r);\n" THREE "MGATHER(p, q, r);\n", "MGATHER(d, t, i);\nMGATHER(d, t, i);\n");
    /* A call over several lines, or another function's name, is none. */
    unchanged(THREE "MGATHER(p, q,\n  r);\n");
    unchanged(THREE "XMGATHER(p, q, r);\n");
}

/* As much of one kind as a text can hold. */
static void test_mgather_names_only(void **state)
{
    (void)state;
    unchanged("__ubuf__ float* MGATHER = d.data();\n");
    unchanged(THREE "__ubuf__ float* MGATHER = e.data();\n");
    /* The last line, without an end, and a call that is all there is. */
    expect_body(THREE "MGATHER(p, q, r);", "MGATHER(d, t, i);");
    unchanged("MGATHER(p, q, r);");
}

static void test_marks(void **state)
{
    const char *text = "h" TARGET_BEGIN_MARK "old" TARGET_END_MARK "t" TARGET_END_MARK;
    struct target_parts parts;
    struct error err;
    char *fresh;
    size_t size;

    (void)state;
    assert_int_equal(target_split(span(text), "k.cpp", &parts, &err), 0);
    assert_true(text_equals(parts.body, "old"));
    assert_int_equal(target_join(&parts, span("new"), &fresh, &size, &err), 0);
    assert_string_equal(fresh, "h" TARGET_BEGIN_MARK "\nnew\n" TARGET_END_MARK "t" TARGET_END_MARK);
    free(fresh);

    assert_int_equal(target_split(span(TARGET_END_MARK TARGET_BEGIN_MARK), "k.cpp", &parts, &err), -1);
    assert_non_null(strstr(err.what, "k.cpp"));
    assert_non_null(strstr(err.hint, "predates"));
    assert_int_equal(target_split(span(TARGET_BEGIN_MARK), "k.cpp", &parts, &err), -1);
    assert_int_equal(target_split(span(TARGET_END_MARK), "k.cpp", &parts, &err), -1);
    assert_int_equal(target_split(span(""), "k.cpp", &parts, &err), -1);
}

static char *list_of(const char *text)
{
    struct error err;
    bool failed;
    char *list = signature_find(span(text), span("f"), &failed, &err);

    assert_false(failed);
    return list;
}

static void expect_list(const char *text, const char *expected)
{
    char *list = list_of(text);

    assert_non_null(list);
    assert_string_equal(list, expected);
    free(list);
}

static void test_signature_text(void **state)
{
    (void)state;
    expect_list("void f()", "");
    expect_list("static __aicore__ void f (__gm__  float*v1,\n\t__gm__ int32_t *v2 , int n )\n{",
                "__gm__ float* v1, __gm__ int32_t* v2, int n");
    expect_list("void f(int a /* the first */, int b // the second\n) {", "int a, int b");
    /* The definition counts, not a declaration before or after it. */
    expect_list("void f(int a); void f(long b) {} void f(short c);", "long b");
    expect_list("void f(int a); void f(long b);", "int a");
    expect_list("void ff(int a) {} void f(void (*g)(int), T<int, 2> x) {}", "void(* g)(int), T<int, 2> x");
    assert_null(list_of("void g(int a) { f(a); } void ff() {} // void"));
    assert_null(list_of("void f(int a"));
    assert_null(list_of("void f"));
}

static void test_signature_compare(void **state)
{
    (void)state;
    assert_true(signature_equal("", ""));
    assert_true(signature_equal("__gm__ float* v1, int n", "__gm__ float* in, int count"));
    assert_true(signature_equal("T<int, 2> a", "T<int, 2> b"));
    assert_false(signature_equal("__gm__ float* v1", "__gm__ half* v1"));
    assert_false(signature_equal("__gm__ float* v1", "__gm__ float* v1, int n"));
    assert_false(signature_equal("int a, int b", "int a"));
    assert_false(signature_equal("int a", ""));
    assert_false(signature_equal("float* a, int n", "int n, float* a"));
    assert_false(signature_equal("T<int, 2> a", "T<int, 3> a"));
    /* Without names the last word is the type. */
    assert_false(signature_equal("unsigned int", "unsigned long"));
    assert_false(signature_equal("int32_t", "int64_t"));
    assert_false(signature_equal("pto::Shape", "pto::Stride"));
}

static void test_level(void **state)
{
    static const char *const placed[] = {
        "  %x = pto.alloc_tile addr = %c : !pto.tile\n",
        "module {\n%0=pto.alloc_tile {a} addr=%c\n}",
        "%x   =\tpto.alloc_tile valid_row = %a addr\t= %c",
    };
    static const char *const planned[] = {
        "",
        "%x = pto.alloc_tile : !pto.tile\n",
        "%x = pto.tload addr = %c\n",
        "pto.alloc_tile addr = %c\n",
        "// %x = pto.alloc_tile addr = %c\n",
        "%x = pto.alloc_tile_like addr = %c\n",
        "%x = pto.alloc_tile baddr = 1\n",
        "%x = pto.alloc_tile\naddr = %c\n",
        "%x = pto.alloc_tile addrs = %c\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++) {
        assert_true(ptoas_places_tiles(span(placed[i])));
    }
    for (size_t i = 0; i < sizeof planned / sizeof *planned; i++) {
        assert_false(ptoas_places_tiles(span(planned[i])));
    }
}

static void test_braces(void **state)
{
    (void)state;
    assert_int_equal(text_open_braces(span("{ \"{\" '{' /* { */ // {\n } {")), 1);
    assert_int_equal(text_open_braces(span("int x = 1'000; { '\\'' \"\\\"{\" }")), 0);
    assert_int_equal(text_open_braces(span("{{}")), 1);
    assert_int_equal(text_open_braces(span("\"never closed {")), 0);
    assert_int_equal(text_open_braces(span("/*{")), 0);
    assert_int_equal(text_open_braces(span("}")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_dropped),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_mgather),
        cmocka_unit_test(test_mgather_scratch),
        cmocka_unit_test(test_mgather_names_only),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_signature_text),
        cmocka_unit_test(test_signature_compare),
        cmocka_unit_test(test_level),
        cmocka_unit_test(test_braces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
