/* What the binaries of a program were made of: written, read back, compared by content; nothing of it is trusted. */
#include "tests/support/temp_dir.h"

#include <xxhash.h>

#include "common/base/line_name.h"
#include "rank-worker/cache/made_file.h"

static const char odd[] = "./a b%\n\xc3\xb6.h";

struct rig {
    char *dir;
    struct hashes *hashes;
    struct error err;
};

static struct key hash_of(const char *text)
{
    XXH128_hash_t hash = XXH3_128bits(text, strlen(text));

    return (struct key){.high = hash.high64, .low = hash.low64};
}

static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    r->dir = temp_dir_make();
    r->hashes = hashes_new();
    assert_non_null(r->hashes);
    temp_dir_put_text(r->dir, "cache/k.bin", "object k");
    temp_dir_put_text(r->dir, "cache/o.bin", "object o");
    temp_dir_put_text(r->dir, "kernels/k.cpp", "source k");
    temp_dir_put_text(r->dir, "kernels/k.so", "object k");
    temp_dir_put_text(r->dir, "orchestration/o.cpp", "source o");
    temp_dir_put_text(r->dir, "orchestration/o.so", "object o");
    temp_dir_put_text(r->dir, "kernels/a b%\n\xc3\xb6.h", "header");
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    hashes_free(r->hashes);
    temp_dir_remove(r->dir);
    free(r);
    return 0;
}

static void add(struct rig *r, struct made_file *f, const char *name, const char *source, const char *object,
                const char *text, const char *header)
{
    struct key content = hash_of("header");
    struct made_of made = {.known = true, .source = hash_of(text), .contents = &content};
    char *path = text_format("%s/%s", r->dir, source);

    if (header) {
        args_add(&made.headers, "%s", header);
    }
    assert_int_equal(made_file_add(f, r->dir, name, path, hash_of(object), &made, &r->err), 0);
    args_free(&made.headers);
    free(path);
}

static void put(struct rig *r)
{
    struct made_file f = {0};

    add(r, &f, "k.bin", "kernels/k.cpp", "object k", "source k", odd);
    add(r, &f, "o.bin", "orchestration/o.cpp", "object o", "source o", NULL);
    assert_int_equal(made_file_write(&f, r->dir, &r->err), 0);
    made_file_free(&f);
}

static struct made_file get(struct rig *r)
{
    struct made_file f;

    hashes_refresh(r->hashes);
    assert_int_equal(made_file_read(r->dir, &f, &r->err), 0);
    return f;
}

static void assert_current(struct rig *r, bool expected)
{
    struct made_file f = get(r);

    assert_int_equal(made_file_is_current(&f, r->dir, 4, r->hashes), expected);
    made_file_free(&f);
}

static void test_what_was_written_is_read(void **state)
{
    struct rig *r = *state;
    const struct made_entry *e;
    struct made_file f;

    put(r);
    f = get(r);
    assert_int_equal(f.count, 2);
    e = made_file_find(&f, r->dir, "k.bin", r->hashes);
    assert_non_null(e);
    assert_string_equal(e->source, "kernels/k.cpp");
    assert_true(key_equal(e->made.source, hash_of("source k")));
    assert_int_equal(e->made.headers.n, 1);
    assert_string_equal(e->made.headers.v[0], odd);
    assert_true(key_equal(e->made.contents[0], hash_of("header")));
    e = made_file_find(&f, r->dir, "o.bin", r->hashes);
    assert_non_null(e);
    assert_int_equal(e->made.headers.n, 0);
    assert_null(made_file_find(&f, r->dir, "p.bin", r->hashes));
    made_file_free(&f);
}

static void test_another_binary_is_not_known(void **state)
{
    struct rig *r = *state;
    struct made_file f;

    put(r);
    temp_dir_put_text(r->dir, "cache/k.bin", "somebody's");
    f = get(r);
    assert_null(made_file_find(&f, r->dir, "k.bin", r->hashes));
    made_file_free(&f);
    assert_current(r, false);
}

/* By content, file by file; back to what it was is current again. */
static void test_current_is_what_the_files_hold(void **state)
{
    static const char *const files[][2] = {{"kernels/k.cpp", "source k"},
                                           {"orchestration/o.cpp", "source o"},
                                           {"kernels/a b%\n\xc3\xb6.h", "header"},
                                           {"kernels/k.so", "object k"},
                                           {"cache/o.bin", "object o"}};
    struct rig *r = *state;
    struct made_file f;

    put(r);
    assert_current(r, true);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        temp_dir_put_text(r->dir, files[i][0], "edited");
        assert_current(r, false);
        temp_dir_put_text(r->dir, files[i][0], files[i][1]);
        assert_current(r, true);
    }
    /* A binary more than are known of. */
    f = get(r);
    assert_false(made_file_is_current(&f, r->dir, 5, r->hashes));
    made_file_free(&f);
    assert_int_equal(made_file_discard(r->dir, &r->err), 0);
    assert_int_equal(made_file_discard(r->dir, &r->err), 0);
    f = get(r);
    assert_false(made_file_is_current(&f, r->dir, 0, r->hashes));
}

/* Whatever stands there: each cut of a good file, and damaged lines, are a file of which nothing is known. */
static void test_damaged_files_say_nothing(void **state)
{
#define HASH "0123456789abcdef0123456789abcdef"
    static const char *const bad[] = {
        "",
        "l3replay-made 2\nend\n",
        "l3replay-made 1\nwhat\nend\n",
        "l3replay-made 1\nheader " HASH "\nend\n",
        "l3replay-made 1\nheader 0123 ./k.h\nend\n",
        "l3replay-made 1\nbinary " HASH " " HASH " k.bin\nend\n",
        "l3replay-made 1\nbinary " HASH " " HASH " k.bin k.cpp 0\nend\n",
        "l3replay-made 1\nheader " HASH " ./k.h\nbinary " HASH " " HASH " k.bin k.cpp 0 -1\nend\n",
        "l3replay-made 1\nheader " HASH " ./k.h\nbinary " HASH " " HASH " k.bin k.cpp 99999999999999999999\nend\n",
    };
    struct rig *r = *state;
    char *path = text_format("%s/" MADE_FILE, r->dir), text[4096];
    ssize_t n;
    int fd;

    put(r);
    fd = open(path, O_RDONLY);
    n = read(fd, text, sizeof text);
    close(fd);
    assert_true(n > 0 && n < (ssize_t)sizeof text);
    for (ssize_t cut = 0; cut < n; cut++) {
        struct made_file f;
        temp_dir_put(r->dir, MADE_FILE, text, (size_t)cut);
        f = get(r);
        assert_int_equal(f.count, 0);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct made_file f;
        temp_dir_put_text(r->dir, MADE_FILE, bad[i]);
        f = get(r);
        assert_int_equal(f.count, 0);
    }
    free(path);
}

static void test_names_in_lines(void **state)
{
    static const char *const texts[][2] = {{"%", "%"}, {"%4", "%4"}, {"%zz", "%zz"}, {"%00", "%00"}, {"%41%0a", "A\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", texts[i][0]);
        assert_string_equal(line_name_take(text), texts[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_was_written_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_binary_is_not_known, setup, teardown),
        cmocka_unit_test_setup_teardown(test_current_is_what_the_files_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_files_say_nothing, setup, teardown),
        cmocka_unit_test(test_names_in_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
