#include "tests/support/splice_fixture.h"

#include <fcntl.h>

#include "common/base/file.h"
#include "common/base/log.h"

void splice_rig_put(struct splice_rig *r, const char *name, const char *text)
{
    temp_dir_put_text(r->dir, name, text);
}

char *splice_rig_path(struct splice_rig *r, const char *name)
{
    char *path = file_join(r->dir, name, NULL);

    assert_non_null(path);
    return path;
}

char *splice_rig_get(struct splice_rig *r, const char *name)
{
    char *path = splice_rig_path(r, name), *text = file_read(path, 1 << 20, NULL, NULL);

    free(path);
    return text;
}

void splice_rig_expect(struct splice_rig *r, const char *name, const char *text)
{
    char *is = splice_rig_get(r, name);

    assert_non_null(is);
    assert_string_equal(is, text);
    free(is);
}

void splice_rig_date(struct splice_rig *r, const char *name, long seconds, long ns)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = ns}};
    char *path = splice_rig_path(r, name);

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

struct stat splice_rig_stat(struct splice_rig *r, const char *name)
{
    char *path = splice_rig_path(r, name);
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    free(path);
    return st;
}

int splice_rig_splice(struct splice_rig *r)
{
    size_t size;
    FILE *lines;
    int rc;

    free(r->said);
    splice_report_free(&r->report);
    memset(&r->err, 0, sizeof r->err);
    lines = open_memstream(&r->said, &size);
    assert_non_null(lines);
    r->options.lines = lines;
    rc = splice_build(r->dir, &r->options, &r->report, &r->err);
    assert_int_equal(fclose(lines), 0);
    return rc;
}

int splice_rig_setup(void **state)
{
    struct splice_rig *r = calloc(1, sizeof *r);
    char *path;

    assert_non_null(r);
    r->dir = temp_dir_make();
    splice_rig_put(r, "orchestration/host_orch.py", "\n");
    splice_rig_put(r, "ptoas-root/readme", "\n");
    path = splice_rig_path(r, "ptoas-root/ptoas");
    assert_int_equal(symlink(SOURCE_DIR "/tests/integration/standin-ptoas", path), 0);
    free(path);
    path = splice_rig_path(r, "ptoas-root");
    assert_int_equal(setenv("PTOAS_ROOT", path, 1), 0);
    free(path);
    assert_int_equal(unsetenv("PYPTO_REBUILD_FROM_PTO"), 0);
    log_set_level(LOG_NULL);
    *state = r;
    return 0;
}

int splice_rig_teardown(void **state)
{
    struct splice_rig *r = *state;

    free(r->said);
    splice_report_free(&r->report);
    temp_dir_remove(r->dir);
    free(r);
    return 0;
}

void splice_rig_kernel(struct splice_rig *r, const char *name, const char *line)
{
    char file[256], text[1024];

    snprintf(file, sizeof file, "next_levels/p/kernels/aiv/%s.cpp", name);
    snprintf(text, sizeof text, HEAD "\nstatic __aicore__ void %s(__gm__ float* v1) {\n  old();\n}\n" TAIL, name);
    splice_rig_put(r, file, text);
    snprintf(file, sizeof file, "next_levels/p/ptoas/%s.pto", name);
    snprintf(text, sizeof text, "func %s __gm__ float* v1\n%s\nend\n", name, line);
    splice_rig_put(r, file, text);
}
