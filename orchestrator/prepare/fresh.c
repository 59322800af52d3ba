#include "orchestrator/prepare/fresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "rank-worker/cache/binaries.h"
#include "rank-worker/cache/invalidate.h"
#include "rank-worker/cache/stale.h"
#include "rank-worker/cache/transaction.h"
#include "rank-worker/compile/identity.h"
#include "rank-worker/splice/splice.h"

int fresh_sources(const char *dir, const struct fresh_options *o, struct error *err)
{
    struct splice_options splice = {.off = o->no_rebuild_from_pto, .ptoas_timeout = o->ptoas_timeout, .lines = stdout};
    struct invalidate_options invalidate = {.off = o->no_recompile, .keep_current = true, .lines = stdout};
    struct splice_report report = {0};
    int rc = splice_build(dir, &splice, &report, err);

    if (rc == 0 && report.skipped == SPLICE_NO_PTOAS && report.nstale) {
        log_msg(LOG_WARN,
                "%zu .pto files are newer than the kernels made of them, and there is no ptoas: the kernels "
                "run without those edits (set PTOAS_ROOT)",
                report.nstale);
    }
    splice_report_free(&report);
    if (rc == 0 && access(dir, W_OK) < 0) {
        log_note(
            "the build cannot be written to: its binaries stay as they are, and those of this replay in the store");
        return 0;
    }
    if (rc == 0) {
        rc = invalidate_build(dir, &invalidate, NULL, err);
    }
    fflush(stdout); /* an interrupt must not lose what was printed */
    return rc;
}

/* 1 when the program's binaries in the build may run as they are: then `found` has them. */
static int still_current(const struct program *p, const char *platform, const struct cache_identity *identity,
                         struct compiled_program *found, struct error *err)
{
    struct stamp_verdict verdict;
    int rc;

    stamp_check(p->dir, identity, false, &verdict);
    if (verdict.reason != STAMP_CURRENT) {
        log_msg(LOG_TIMING, "program %s is rebuilt: %s", p->name, verdict.text);
        return 0;
    }
    rc = binaries_find(p, platform, found, err);
    if (rc == 1) {
        rc = stale_warn(p, found, err) < 0 ? -1 : 1;
    } else if (rc == 0) {
        log_msg(LOG_TIMING, "program %s is rebuilt: binaries are missing", p->name);
    }
    return rc;
}

/* What is needed from the compiler: `need` starts as the wanted programs and loses those that are current. */
static int keep_current(const struct build *b, const struct program_table *programs,
                        const struct cache_identity *identity, bool *need, struct compiled_program *kept,
                        struct error *err)
{
    for (size_t i = 0; i < programs->count; i++) {
        int rc = need[i] ? still_current(&programs->items[i], b->platform, identity, &kept[i], err) : 0;

        if (rc < 0) {
            return -1;
        }
        need[i] = need[i] && rc == 0;
    }
    return 0;
}

static void take_kept(struct compiled *out, struct compiled_program *kept)
{
    for (uint32_t i = 0; i < out->count; i++) {
        if (!kept[i].orchestration) {
            continue;
        }
        compiled_program_free(&out->items[i]);
        out->items[i] = kept[i];
        kept[i] = (struct compiled_program){0};
    }
}

/* What compile_programs() needs to have others take part. */
struct sharing {
    const struct build *build;
    const struct fresh_options *options;
};

static int share_work(void *context, const struct program_table *programs, const bool *need, struct error *err)
{
    const struct sharing *s = context;

    return s->options->share(s->options->context, s->build, programs, need, err);
}

int fresh_session_open(const struct fresh_options *o, struct compile_session **session, struct error *err)
{
    const struct compile_session_options options = {
        .no_ccache = o->no_ccache, .limit_s = o->compile_timeout, .stack = o->stack};

    return compile_session_open(&options, session, err);
}

