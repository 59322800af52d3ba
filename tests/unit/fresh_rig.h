/*
 * fresh_rig - orchestrator/prepare/fresh.c alone: splicing, compiling, stamps and files are stand-ins, which note that they were
 * called and do what the test wants.
 *
 * The stand-ins are defined here, so that the linker takes them and not the modules: for one file of each program.
 */
#ifndef L3R_TESTS_UNIT_FRESH_RIG_H
#define L3R_TESTS_UNIT_FRESH_RIG_H

#include "tests/support/temp_dir.h"

#include "common/base/log.h"
#include "orchestrator/prepare/fresh.h"
#include "rank-worker/cache/binaries.h"
#include "rank-worker/cache/invalidate.h"
#include "rank-worker/cache/stale.h"
#include "rank-worker/cache/transaction.h"
#include "rank-worker/splice/splice.h"

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

/* Nobody looks into the session: any address is one. */
static struct compile_session *session(void)
{
    return (struct compile_session *)(void *)&rig;
}

int compile_session_open(const struct compile_session_options *options, struct compile_session **out, struct error *err)
{
    assert_null(options->include);
    assert_true(options->no_ccache == rig.options.no_ccache);
    assert_int_equal(options->limit_s, rig.options.compile_timeout);
    *out = session();
    return step("open", NULL, err);
}

int compile_identity(struct compile_session *s, const struct program_table *programs, const char *platform,
                     struct cache_identity *out, struct error *err)
{
    assert_ptr_equal(s, session());
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
int compile_programs(struct compile_session *s, const struct program_table *programs,
                     const struct compile_options *options, struct compiled *out, struct error *err)
{
    assert_ptr_equal(s, session());
    assert_string_equal(options->platform, "a2a3sim");
    assert_int_equal(options->jobs, JOBS);
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

static void expect_error(int rc, const char *word)
{
    char text[64];

    assert_int_equal(rc, -1);
    snprintf(text, sizeof text, "%s failed", word);
    assert_string_equal(rig.err.what, text);
}

static int binaries(const bool *wanted)
{
    return fresh_binaries(session(), &rig.build, &rig.table, wanted, JOBS, &rig.options, &rig.out, &rig.err);
}

#endif
