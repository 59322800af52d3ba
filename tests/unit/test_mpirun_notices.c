/* What mpirun says about the ends of its processes, in its stderr. The texts are those of Open MPI 4.1.4. */
#include "launch/mpirun_notices.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/temp_dir.h"

#define DASHES "--------------------------------------------------------------------------\n"

static const char noticed[] =
    DASHES "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).\n" DASHES;
static const char primary[] = DASHES "Primary job  terminated normally, but 1 process returned\n"
                                     "a non-zero exit code. Per user-direction, the job has been aborted.\n" DASHES;
static const char detected[] =
    DASHES "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
           "the job to be terminated. The first process to do so was:\n\n  Process name: [[19274,1],1]\n"
           "  Exit code:    3\n" DASHES;
static const char other[] = DASHES "There are not enough slots available in the system to satisfy the 2\n"
                                   "slots that were requested by the application:\n\n  hostname\n" DASHES;

/* `text` in pieces of `piece` bytes; what passes must be `expected`. */
static void expect_in_pieces(const char *text, size_t piece, const char *expected, int signal)
{
    struct mpirun_notices m = {0};
    const size_t n = strlen(text);
    char *passed = calloc(n + 1, 1), *out = malloc(piece + NOTICE_MAX);
    size_t used = 0;

    assert_true(passed && out);
    for (size_t at = 0; at < n; at += piece) {
        const size_t some = mpirun_notices_take(&m, text + at, n - at < piece ? n - at : piece, out);

        assert_true(used + some <= n);
        memcpy(passed + used, out, some);
        used += some;
    }
    const size_t rest = mpirun_notices_end(&m, out);
    assert_true(used + rest <= n);
    memcpy(passed + used, out, rest);
    assert_string_equal(passed, expected);
    assert_int_equal(m.signal, signal);
    if (signal) {
        assert_int_equal(m.rank, 1);
        assert_string_equal(m.host, "vm");
    }
    free(passed);
    free(out);
}

static void expect(const char *text, const char *expected, int signal)
{
    expect_in_pieces(text, 1, expected, signal);
    expect_in_pieces(text, 7, expected, signal);
    expect_in_pieces(text, strlen(text) + 1, expected, signal);
}

static char *join(const char *const *texts)
{
    char *all = calloc(1, 16384);

    assert_non_null(all);
    for (; *texts; texts++) {
        strcat(all, *texts);
    }
    return all;
}

static void notices_are_kept_back(void **state)
{
    char *all = join((const char *const[]){"a\n", primary, noticed, "b\n", detected, "c", NULL});

    (void)state;
    expect(all, "a\nb\nc", 9);
    expect(detected, "", 0);
    free(all);
}

static void all_else_passes(void **state)
{
    char *all = join((const char *const[]){"half ", DASHES, "- item\n--\n", other, "x\n", NULL});
    char *mixed = join((const char *const[]){other, noticed, other, NULL});
    char *others = join((const char *const[]){other, other, NULL});

    (void)state;
    expect(all, all, 0);
    expect(mixed, others, 9);
    expect(DASHES DASHES "x\n", DASHES DASHES "x\n", 0);
    expect(DASHES, DASHES, 0);
    expect("---", "---", 0);
    free(all);
    free(mixed);
    free(others);
}

/* One without an end is shown whole, however long it is. */
static void a_notice_without_an_end_passes(void **state)
{
    char *text = calloc(1, 3 * NOTICE_MAX);

    (void)state;
    assert_non_null(text);
    strcpy(text, DASHES "Primary job\n");
    expect(text, text, 0);
    strcpy(text, DASHES "Primary job ");
    memset(text + strlen(text), 'x', 2 * NOTICE_MAX);
    expect(text, text, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notices_are_kept_back),
        cmocka_unit_test(all_else_passes),
        cmocka_unit_test(a_notice_without_an_end_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