static int compile_needed(struct compile_session *session, const struct build *b, const struct program_table *programs,
                          bool *need, int jobs, const struct fresh_options *o, struct compiled_program *kept,
                          struct compiled *out, struct error *err)
{
    struct sharing sharing = {b, o};
    struct compile_options options = {.platform = b->platform,
                                      .jobs = jobs,
                                      .wanted = need,
                                      .share = o->share ? share_work : NULL,
                                      .context = &sharing};
    struct cache_identity identity = {0};
    int rc = 0;

    if (o->no_recompile) {
        rc = compile_identity(session, programs, b->platform, &identity, err);
        if (rc == 0) {
            rc = keep_current(b, programs, &identity, need, kept, err);
        }
        identity_free(&identity);
    }
    if (rc < 0 || compile_programs(session, programs, &options, out, err) < 0) {
        return -1;
    }
    take_kept(out, kept);
    return 0;
}

static void free_kept(struct compiled_program *kept, size_t count)
{
    for (size_t i = 0; kept && i < count; i++) {
        compiled_program_free(&kept[i]);
    }
    free(kept);
}

int fresh_binaries(struct compile_session *session, const struct build *b, const struct program_table *programs,
                   const bool *wanted, int jobs, const struct fresh_options *o, struct compiled *out, struct error *err)
{
    struct compiled_program *kept = calloc(programs->count + 1, sizeof *kept);
    bool *need = calloc(programs->count + 1, sizeof *need);
    int rc = -1;

    memset(out, 0, sizeof *out);
    if (!kept || !need) {
        error_nomem(err, "programs", programs->count * sizeof *kept);
        goto out;
    }
    for (size_t i = 0; i < programs->count; i++) {
        need[i] = !wanted || wanted[i];
    }
    rc = compile_needed(session, b, programs, need, jobs, o, kept, out, err);
out:
    free_kept(kept, programs->count);
    free(need);
    return rc;
}

/* Whether the objects are the program's own binaries, used as they lay in the build. */
static bool lies_in_build(const struct program *p, const struct compiled_program *c)
{
    size_t n = strlen(p->dir);

    return strncmp(c->orchestration, p->dir, n) == 0 && c->orchestration[n] == '/';
}

/* 1: the build has these binaries already, with a stamp that says so; 0; -1 out of memory. */
static int is_installed(const struct build *b, const struct program *p, const struct compiled_program *c,
                        const struct cache_identity *identity, struct error *err)
{
    struct stamp_verdict verdict;

    stamp_check(p->dir, identity, false, &verdict);
    return verdict.reason == STAMP_CURRENT ? binaries_hold(p, c, b->platform, err) : 0;
}

static int install_program(const struct build *b, const struct program *p, const struct compiled_program *c,
                           struct timespec read_at, const struct cache_identity *identity, bool forced,
                           struct error *err)
{
    struct cache_transaction t;
    int rc = is_installed(b, p, c, identity, err);

    if (rc) {
        return rc < 0 ? -1 : 0;
    }
    if (cache_begin(&t, b->dir, p->dir, identity, forced, 0, err) < 0) {
        return -1;
    }
    log_msg(LOG_INFO, "the binaries of program %s are put into the build: %s", p->name, t.verdict.text);
    if (binaries_install(p, c, b->platform, read_at, err) < 0) {
        cache_abort(&t);
        return -1;
    }
    return cache_commit(&t, err);
}

int fresh_install(struct compile_session *session, const struct build *b, const struct program_table *programs,
                  const struct compiled *compiled, const struct fresh_options *o, struct error *err)
{
    struct cache_identity identity = {0};
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < compiled->count; i++) {
        const struct program *p = &programs->items[i];
        const struct compiled_program *c = &compiled->items[i];

        if (!c->orchestration || lies_in_build(p, c) || access(p->dir, W_OK) < 0) {
            continue;
        }
        if (!identity.platform) {
            rc = compile_identity(session, programs, b->platform, &identity, err);
        }
        if (rc == 0) {
            rc = install_program(b, p, c, compiled->read_at, &identity, !o->no_recompile, err);
        }
    }
    identity_free(&identity);
    return rc;
}
