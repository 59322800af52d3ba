/* From sources to binaries, alone: in which order, of which programs, and what ends it. Splicing, compiling, stamps and files are
 * stand-ins of this file. */
#include "tests/support/temp_dir.h"

#include "common/base/log.h"
#include "orchestrator/prepare/fresh.h"
#include "rank-worker/cache/binaries.h"
#include "rank-worker/cache/invalidate.h"
#include "rank-worker/cache/stale.h"
#include "rank-worker/cache/transaction.h"
#include "rank-worker/splice/splice.h"
#include "tests/support/captured.h"
#include "tests/support/failing_alloc.h"

enum { PROGRAMS = 3, JOBS = 6, READ_AT_S = 1234 };

static struct rig {
    char *dir; /* may be written to */
    struct build build;
    struct program programs[PROGRAMS]; /* "a", "b", "c" */
    struct program_table table;
    struct fresh_options options;
    struct compiled out;
    struct error err;

    char steps[1024];         /* words of what was called, each with a blank before and after it */
    const char *failing;      /* a word */
    enum splice_skip skipped; /* of splicing */
    size_t nstale;
    const char *current;    /* letters of the programs whose stamps are */
    const char *there;      /* and of those that have binaries */
    const char *same;       /* and of those whose binaries are the objects that are to be installed */
    bool needed[PROGRAMS];  /* by the compiler */
    bool offered[PROGRAMS]; /* to the others */
    int nidentity, nreport; /* to be freed */
    bool ignores_recompile; /* what splicing and invalidation were given */
    bool ignores_pto;
    int ptoas_timeout;
    bool forced;
} rig;

/* --- stand-ins ------------------------------------------------------------ */

static int step(const char *word, const char *program, struct error *err)
{
    size_t n = strlen(rig.steps);
    char both[64];

    snprintf(both, sizeof both, "%s%s%s", word, program ? ":" : "", program ? program : "");
    snprintf(rig.steps + n, sizeof rig.steps - n, "%s%s ", n ? "" : " ", both);
    return rig.failing && strcmp(both, rig.failing) == 0 ? error_set(err, NULL, NULL, "%s failed", both) : 0;
}

static const char *name_of(const char *dir)
{
    for (int i = 0; i < PROGRAMS; i++) {
        if (strcmp(rig.programs[i].dir, dir) == 0) {
            return rig.programs[i].name;
        }
    }
    return "?";
}

int splice_build(const char *build, const struct splice_options *options, struct splice_report *report,
                 struct error *err)
{
    (void)build;
    assert_ptr_equal(options->lines, stdout);
    rig.ignores_pto = options->off;
    rig.ptoas_timeout = options->ptoas_timeout;
    report->skipped = rig.skipped;
    report->nstale = rig.nstale;
    rig.nreport++;
    return step("splice", NULL, err);
}

void splice_report_free(struct splice_report *report)
{
    (void)report;
    rig.nreport--;
}

int invalidate_build(const char *build, const struct invalidate_options *options, uint32_t *removed, struct error *err)
{
    assert_string_equal(build, rig.dir);
    assert_null(removed);
    assert_ptr_equal(options->lines, stdout);
    rig.ignores_recompile = options->off;
    return step("invalidate", NULL, err);
}

void stamp_check(const char *dir, const struct cache_identity *identity, bool forced, struct stamp_verdict *out)
{
    const char *name = name_of(dir);

    assert_string_equal(identity->platform, "a2a3sim");
    assert_false(forced);
    step("stamp", name, NULL);
    out->reason = rig.current && strchr(rig.current, *name) ? STAMP_CURRENT : STAMP_DIFFERS;
    snprintf(out->text, sizeof out->text, "platform");
}

/* One kernel each. */
int binaries_find(const struct program *p, const char *platform, struct compiled_program *out, struct error *err)
{
    assert_string_equal(platform, "a2a3sim");
    memset(out, 0, sizeof *out);
    if (step("find", p->name, err) < 0) {
        return -1;
    }
    if (!rig.there || !strchr(rig.there, *p->name)) {
        return 0;
    }
    out->kernels = calloc(2, sizeof *out->kernels);
    assert_non_null(out->kernels);
    out->kernels[0] = strdup("kernel of the build");
    out->orchestration = strdup("orchestration of the build");
    return 1;
}

