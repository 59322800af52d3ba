/* Splicing whole builds with a stand-in for ptoas: what is stale, what is replaced, that failures change nothing. */
#include "tests/support/splice_fixture.h"

static void make_fresh_time(struct splice_rig *r, const char *pto, const char *cpp, long ns)
{
    splice_rig_date(r, pto, 1000, 500);
    splice_rig_date(r, cpp, 1000, 500 + ns);
}

static void test_splices(void **state)
{
    struct splice_rig *r = *state;

    splice_rig_kernel(r, "f", "fresh(Tensor);");
    assert_int_equal(splice_rig_splice(r), 0);
    assert_string_equal(r->said, "[pto->cpp] regenerating from next_levels/p/ptoas/f.pto\n"
                                 "[pto->cpp]   spliced -> next_levels/p/kernels/aiv/f.cpp\n"
                                 "[pto->cpp] updated 1 kernel cpp(s)\n");
    splice_rig_expect(r, "next_levels/p/kernels/aiv/f.cpp",
                      HEAD "\n" PRELUDE
                           "\nstatic __aicore__ void f(__gm__ float* v1) {\n  fresh(ChipTensor);\n  return;\n}\n" TAIL);
    assert_int_equal(r->report.nchanged, 1);
    assert_string_equal(r->report.changed[0], "next_levels/p/kernels/aiv/f.cpp");

    assert_int_equal(splice_rig_splice(r), 0);
    assert_string_equal(r->said, "[pto->cpp] no .pto changes detected\n");
    assert_int_equal(r->report.nstale, 0);
}

/* What ptoas wrote is kept as it is, with the time of the .pto, so that an edit meanwhile is not missed. */
static void test_unit_file(void **state)
{
    struct splice_rig *r = *state;
    struct stat pto, cpp;
    char *text;

    splice_rig_kernel(r, "f", "x();");
    splice_rig_date(r, "next_levels/p/ptoas/f.pto", 4000000000, 123456789); /* in the future */
    assert_int_equal(splice_rig_splice(r), 0);
    pto = splice_rig_stat(r, "next_levels/p/ptoas/f.pto");
    cpp = splice_rig_stat(r, "next_levels/p/ptoas/f.cpp");
    assert_memory_equal(&pto.st_mtim, &cpp.st_mtim, sizeof pto.st_mtim);
    text = splice_rig_get(r, "next_levels/p/ptoas/f.cpp");
    assert_non_null(strstr(text, "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"));
    assert_string_equal(text + strlen(text) - 2, "\n}");
    free(text);
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.nstale, 0);

    splice_rig_kernel(r, "g", "touch");
    splice_rig_date(r, "next_levels/p/ptoas/g.pto", 1000, 0);
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.nstale, 1);
}

static void test_times(void **state)
{
    static const struct {
        long ns;
        size_t stale;
    } cases[] = {{0, 0}, {1, 0}, {-1, 1}, {-500, 1}, {400, 0}};
    struct splice_rig *r = *state;

    splice_rig_kernel(r, "f", "x();");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        splice_rig_put(r, "next_levels/p/ptoas/f.cpp", "");
        make_fresh_time(r, "next_levels/p/ptoas/f.pto", "next_levels/p/ptoas/f.cpp", cases[i].ns);
        assert_int_equal(splice_rig_splice(r), 0);
        assert_int_equal(r->report.nstale, cases[i].stale);
    }
}

/* Files that already hold the new body keep their time of change. */
static void test_same_result(void **state)
{
    struct splice_rig *r = *state;

    splice_rig_kernel(r, "f", "x();");
    assert_int_equal(splice_rig_splice(r), 0);
    splice_rig_date(r, "next_levels/p/kernels/aiv/f.cpp", 77, 88);
    splice_rig_date(r, "next_levels/p/ptoas/f.cpp", 1, 0);
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(splice_rig_stat(r, "next_levels/p/kernels/aiv/f.cpp").st_mtim.tv_sec, 77);
    assert_int_equal(r->report.nstale, 1);
    assert_int_equal(r->report.nsame, 1);
    assert_int_equal(r->report.nchanged, 0);
    assert_non_null(strstr(r->said, "[pto->cpp]   unchanged -> next_levels/p/kernels/aiv/f.cpp\n"));
    assert_non_null(strstr(r->said, "[pto->cpp] updated 0 kernel cpp(s)\n"));
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.nstale, 0);
}

