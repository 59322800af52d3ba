#include "tests/support/temp_dir.h"

#include <ftw.h>

char *temp_dir_make(void)
{
    const char *base = getenv("TMPDIR");
    char *path;

    assert_true(asprintf(&path, "%s/l3r-test-XXXXXX", base && *base ? base : "/tmp") > 0);
    assert_non_null(mkdtemp(path));
    return path;
}

static int temp_dir_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void temp_dir_remove(char *path)
{
    assert_int_equal(nftw(path, temp_dir_unlink, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(path);
}

void temp_dir_put(const char *dir, const char *name, const void *data, size_t size)
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

void temp_dir_put_text(const char *dir, const char *name, const char *text)
{
    temp_dir_put(dir, name, text, strlen(text));
}

bool temp_dir_plain_user(const char *dir)
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

void temp_dir_own_user(void)
{
    if (geteuid() != getuid()) {
        assert_int_equal(seteuid(getuid()), 0);
    }
}

int temp_dir_count(const char *dir)
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