int stale_warn(const struct program *p, const struct compiled_program *binaries, struct error *err)
{
    assert_string_equal(binaries->orchestration, "orchestration of the build");
    return step("warn", p->name, err);
}

int binaries_hold(const struct program *p, const struct compiled_program *objects, const char *platform,
                  struct error *err)
{
    assert_string_equal(platform, "a2a3sim");
    assert_ptr_equal(objects, &rig.out.items[p - rig.programs]);
    return step("hold", p->name, err) < 0 ? -1 : rig.same && strchr(rig.same, *p->name);
}

int binaries_install(const struct program *p, const struct compiled_program *objects, const char *platform,
                     struct timespec read_at, struct error *err)
{
    assert_string_equal(platform, "a2a3sim");
    assert_int_equal(read_at.tv_sec, READ_AT_S);
    assert_ptr_equal(objects, &rig.out.items[p - rig.programs]);
    return step("install", p->name, err);
}

int compile_identity(const struct program_table *programs, const char *platform, struct cache_identity *out,
                     struct error *err)
{
    assert_ptr_equal(programs, &rig.table);
    if (step("identity", NULL, err) < 0) {
        return -1;
    }
    out->platform = strdup(platform);
    rig.nidentity++;
    return 0;
}

void identity_free(struct cache_identity *id)
{
    rig.nidentity -= id->platform != NULL;
    free(id->platform);
    memset(id, 0, sizeof *id);
}

/* As the real one: an item a program, with an empty list where nothing was wanted. There is enough to do for others. */
int compile_programs(const struct program_table *programs, const struct compile_options *options, struct compiled *out,
                     struct error *err)
{
    assert_string_equal(options->platform, "a2a3sim");
    assert_int_equal(options->jobs, JOBS);
    assert_true(options->no_ccache == rig.options.no_ccache);
    assert_int_equal(options->limit_s, rig.options.compile_timeout);
    assert_false(options->assisting);
    memcpy(rig.needed, options->wanted, programs->count * sizeof *rig.needed);
    if (step("compile", NULL, err) < 0 ||
        (options->share && options->share(options->context, programs, options->wanted, err) < 0)) {
        return -1;
    }
    out->read_at.tv_sec = READ_AT_S;
    out->count = (uint32_t)programs->count;
    out->items = calloc(out->count, sizeof *out->items);
    assert_non_null(out->items);
    for (uint32_t i = 0; i < out->count; i++) {
        out->items[i].kernels = calloc(2, sizeof(char *));
        if (options->wanted[i]) {
            out->items[i].kernels[0] = strdup("kernel of the store");
            out->items[i].orchestration = strdup("orchestration of the store");
        }
    }
    return 0;
}

void compiled_program_free(struct compiled_program *c)
{
    if (c->kernels) {
        free(c->kernels[0]);
    }
    free(c->kernels);
    free(c->orchestration);
    *c = (struct compiled_program){0};
}

void compiled_free(struct compiled *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        compiled_program_free(&c->items[i]);
    }
    free(c->items);
    *c = (struct compiled){0};
}

int cache_begin(struct cache_transaction *t, const char *root, const char *dir, const struct cache_identity *identity,
                bool forced, int lock_timeout, struct error *err)
{
    assert_string_equal(root, rig.dir);
    assert_string_equal(identity->platform, "a2a3sim");
    assert_int_equal(lock_timeout, 0);
    rig.forced = forced;
    *t = (struct cache_transaction){.dir = rig.dir};
    return step("begin", name_of(dir), err);
}

int cache_commit(struct cache_transaction *t, struct error *err)
{
    assert_ptr_equal(t->dir, rig.dir);
    return step("commit", NULL, err);
}

void cache_abort(struct cache_transaction *t)
{
    assert_ptr_equal(t->dir, rig.dir);
    step("abort", NULL, NULL);
}

/* --- what the tests share ------------------------------------------------- */

