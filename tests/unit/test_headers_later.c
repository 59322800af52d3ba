/* Precompiled headers: no compile waits for one, and what was done without is made later. */
#include "tests/support/compile_fixture.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rank-worker/compile/headers_later.h"

static unsigned make_ordered(const struct fixture *f)
{
    struct compile_session *session;
    unsigned made = 0;
    struct error err;

    assert_int_equal(compile_session_open(&f->session, &session, &err), 0);
    assert_int_equal(headers_make_ordered(session, &made, &err), 0);
    compile_session_close(session);
    assert_false(headers_are_ordered());
    return made;
}

static void edit(struct fixture *f, int value)
{
    char *text = fixture_pto_source(value);

    fixture_put(f, "build/next_levels/prog0/kernels/aiv/k.cpp", text);
    free(text);
}

static void open_with_kernel(struct fixture *f, const char *extra)
{
    fixture_open(f);
    fixture_use_pto(f);
    fixture_compiler(f, "L3REPLAY_KERNEL_CXX", "kernel c++", extra, "clang++-19");
    fixture_kernel_with_pto(f, 0, "k", 1);
}

static void edits_go_without_until_it_was_made(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f, "");
    assert_false(headers_are_ordered());
    fixture_expect(&f, 2, 0);
    edit(&f, 2);
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_runs(&f, "c++-header"), 0);
    assert_true(headers_are_ordered());
    assert_int_equal(fixture_entries(&f, "wanted"), 1); /* both edits want the same one */

    assert_int_equal(make_ordered(&f), 1);
    assert_int_equal(fixture_runs(&f, "c++-header"), 1);
    edit(&f, 3);
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_runs(&f, "-include-pch"), 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 103);
    assert_false(headers_are_ordered());
    assert_int_equal(make_ordered(&f), 0);
    fixture_close(&f);
}

/* The header of these kernels is never done: its compiler waits for a writer of a fifo. */
static void no_kernel_waits_for_a_header(void **state)
{
    static const char stuck[] = "if [[ \" $* \" == *' -xc++-header '* && -e \"$odd/never\" ]]; then\n"
                                "read -r line <\"$odd/never\"\nfi";
    struct fixture f;
    char *never;

    (void)state;
    open_with_kernel(&f, stuck);
    never = fixture_text("%s/never", f.root);
    assert_int_equal(mkfifo(never, 0600), 0);
    fixture_kernel_with_pto(&f, 0, "k2", 2);
    fixture_kernel_with_pto(&f, 0, "k3", 3);
    fixture_kernel_with_pto(&f, 0, "k4", 4);
    f.options.jobs = 2;
    f.session.limit_s = 100;
    fixture_expect(&f, 5, 0);
    assert_int_equal(fixture_runs(&f, "c++-header"), 1); /* four kernels on two cores: it would have paid */
    assert_int_equal(fixture_runs(&f, "-include-pch"), 0);
    assert_int_equal(fixture_kernel_result(&f, 3), 104);
    assert_true(headers_are_ordered());

    assert_int_equal(unlink(never), 0);
    assert_int_equal(make_ordered(&f), 1);
    free(never);
    fixture_close(&f);
}

/* The one file with this ending in the store's pch/. */
static char *kept(const struct fixture *f, const char *ending)
{
    char *pattern = fixture_text("%s/the store/v1/pch/*/*%s", f->root, ending), *path;
    glob_t found;

    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    path = strdup(found.gl_pathv[0]);
    assert_non_null(path);
    globfree(&found);
    free(pattern);
    return path;
}

static void garble(const char *path, int how)
{
    int fd;

    assert_int_equal(chmod(path, 0600), 0);
    fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    switch (how) {
    case 0:
        assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 1), 0);
        break;
    case 1:
        assert_int_equal(pwrite(fd, "?", 1, lseek(fd, 0, SEEK_END) / 2), 1);
        break;
    case 2:
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        break;
    default:
        assert_int_equal(ftruncate(fd, 0), 0);
        break;
    }
    close(fd);
}

/* clang would crash on it, or compile something else. */
static void a_garbled_header_is_made_again(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f, "");
    fixture_expect(&f, 2, 0);
    for (int how = 0; how < 4; how++) {
        assert_int_equal(make_ordered(&f), 1);
        assert_int_equal(fixture_runs(&f, "c++-header"), 1 + how);
        edit(&f, 10 + 2 * how);
        fixture_expect(&f, 1, 1);
        assert_int_equal(fixture_runs(&f, "-include-pch"), 1 + how);

        char *path = kept(&f, how < 3 ? ".pch" : ".pch.seal");
        garble(path, how);
        free(path);
        edit(&f, 11 + 2 * how);
        fixture_expect(&f, 1, 1);
        assert_int_equal(fixture_runs(&f, "-include-pch"), 1 + how);
        assert_int_equal(fixture_kernel_result(&f, 0), 111 + 2 * how);
    }
    fixture_close(&f);
}

static void what_cannot_be_made_is_not_tried_again(void **state)
{
    static const char broken[] = "[[ \" $* \" == *' -xc++-header '* ]] && exit 1";
    struct fixture f;

    (void)state;
    open_with_kernel(&f, broken);
    fixture_expect(&f, 2, 0);
    assert_int_equal(make_ordered(&f), 0);
    assert_int_equal(fixture_runs(&f, "c++-header"), 1);
    assert_int_equal(make_ordered(&f), 0);
    assert_int_equal(fixture_runs(&f, "c++-header"), 1);
    fixture_close(&f);
}

/* What is found there may be anything, and is executed only when its seal is right. */
static void garbage_is_no_order(void **state)
{
    static const char name[] = "the store/v1/wanted/0123456789abcdef0123456789abcdef";
    struct fixture f;

    (void)state;
    open_with_kernel(&f, "");
    fixture_expect(&f, 2, 0);
    make_ordered(&f);
    fixture_put(&f, name, "l3replay-wanted 1\n/bin/false\n");
    assert_int_equal(make_ordered(&f), 0);
    fixture_put(&f, "the store/v1/wanted/x", "l3replay-wanted 1\n/bin/false\n");
    assert_int_equal(make_ordered(&f), 0);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_go_without_until_it_was_made),
        cmocka_unit_test(no_kernel_waits_for_a_header),
        cmocka_unit_test(a_garbled_header_is_made_again),
        cmocka_unit_test(what_cannot_be_made_is_not_tried_again),
        cmocka_unit_test(garbage_is_no_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
