/*
 * splice_fixture - builds to splice in, with a ptoas of the tests' own.
 */
#ifndef L3R_TESTS_UNIT_SPLICE_FIXTURE_H
#define L3R_TESTS_UNIT_SPLICE_FIXTURE_H

#include "temp_dir.h"

#include <fcntl.h>
#include <time.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "rank-worker/splice/splice.h"

#define HEAD "// header\n#include \"tensor.h\"\n// --- ptoas-generated code ---"
#define TAIL "// --- Kernel entry point ---\nextern \"C\" void kernel_entry(int64_t *args)\n{\n}\n"
/* What the stand-in writes before the first function, cleaned up. */
#define PRELUDE                                                                                                        \
    "\ntemplate <typename ChipTensor>\n"                                                                               \
    "static __aicore__ inline auto DATA(ChipTensor &tensor) -> decltype(tensor.data()) {\n"                            \
    "  return tensor.data();\n}\n"

struct rig {
    char *dir;
    char *said; /* lines of the last splice */
    struct splice_options options;
    struct splice_report report;
    struct error err;
};

static inline void rig_put(struct rig *r, const char *name, const char *text)
{
    temp_dir_put_text(r->dir, name, text);
}

static inline char *rig_path(struct rig *r, const char *name)
{
    char *path = file_join(r->dir, name, NULL);

    assert_non_null(path);
    return path;
}

static inline char *rig_get(struct rig *r, const char *name)
{
    char *path = rig_path(r, name), *text = file_read(path, 1 << 20, NULL, NULL);

    free(path);
    return text;
}

static inline void rig_expect(struct rig *r, const char *name, const char *text)
{
    char *is = rig_get(r, name);

    assert_non_null(is);
    assert_string_equal(is, text);
    free(is);
}

/* Time of change: seconds and nanoseconds. */
static inline void rig_date(struct rig *r, const char *name, long seconds, long ns)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = ns}};
    char *path = rig_path(r, name);

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

static inline struct stat rig_stat(struct rig *r, const char *name)
{
    char *path = rig_path(r, name);
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    free(path);
    return st;
}

static inline int rig_splice(struct rig *r)
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

static inline int rig_setup(void **state)
{
    struct rig *r = calloc(1, sizeof *r);
    char *path;

    assert_non_null(r);
    r->dir = temp_dir_make();
    rig_put(r, "orchestration/host_orch.py", "\n");
    rig_put(r, "ptoas-root/readme", "\n");
    path = rig_path(r, "ptoas-root/ptoas");
    assert_int_equal(symlink(SOURCE_DIR "/tests/integration/standin-ptoas", path), 0);
    free(path);
    path = rig_path(r, "ptoas-root");
    assert_int_equal(setenv("PTOAS_ROOT", path, 1), 0);
    free(path);
    assert_int_equal(unsetenv("PYPTO_REBUILD_FROM_PTO"), 0);
    log_set_level(LOG_NULL);
    *state = r;
    return 0;
}

static inline int rig_teardown(void **state)
{
    struct rig *r = *state;

    free(r->said);
    splice_report_free(&r->report);
    temp_dir_remove(r->dir);
    free(r);
    return 0;
}

/* A kernel `name` of program p with body `old`, and its unit with one function whose body is `line`. */
static inline void rig_kernel(struct rig *r, const char *name, const char *line)
{
    char file[256], text[1024];

    snprintf(file, sizeof file, "next_levels/p/kernels/aiv/%s.cpp", name);
    snprintf(text, sizeof text, HEAD "\nstatic __aicore__ void %s(__gm__ float* v1) {\n  old();\n}\n" TAIL, name);
    rig_put(r, file, text);
    snprintf(file, sizeof file, "next_levels/p/ptoas/%s.pto", name);
    snprintf(text, sizeof text, "func %s __gm__ float* v1\n%s\nend\n", name, line);
    rig_put(r, file, text);
}

#endif