static int setup(void **state)
{
    static char *const names[] = {"a", "b", "c"};

    (void)state;
    memset(&rig, 0, sizeof rig);
    log_set_level(LOG_NULL);
    rig.dir = temp_dir_make();
    rig.build = (struct build){.dir = rig.dir, .platform = "a2a3sim"};
    rig.table = (struct program_table){.count = PROGRAMS, .items = rig.programs};
    for (int i = 0; i < PROGRAMS; i++) {
        char name[16];

        snprintf(name, sizeof name, "%s/none", names[i]);
        temp_dir_put_text(rig.dir, name, "");
        rig.programs[i].name = names[i];
        rig.programs[i].nkernel = 1;
        assert_true(asprintf(&rig.programs[i].dir, "%s/%s", rig.dir, names[i]) > 0);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < PROGRAMS; i++) {
        free(rig.programs[i].dir);
    }
    temp_dir_remove(rig.dir);
    compiled_free(&rig.out);
    return rig.nidentity || rig.nreport ? -1 : 0;
}

static void again(void **state)
{
    assert_int_equal(teardown(state), 0);
    setup(state);
}

static int share(void *context, const struct build *build, const struct program_table *programs, const bool *needed,
                 struct error *err)
{
    assert_ptr_equal(context, &rig);
    assert_ptr_equal(build, &rig.build);
    assert_ptr_equal(programs, &rig.table);
    memcpy(rig.offered, needed, sizeof rig.offered);
    return step("share", NULL, err);
}

static void expect_error(int rc, const char *word)
{
    char text[64];

    assert_int_equal(rc, -1);
    snprintf(text, sizeof text, "%s failed", word);
    assert_string_equal(rig.err.what, text);
}

static int sources(void)
{
    return fresh_sources(rig.dir, &rig.options, &rig.err);
}

static int binaries(const bool *wanted)
{
    return fresh_binaries(&rig.build, &rig.table, wanted, JOBS, &rig.options, &rig.out, &rig.err);
}

static int install(void)
{
    return fresh_install(&rig.build, &rig.table, &rig.out, &rig.options, &rig.err);
}

/* --- sources -------------------------------------------------------------- */

/* An edit that splicing makes in a source must not meet a binary of the old one. */
static void test_sources_are_spliced_then_invalidated(void **state)
{
    (void)state;
    rig.options.ptoas_timeout = 11;
    assert_int_equal(sources(), 0);
    assert_string_equal(rig.steps, " splice invalidate ");
    assert_false(rig.ignores_pto || rig.ignores_recompile);
    assert_int_equal(rig.ptoas_timeout, 11);
}

static void test_each_can_be_left_out(void **state)
{
    (void)state;
    rig.options.no_rebuild_from_pto = true;
    assert_int_equal(sources(), 0);
    assert_true(rig.ignores_pto);
    assert_false(rig.ignores_recompile);
    rig.options = (struct fresh_options){.no_recompile = true};
    assert_int_equal(sources(), 0);
    assert_false(rig.ignores_pto);
    assert_true(rig.ignores_recompile);
}

static void test_sources_fail(void **state)
{
    (void)state;
    rig.failing = "splice";
    expect_error(sources(), "splice");
    assert_string_equal(rig.steps, " splice ");
    rig.failing = "invalidate";
    expect_error(sources(), "invalidate");
}

static void test_build_that_cannot_be_written_to_keeps_its_binaries(void **state)
{
    char *text;

    (void)state;
    log_set_level(LOG_WARN);
    captured_begin();
    assert_int_equal(fresh_sources("/nowhere/at/all", &rig.options, &rig.err), 0);
    text = captured_end();
    assert_string_equal(rig.steps, " splice ");
    assert_non_null(strstr(text, "note: the build cannot be written to"));
    free(text);
    rig.failing = "splice"; /* an edit that could not be carried over is not lost in silence */
    expect_error(fresh_sources("/nowhere/at/all", &rig.options, &rig.err), "splice");
}

static char *sources_log(enum splice_skip skipped, size_t nstale)
{
    log_set_level(LOG_WARN);
    rig.skipped = skipped;
    rig.nstale = nstale;
    captured_begin();
    assert_int_equal(sources(), 0);
    return captured_end();
}

