/* Whether and how ptoas is called, and that a splice keeps every byte that is not its own. */
#include "tests/support/splice_fixture.h"

#include "common/base/file.h"

static void expect_skipped(struct splice_rig *r, enum splice_skip why, const char *line)
{
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.skipped, why);
    assert_string_equal(r->said, line);
}

static void test_off(void **state)
{
    static const char *const off[] = {"0", "false", "FALSE", "No", " no "};
    static const char *const on[] = {"", "1", "off", "00", "true"};
    struct splice_rig *r = *state;

    splice_rig_kernel(r, "f", "x();");
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        setenv("PYPTO_REBUILD_FROM_PTO", off[i], 1);
        expect_skipped(r, SPLICE_OFF, "[pto->cpp] skipped (PYPTO_REBUILD_FROM_PTO=0)\n");
    }
    for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
        setenv("PYPTO_REBUILD_FROM_PTO", on[i], 1);
        assert_int_equal(splice_rig_splice(r), 0);
        assert_int_equal(r->report.skipped, SPLICE_DONE);
    }
    r->options.off = true;
    expect_skipped(r, SPLICE_OFF, "[pto->cpp] skipped (rebuild_from_pto=False)\n");
}

static void test_look_up(void **state)
{
    static const char *const places[] = {"root/bin/ptoas", "root/ptoas.sh", "root/ptoas"};
    const char *missing = "[pto->cpp] skipped: ptoas binary not found (set PTOAS_ROOT or PATH)\n";
    struct splice_rig *r = *state;
    char *root = splice_rig_path(r, "root"), *bin = splice_rig_path(r, "ptoas-root"), *log = splice_rig_path(r, "log"),
         *path;
    char *before = strdup(getenv("PATH"));

    assert_int_equal(asprintf(&path, "/nowhere::%s:%s", bin, before) > 0, 1);
    setenv("PATH", path, 1);
    free(path);
    setenv("PTOAS_ROOT", root, 1);
    setenv("STANDIN_LOG", log, 1);
    expect_skipped(r, SPLICE_NO_STAGE, ""); /* nothing to splice: nothing is said */
    splice_rig_kernel(r, "f", "x();");
    expect_skipped(r, SPLICE_NO_PTOAS, missing); /* PATH does not count */
    assert_int_equal(r->report.nstale, 1);
    /* The later ones of the list come first in it, so each one made is the one that runs. */
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char script[256];
        snprintf(script, sizeof script, "#!/bin/sh\necho %zu >>\"$STANDIN_LOG\"\nexec \"%s/ptoas\" \"$@\"\n", i, bin);
        splice_rig_put(r, places[i], script);
        if (i == 0) {
            expect_skipped(r, SPLICE_NO_PTOAS, missing); /* not executable */
        }
        path = splice_rig_path(r, places[i]);
        assert_int_equal(chmod(path, 0755), 0);
        free(path);
        splice_rig_put(r, "next_levels/p/ptoas/f.cpp", "");
        splice_rig_date(r, "next_levels/p/ptoas/f.cpp", 1, 0);
        splice_rig_put(r, "log", "");
        assert_int_equal(splice_rig_splice(r), 0);
        path = splice_rig_get(r, "log");
        assert_int_equal(path[0], (int)('0' + i));
        free(path);
    }
    setenv("PTOAS_ROOT", "", 1); /* counts as unset */
    splice_rig_date(r, "next_levels/p/ptoas/f.cpp", 1, 0);
    assert_int_equal(splice_rig_splice(r), 0);
    assert_int_equal(r->report.nstale, 1);
    setenv("PATH", "/nowhere", 1);
    expect_skipped(r, SPLICE_NO_PTOAS, missing);
    setenv("PATH", before, 1);
    unsetenv("STANDIN_LOG");
    free(before);
    free(root);
    free(bin);
    free(log);
}

/* The command line, also with the level that the .pto asks for. */
static void test_command(void **state)
{
    struct splice_rig *r = *state;
    char *log = splice_rig_path(r, "log"), *text, *expected;

    setenv("STANDIN_LOG", log, 1);
    r->options.jobs = 1;
    splice_rig_kernel(r, "a", "%x = pto.alloc_tile addr = %c");
    splice_rig_kernel(r, "b", "%x = pto.alloc_tile");
    assert_int_equal(splice_rig_splice(r), 0);
    text = splice_rig_get(r, "log");
    assert_true(asprintf(&expected, "%s/next_levels/p/ptoas/a.pto -o %s/next_levels/p/ptoas/.a.", r->dir, r->dir) > 0);
    assert_non_null(strstr(text, expected));
    free(expected);
    assert_non_null(strstr(text, ".l3replay.cpp --enable-insert-sync --pto-level=level3\n"));
    assert_non_null(strstr(text, ".l3replay.cpp --enable-insert-sync --pto-level=level2\n"));
    free(text);
    free(log);
    unsetenv("STANDIN_LOG");
}