#define OLD_F HEAD "\nstatic __aicore__ void f(int a) {}\n" TAIL
#define OLD_G HEAD "\nstatic __aicore__ void g(int a) {}\n" TAIL

/* A group: both kernels get the whole body; aic comes before aiv; helpers have no file; other programs do not count. */
static void test_group(void **state)
{
    struct splice_rig *r = *state;
    char *f, *g;

    splice_rig_put(
        r, "next_levels/p/ptoas/grp.pto",
        "extern h int a\nfunc f int a\nin_f();\nend\nkernel g int a\nin_g();\nend\nfunc only_q int a\nend\n");
    splice_rig_put(r, "next_levels/p/kernels/aic/f.cpp", OLD_F);
    splice_rig_put(r, "next_levels/p/kernels/aiv/f.cpp", "not looked at");
    splice_rig_put(r, "next_levels/p/kernels/aiv/g.cpp", OLD_G);
    splice_rig_put(r, "next_levels/q/kernels/aiv/only_q.cpp", "not looked at");
    assert_int_equal(splice_rig_splice(r), 0);
    f = splice_rig_get(r, "next_levels/p/kernels/aic/f.cpp");
    g = splice_rig_get(r, "next_levels/p/kernels/aiv/g.cpp");
    assert_string_equal(f, g);
    assert_non_null(strstr(f, "static __aicore__ void f(int a) {\n  in_f();"));
    assert_non_null(strstr(f, "\nstatic __aicore__ void g(int a) {\n  in_g();"));
    free(f);
    free(g);
    splice_rig_expect(r, "next_levels/p/kernels/aiv/f.cpp", "not looked at");
    splice_rig_expect(r, "next_levels/q/kernels/aiv/only_q.cpp", "not looked at");
    assert_non_null(strstr(r->said, "spliced -> next_levels/p/kernels/aic/f.cpp\n[pto->cpp]   spliced -> "
                                    "next_levels/p/kernels/aiv/g.cpp\n"));
}

/* Root and programs; files that are no .pto of ours; a build for one chip. */
static void test_places(void **state)
{
    struct splice_rig *r = *state;
    const char *unit = "func f int a\nx();\nend\n";

    splice_rig_put(r, "ptoas/b.pto", unit);
    splice_rig_put(r, "kernels/aiv/f.cpp", OLD_F);
    splice_rig_put(r, "next_levels/1/ptoas/a.b.pto", unit);
    splice_rig_put(r, "next_levels/1/kernels/aiv/f.cpp", OLD_F);
    splice_rig_put(r, "next_levels/0/ptoas/z.pto", unit);
    splice_rig_put(r, "next_levels/0/kernels/aic/f.cpp", OLD_F);
    splice_rig_put(r, "next_levels/0/ptoas/.#z.pto", "fail 1\n");
    splice_rig_put(r, "next_levels/0/ptoas/dir.pto/file", "");
    splice_rig_put(r, "next_levels/0/ptoas/z.pto~", "fail 1\n");
    splice_rig_put(r, "next_levels/file", "");
    splice_rig_put(r, "other/ptoas/a.pto", "fail 1\n");
    assert_int_equal(splice_rig_splice(r), 0);
    assert_string_equal(r->said, "[pto->cpp] regenerating from ptoas/b.pto\n"
                                 "[pto->cpp]   spliced -> kernels/aiv/f.cpp\n"
                                 "[pto->cpp] regenerating from next_levels/0/ptoas/z.pto\n"
                                 "[pto->cpp]   spliced -> next_levels/0/kernels/aic/f.cpp\n"
                                 "[pto->cpp] regenerating from next_levels/1/ptoas/a.b.pto\n"
                                 "[pto->cpp]   spliced -> next_levels/1/kernels/aiv/f.cpp\n"
                                 "[pto->cpp] updated 3 kernel cpp(s)\n");
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.nstale, 0);
    assert_true(splice_rig_stat(r, "next_levels/1/ptoas/a.b.cpp").st_size > 0);
}