static void test_edits_without_ptoas_are_reported(void **state)
{
    char *text = sources_log(SPLICE_NO_PTOAS, 2);

    (void)state;
    assert_non_null(strstr(text, "warning: 2 .pto files are newer"));
    free(text);
    text = sources_log(SPLICE_NO_PTOAS, 0);
    assert_string_equal(text, "");
    free(text);
    text = sources_log(SPLICE_OFF, 2);
    assert_string_equal(text, "");
    free(text);
    text = sources_log(SPLICE_DONE, 2);
    assert_string_equal(text, "");
    free(text);
}

/* --- binaries ------------------------------------------------------------- */

static void expect_needed(bool a, bool b, bool c)
{
    assert_int_equal(rig.needed[0], a);
    assert_int_equal(rig.needed[1], b);
    assert_int_equal(rig.needed[2], c);
}

static void expect_from(int program, const char *place)
{
    char text[64];

    snprintf(text, sizeof text, "orchestration of the %s", place);
    assert_string_equal(rig.out.items[program].orchestration, text);
    snprintf(text, sizeof text, "kernel of the %s", place);
    assert_string_equal(rig.out.items[program].kernels[0], text);
}

/* The store compiles nothing twice: binaries of the build do not count. */
static void test_all_come_from_the_store(void **state)
{
    (void)state;
    rig.current = rig.there = "abc";
    rig.options.no_ccache = true;
    rig.options.compile_timeout = 12;
    assert_int_equal(binaries(NULL), 0);
    assert_string_equal(rig.steps, " compile ");
    expect_needed(true, true, true);
    expect_from(2, "store");
}

static void test_only_what_is_wanted(void **state)
{
    (void)state;
    assert_int_equal(binaries((const bool[]){false, true, false}), 0);
    expect_needed(false, true, false);
    assert_null(rig.out.items[0].orchestration);
}

static void test_no_recompile_keeps_current_binaries(void **state)
{
    (void)state;
    rig.options.no_recompile = true;
    rig.current = "ab";
    rig.there = "ac";
    assert_int_equal(binaries(NULL), 0);
    /* a: current and there; b: not there; c: there, but for something else. */
    assert_string_equal(rig.steps, " identity stamp:a find:a warn:a stamp:b find:b stamp:c compile ");
    expect_needed(false, true, true);
    expect_from(0, "build");
    expect_from(1, "store");
    expect_from(2, "store");
}

static void test_no_recompile_looks_at_wanted_programs_alone(void **state)
{
    (void)state;
    rig.options.no_recompile = true;
    rig.current = rig.there = "abc";
    assert_int_equal(binaries((const bool[]){false, false, true}), 0);
    assert_string_equal(rig.steps, " identity stamp:c find:c warn:c compile ");
    expect_needed(false, false, false);
    assert_null(rig.out.items[0].orchestration);
    expect_from(2, "build");
}

static void test_others_are_offered_what_is_needed(void **state)
{
    (void)state;
    rig.options.share = share;
    rig.options.context = &rig;
    rig.options.no_recompile = true;
    rig.current = rig.there = "a";
    assert_int_equal(binaries((const bool[]){true, true, false}), 0);
    assert_non_null(strstr(rig.steps, " compile share "));
    assert_memory_equal(rig.offered, ((const bool[]){false, true, false}), sizeof rig.offered);
}

static void test_binaries_fail(void **state)
{
    static const struct {
        const char *failing, *last;
    } cases[] = {{"identity", " identity "},
                 {"find:b", " find:b "},
                 {"warn:b", " warn:b "},
                 {"share", " share "},
                 {"compile", " compile "}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].last);

        rig.options = (struct fresh_options){.no_recompile = true, .share = share, .context = &rig};
        rig.current = rig.there = "ab";
        rig.failing = cases[i].failing;
        expect_error(binaries(NULL), cases[i].failing);
        assert_string_equal(rig.steps + strlen(rig.steps) - n, cases[i].last);
        assert_null(rig.out.items);
        again(state);
    }
}