static void test_not_a_build(void **state)
{
    struct splice_rig *r = *state;
    char *path = splice_rig_path(r, "orchestration/host_orch.py");

    assert_int_equal(unlink(path), 0);
    assert_int_equal(splice_rig_splice(r), -1);
    assert_non_null(strstr(r->err.what, "not a build directory"));
    splice_rig_put(r, "kernel_config.py", "");
    assert_int_equal(splice_rig_splice(r), 0);
    free(path);
}

/* --- any bytes ------------------------------------------------------------ */

static unsigned long long seed = 1;

static unsigned pick(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed % n);
}

/* Random text with what is easily handled wrong; `marks` allows the marks too. */
static size_t random_text(char *out, size_t max, bool marks)
{
    static const char *const pieces[] = {
        "\r\n",
        "\n",
        "\n\n",
        "\xc3\xa4\xe2\x82\xac",
        "\xff\xfe",
        "\t",
        "{}",
        "//",
        "\"",
        "Tensor",
        "AICORE ",
        "x = 1;",
        "void f(int a);",
        "\x01\x1b",
        "// --- ptoas-generated code --",
        "// --- Kernel entry point --",
    };
    size_t used = 0;

    for (unsigned n = pick(40); n > 0 && used + 64 < max; n--) {
        const char *piece = pieces[pick(sizeof pieces / sizeof *pieces)];
        if (marks && pick(8) == 0) {
            piece = "// --- ptoas-generated code ---";
        }
        memcpy(out + used, piece, strlen(piece));
        used += strlen(piece);
    }
    return used;
}

static char *read_all(struct splice_rig *r, const char *name, size_t *size)
{
    char *path = splice_rig_path(r, name), *text = file_read(path, 1 << 20, size, NULL);

    assert_non_null(text);
    free(path);
    return text;
}

/* Whatever stands around the marks stays byte for byte, and a second splice changes nothing. */
static void test_bytes_stay(void **state)
{
    static const char begin[] = "// --- ptoas-generated code ---", end[] = "// --- Kernel entry point ---";
    struct splice_rig *r = *state;

    for (int i = 0; i < 60; i++) {
        char head[4096], old[4096], tail[4096], file[16384];
        size_t nhead = random_text(head, sizeof head, false), nold = random_text(old, sizeof old, true), size, again;
        size_t ntail = random_text(tail, sizeof tail, true), n = 0;
        char *first, *second;

        memcpy(file, head, nhead);
        n = nhead;
        n += (size_t)sprintf(file + n, "%s", begin);
        memcpy(file + n, old, nold);
        n += nold;
        n += (size_t)sprintf(file + n, "%s", end);
        memcpy(file + n, tail, ntail);
        temp_dir_put(r->dir, "next_levels/p/kernels/aiv/f.cpp", file, n + ntail);
        splice_rig_put(r, "next_levels/p/ptoas/f.pto",
                       i % 2 ? "func f int a\n// --- ptoas-generated code ---\r\n\xc3\xa4();\r\nend\n"
                             : "func f int a\nend\n");
        splice_rig_put(r, "next_levels/p/ptoas/f.cpp", "");
        splice_rig_date(r, "next_levels/p/ptoas/f.cpp", 1, 0);
        assert_int_equal(splice_rig_splice(r), 0);
        first = read_all(r, "next_levels/p/kernels/aiv/f.cpp", &size);
        assert_true(size > nhead + strlen(begin) + ntail + strlen(end));
        assert_memory_equal(first, file, nhead + strlen(begin));
        assert_memory_equal(first + size - ntail - strlen(end), file + n - strlen(end), ntail + strlen(end));

        splice_rig_date(r, "next_levels/p/ptoas/f.cpp", 1, 0);
        assert_int_equal(splice_rig_splice(r), 0);
        assert_int_equal(r->report.nsame, 1);
        second = read_all(r, "next_levels/p/kernels/aiv/f.cpp", &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        free(first);
        free(second);
    }
}

int main(void)
{
#define RIGGED(test) cmocka_unit_test_setup_teardown(test, splice_rig_setup, splice_rig_teardown)
    const struct CMUnitTest tests[] = {
        RIGGED(test_off), RIGGED(test_look_up), RIGGED(test_command), RIGGED(test_not_a_build), RIGGED(test_bytes_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