/* Modes stay, links stay links, and hidden files of ours are gone. */
static void test_modes_and_links(void **state)
{
    struct splice_rig *r = *state;
    char *link, *real, target[512];
    struct stat st;

    splice_rig_kernel(r, "f", "x();");
    link = splice_rig_path(r, "next_levels/p/kernels/aiv/f.cpp");
    real = splice_rig_path(r, "real.cpp");
    assert_int_equal(rename(link, real), 0);
    assert_int_equal(chmod(real, 0640), 0);
    assert_int_equal(symlink(real, link), 0);
    splice_rig_put(r, "next_levels/p/ptoas/.f.1.2.l3replay.cpp", "left by a killed process");
    splice_rig_put(r, "next_levels/p/kernels/aiv/f.cpp.1.2.part", "the same");
    assert_int_equal(splice_rig_splice(r), 0);
    assert_true(readlink(link, target, sizeof target) > 0);
    assert_int_equal(stat(real, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    free(link);
    free(real);
    link = splice_rig_get(r, "real.cpp");
    assert_non_null(strstr(link, "x();"));
    free(link);
    link = splice_rig_path(r, "next_levels/p/ptoas");
    assert_int_equal(temp_dir_count(link), 2);
    free(link);
    link = splice_rig_path(r, "next_levels/p/kernels/aiv");
    assert_int_equal(temp_dir_count(link), 1);
    free(link);
}

/* A failed splice: this text, nothing changed, and tried again the next time. */
static void expect_refused(struct splice_rig *r, const char *what)
{
    char *kernel = splice_rig_get(r, "next_levels/p/kernels/aiv/f.cpp"),
         *cpp = splice_rig_get(r, "next_levels/p/ptoas/f.cpp"), *dir;
    struct stat before = splice_rig_stat(r, "next_levels/p/kernels/aiv/f.cpp");

    assert_int_equal(splice_rig_splice(r), -1);
    if (!strstr(r->err.what, what)) {
        fail_msg("\"%s\" is not in \"%s\"", what, r->err.what);
    }
    assert_int_equal(r->err.kind, ERROR_INFRA);
    assert_string_not_equal(r->err.hint, "");
    splice_rig_expect(r, "next_levels/p/kernels/aiv/f.cpp", kernel);
    assert_int_equal(splice_rig_stat(r, "next_levels/p/kernels/aiv/f.cpp").st_ino, before.st_ino);
    dir = splice_rig_path(r, "next_levels/p/ptoas");
    assert_int_equal(temp_dir_count(dir), cpp ? 2 : 1);
    free(dir);
    if (cpp) {
        splice_rig_expect(r, "next_levels/p/ptoas/f.cpp", cpp);
    }
    free(kernel);
    free(cpp);
    assert_int_equal(r->report.nfailed, 1);
    assert_int_equal(splice_rig_splice(r), -1);
}

static void test_failures(void **state)
{
    static const struct {
        const char *pto, *what;
    } cases[] = {
        {"fail 3\n", "exit code 3"},
        {"fail 3\n", "f.pto:7:3: error: this op is not known"},
        {"signal KILL\n", "signal 9"},
        {"signal SEGV\n", "signal 11"},
        {"flood\n", "error 0000"},
        {"nothing\n", "wrote nothing"},
        {"half\n", "only a part"},
        {"raw int x;\n", "no function"},
        {"func unknown int a\nend\n", "no function has a kernel"},
        {"func f __gm__ float* v1\n// --- Kernel entry point ---\nend\n", "marks the end"},
        {"func f __gm__ half* v1\nend\n", "was (__gm__ float* v1), now (__gm__ half* v1)"},
        {"func f __gm__ float* v1, int v2\nend\n", "was (__gm__ float* v1), now (__gm__ float* v1, int v2)"},
        {"func f\nend\n", "now ("},
    };
    struct splice_rig *r = *state;

    for (int with_cpp = 0; with_cpp < 2; with_cpp++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            splice_rig_kernel(r, "f", "x();");
            if (with_cpp) {
                splice_rig_put(r, "next_levels/p/ptoas/f.cpp", "AICORE void f(__gm__ float* v1) {}");
            }
            if (with_cpp) {
                splice_rig_date(r, "next_levels/p/ptoas/f.cpp", 1000, 0);
            }
            splice_rig_put(r, "next_levels/p/ptoas/f.pto", cases[i].pto);
            expect_refused(r, cases[i].what);
        }
    }
}

static void test_hang(void **state)
{
    struct splice_rig *r = *state;

    splice_rig_kernel(r, "f", "hang");
    r->options.ptoas_timeout = 1;
    expect_refused(r, "did not end within 1 s");
}

static void test_no_marks(void **state)
{
    struct splice_rig *r = *state;

    splice_rig_kernel(r, "f", "x();");
    splice_rig_put(r, "next_levels/p/kernels/aiv/f.cpp", "void f(__gm__ float* v1) {}\n");
    expect_refused(r, "next_levels/p/kernels/aiv/f.cpp");
    assert_non_null(strstr(r->err.hint, "predates"));
}

/* One kernel of a group cannot be spliced: the other one is not touched either. */
static void test_group_is_whole(void **state)
{
    struct splice_rig *r = *state;

    splice_rig_put(r, "next_levels/p/ptoas/f.pto", "func f int a\nend\nfunc g int a\nend\n");
    splice_rig_put(r, "next_levels/p/kernels/aiv/f.cpp", OLD_F);
    splice_rig_put(r, "next_levels/p/kernels/aiv/g.cpp", "no marks");
    expect_refused(r, "next_levels/p/kernels/aiv/g.cpp");
    /* And a function that is gone would leave its kernel old. */
    splice_rig_put(r, "next_levels/p/kernels/aiv/g.cpp", OLD_G);
    assert_int_equal(splice_rig_splice(r), 0);
    splice_rig_put(r, "next_levels/p/ptoas/f.pto", "func f int a\nend\n");
    splice_rig_date(r, "next_levels/p/ptoas/f.cpp", 1000, 0);
    expect_refused(r, "no longer makes the function g");
}

/* Units that fail do not keep the others from being done, whatever the number at a time. */
static void test_several(void **state)
{
    struct splice_rig *r = *state;

    for (int jobs = 1; jobs <= 4; jobs += 3) {
        for (int i = 0; i < 8; i++) {
            char name[8], line[16];
            snprintf(name, sizeof name, "k%d", i);
            snprintf(line, sizeof line, i % 4 == 1 ? "fail %d" : "x%d();", jobs + i);
            splice_rig_kernel(r, name, line);
        }
        r->options.jobs = jobs;
        assert_int_equal(splice_rig_splice(r), -1);
        assert_int_equal(r->report.nstale, 8);
        assert_int_equal(r->report.nfailed, 2);
        assert_int_equal(r->report.nchanged, 6);
        assert_non_null(strstr(r->err.what, "k5.pto"));
        for (int i = 0, last = -1; i < 8; i++) {
            char line[64];
            snprintf(line, sizeof line, "regenerating from next_levels/p/ptoas/k%d.pto", i);
            const char *at = strstr(r->said, line);
            assert_non_null(at);
            assert_true(at - r->said > last);
            last = (int)(at - r->said);
        }
    }
}

static void test_many(void **state)
{
    struct splice_rig *r = *state;
    char name[16], line[64];

    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "k%03d", i);
        snprintf(line, sizeof line, "x%d();", i);
        splice_rig_kernel(r, name, line);
    }
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.nchanged, 300);
    for (int i = 0; i < 300; i++) {
        char *text;
        snprintf(line, sizeof line, "next_levels/p/kernels/aiv/k%03d.cpp", i);
        text = splice_rig_get(r, line);
        snprintf(line, sizeof line, "  x%d();\n", i);
        assert_non_null(strstr(text, line));
        free(text);
    }
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.nstale, 0);
}

int main(void)
{
#define RIGGED(test) cmocka_unit_test_setup_teardown(test, splice_rig_setup, splice_rig_teardown)
    const struct CMUnitTest tests[] = {
        RIGGED(test_splices),         RIGGED(test_unit_file), RIGGED(test_times), RIGGED(test_same_result),
        RIGGED(test_group),           RIGGED(test_places),    RIGGED(test_hang),  RIGGED(test_no_marks),
        RIGGED(test_modes_and_links), RIGGED(test_failures),  RIGGED(test_many),  RIGGED(test_group_is_whole),
        RIGGED(test_several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
