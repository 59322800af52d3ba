/*
 * splice_fixture - builds to splice in, with a ptoas of the tests' own.
 */
#ifndef L3R_TESTS_SUPPORT_SPLICE_FIXTURE_H
#define L3R_TESTS_SUPPORT_SPLICE_FIXTURE_H

#include "tests/support/temp_dir.h"

#include "rank-worker/splice/splice.h"

#define HEAD "// header\n#include \"tensor.h\"\n// --- ptoas-generated code ---"
#define TAIL "// --- Kernel entry point ---\nextern \"C\" void kernel_entry(int64_t *args)\n{\n}\n"
/* What the stand-in writes before the first function, cleaned up. */
#define PRELUDE                                                                                                        \
    "\ntemplate <typename ChipTensor>\n"                                                                               \
    "static __aicore__ inline auto DATA(ChipTensor &tensor) -> decltype(tensor.data()) {\n"                            \
    "  return tensor.data();\n}\n"

struct splice_rig {
    char *dir;
    char *said; /* lines of the last splice */
    struct splice_options options;
    struct splice_report report;
    struct error err;
};

/* Files below the directory: written, their path (to be freed), read (to be freed, NULL when there is none), compared. */
void splice_rig_put(struct splice_rig *r, const char *name, const char *text);
char *splice_rig_path(struct splice_rig *r, const char *name);
char *splice_rig_get(struct splice_rig *r, const char *name);
void splice_rig_expect(struct splice_rig *r, const char *name, const char *text);

/* Time of change: seconds and nanoseconds. */
void splice_rig_date(struct splice_rig *r, const char *name, long seconds, long ns);

struct stat splice_rig_stat(struct splice_rig *r, const char *name);

/* Splice with r->options; what it says is in r->said. */
int splice_rig_splice(struct splice_rig *r);

/* Of one test: a build without kernels, and PTOAS_ROOT with the stand-in. */
int splice_rig_setup(void **state);
int splice_rig_teardown(void **state);

/* A kernel `name` of program p with body `old`, and its unit with one function whose body is `line`. */
void splice_rig_kernel(struct splice_rig *r, const char *name, const char *line);

#endif
