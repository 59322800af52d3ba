/*
 * temp_dir - a directory of its own for one test, gone at the end.
 */
#ifndef L3R_TESTS_UNIT_TEMP_DIR_H
#define L3R_TESTS_UNIT_TEMP_DIR_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static inline char *temp_dir_make(void)
{
    const char *base = getenv("TMPDIR");
    char *path;

    assert_true(asprintf(&path, "%s/l3r-test-XXXXXX", base && *base ? base : "/tmp") > 0);
    assert_non_null(mkdtemp(path));
    return path;
}

static inline int temp_dir_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void temp_dir_remove(char *path)
{
    assert_int_equal(nftw(path, temp_dir_unlink, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(path);
}

/* Write dir/name with the directories above it; `name` may hold slashes. */
static inline void temp_dir_put(const char *dir, const char *name, const void *data, size_t size)
{
    char *path;
    FILE *f;

    assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
    for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
        *slash = '/';
    }
    f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    free(path);
}

static inline void temp_dir_put_text(const char *dir, const char *name, const char *text)
{
    temp_dir_put(dir, name, text, strlen(text));
}

/* Root may open everything: until temp_dir_own_user(), be a user whom permissions concern. False: not possible here.
 * Nothing may fail in between, for the clearing away is the own user's. */
static inline bool temp_dir_plain_user(const char *dir)
{
    if (geteuid() != 0) {
        return true;
    }
    if (chmod(dir, 0777) || seteuid(65534)) {
        return false;
    }
    if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0) {
        return true;
    }
    assert_int_equal(seteuid(0), 0);
    return false;
}

static inline void temp_dir_own_user(void)
{
    if (geteuid() != getuid()) {
        assert_int_equal(seteuid(getuid()), 0);
    }
}

/* Number of entries in a directory, without . and .. */
static inline int temp_dir_count(const char *dir)
{
    char *command, line[32] = "";
    FILE *f;

    assert_true(asprintf(&command, "ls -A '%s' | wc -l", dir) > 0);
    f = popen(command, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    pclose(f);
    free(command);
    return atoi(line);
}

#endif