static void test_binaries_without_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 2; n++) {
        int rc;

        failing_alloc_start(n);
        rc = binaries(NULL);
        failing_alloc_stop();
        assert_int_equal(rc, -1);
        assert_string_equal(rig.steps, "");
        assert_null(rig.out.items);
    }
}

static void test_no_programs(void **state)
{
    (void)state;
    rig.table.count = 0;
    assert_int_equal(binaries(NULL), 0);
    assert_int_equal(rig.out.count, 0);
}

/* --- installing ----------------------------------------------------------- */

static void compile_all(void)
{
    assert_int_equal(binaries(NULL), 0);
    rig.steps[0] = '\0';
}

static void lie_at(int program, const char *path)
{
    free(rig.out.items[program].orchestration);
    assert_true(asprintf(&rig.out.items[program].orchestration, "%s/%s", rig.dir, path) > 0);
}

static void test_each_is_installed_and_stamped(void **state)
{
    (void)state;
    compile_all();
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, " identity stamp:a begin:a install:a commit stamp:b begin:b install:b commit"
                                   " stamp:c begin:c install:c commit ");
    assert_true(rig.forced);
}

/* The same content with a stamp that says so stays; with another stamp, or made of something else, it does not. */
static void test_what_the_build_has_is_not_installed_again(void **state)
{
    (void)state;
    compile_all();
    rig.current = "ab";
    rig.same = "ac";
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, " identity stamp:a hold:a stamp:b hold:b begin:b install:b commit"
                                   " stamp:c begin:c install:c commit ");
}

static void test_no_recompile_does_not_force(void **state)
{
    (void)state;
    compile_all();
    rig.options.no_recompile = true;
    assert_int_equal(install(), 0);
    assert_false(rig.forced);
}

/* Not wanted; used as it lay in the build; in a directory that cannot be written to. */
static void test_what_is_not_installed(void **state)
{
    (void)state;
    assert_int_equal(binaries((const bool[]){false, true, true}), 0);
    rig.steps[0] = '\0';
    lie_at(1, "b/cache/orch_x.bin");
    free(rig.programs[2].dir);
    rig.programs[2].dir = strdup("/nowhere/at/all");
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, ""); /* and nobody asks for the revision of a checkout */
}

/* Directories whose names begin alike. */
static void test_object_of_another_directory_is_installed(void **state)
{
    (void)state;
    assert_int_equal(binaries((const bool[]){true, false, false}), 0);
    rig.steps[0] = '\0';
    lie_at(0, "a2/cache/orch_x.bin");
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, " identity stamp:a begin:a install:a commit ");
}

static void test_install_fails(void **state)
{
    static const struct {
        const char *failing, *steps;
    } cases[] = {
        {"identity", " identity "},
        {"begin:b", " identity stamp:a begin:a install:a commit stamp:b begin:b "},
        {"hold:c", " identity stamp:a begin:a install:a commit stamp:b begin:b install:b commit stamp:c hold:c "},
        {"install:b", " identity stamp:a begin:a install:a commit stamp:b begin:b install:b abort "},
        {"commit", " identity stamp:a begin:a install:a commit "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compile_all();
        rig.current = "c";
        rig.failing = cases[i].failing;
        expect_error(install(), cases[i].failing);
        assert_string_equal(rig.steps, cases[i].steps);
        again(state);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_sources_are_spliced_then_invalidated),
        TEST(test_each_can_be_left_out),
        TEST(test_sources_fail),
        TEST(test_build_that_cannot_be_written_to_keeps_its_binaries),
        TEST(test_edits_without_ptoas_are_reported),
        TEST(test_all_come_from_the_store),
        TEST(test_only_what_is_wanted),
        TEST(test_no_recompile_keeps_current_binaries),
        TEST(test_no_recompile_looks_at_wanted_programs_alone),
        TEST(test_others_are_offered_what_is_needed),
        TEST(test_binaries_fail),
        TEST(test_binaries_without_memory),
        TEST(test_no_programs),
        TEST(test_each_is_installed_and_stamped),
        TEST(test_what_the_build_has_is_not_installed_again),
        TEST(test_no_recompile_does_not_force),
        TEST(test_what_is_not_installed),
        TEST(test_object_of_another_directory_is_installed),
        TEST(test_install_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
