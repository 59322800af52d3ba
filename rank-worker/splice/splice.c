#include "rank-worker/splice/splice.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/file.h"
#include "common/base/lock.h"
#include "common/base/log.h"
#include "rank-worker/cache/lock_files.h"
#include "rank-worker/cache/subbuilds.h"
#include "rank-worker/splice/apply.h"
#include "rank-worker/splice/ptoas.h"
#include "rank-worker/splice/unit.h"
#include "topology/topology.h"

/* One splice: what its workers and its reporting share. */
struct splice {
    const struct splice_options *options;
    struct splice_report *report;
    struct subbuilds programs;
    struct splice_units units;
    char *ptoas;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t ended;
    size_t next; /* unit that no worker has taken yet */
    struct result {
        bool ended;
        int rc;
        struct error err;
    } *results;              /* one a unit */
    size_t changed_capacity; /* of the report */
    bool no_memory;
};

static void say(const struct splice_options *options, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(const struct splice_options *options, const char *fmt, ...)
{
    va_list ap;

    if (!options->lines) {
        return;
    }
    va_start(ap, fmt);
    fputs("[pto->cpp] ", options->lines);
    vfprintf(options->lines, fmt, ap);
    fputc('\n', options->lines);
    fflush(options->lines);
    va_end(ap);
}

static bool is_off_by_environment(void)
{
    static const char *const words[] = {"0", "false", "no"};
    const char *value = getenv("PYPTO_REBUILD_FROM_PTO");
    size_t n;

    if (!value) {
        return false;
    }
    while (isspace((unsigned char)*value)) {
        value++;
    }
    n = strlen(value);
    while (n > 0 && isspace((unsigned char)value[n - 1])) {
        n--;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == n && strncasecmp(value, words[i], n) == 0) {
            return true;
        }
    }
    return false;
}

/* --- assembling, several at once ------------------------------------------ */

static void *work(void *context)
{
    struct splice *s = context;
    int timeout = s->options->ptoas_timeout ? s->options->ptoas_timeout : PTOAS_TIMEOUT;

    pthread_mutex_lock(&s->mutex);
    while (s->next < s->units.count) {
        size_t i = s->next++;
        struct error err = {0};
        int rc;
        pthread_mutex_unlock(&s->mutex);
        rc = splice_unit_assemble(&s->units.items[i], s->ptoas, timeout, &err);
        pthread_mutex_lock(&s->mutex);
        s->results[i] = (struct result){true, rc, err};
        pthread_cond_broadcast(&s->ended);
    }
    pthread_mutex_unlock(&s->mutex);
    return NULL;
}

/* Returns how many were started. */
static size_t start_workers(struct splice *s, pthread_t *threads, size_t count)
{
    sigset_t all, before;
    size_t n = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the caller's thread's business */
    while (n < count && pthread_create(&threads[n], NULL, work, s) == 0) {
        n++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

/* --- applying, in order --------------------------------------------------- */

static void report(void *context, const char *shown, bool changed)
{
    struct splice *s = context;
    struct splice_report *r = s->report;
    char *text;

    say(s->options, changed ? "  spliced -> %s" : "  unchanged -> %s", shown);
    if (!changed) {
        r->nsame++;
        return;
    }
    text = strdup(shown);
    if (text && array_room(&r->changed, &s->changed_capacity, r->nchanged, sizeof *r->changed) == 0) {
        r->changed[r->nchanged++] = text;
    } else {
        free(text);
        s->no_memory = true;
    }
}

static int finish_unit(struct splice *s, size_t i, struct error *err)
{
    struct splice_unit *u = &s->units.items[i];
    struct error own;
    int rc;

    say(s->options, "regenerating from %s", u->shown);
    pthread_mutex_lock(&s->mutex);
    while (!s->results[i].ended) {
        pthread_cond_wait(&s->ended, &s->mutex);
    }
    rc = s->results[i].rc;
    own = s->results[i].err;
    pthread_mutex_unlock(&s->mutex);
    if (rc == 0) {
        rc = apply_unit(u, report, s, &own);
    }
    splice_unit_forget(u);
    if (rc == 0) {
        return 0;
    }
    if (s->report->nfailed++) {
        error_print(err);
    }
    *err = own;
    return -1;
}

static int splice_units(struct splice *s, struct error *err)
{
    size_t jobs = (size_t)(s->options->jobs > 0 ? s->options->jobs : topology_cores()), started;
    pthread_t *threads;
    int rc = 0;

    if (jobs > s->units.count) {
        jobs = s->units.count;
    }
    threads = calloc(jobs, sizeof *threads);
    s->results = calloc(s->units.count, sizeof *s->results);
    if (!threads || !s->results) {
        free(threads);
        return error_nomem(err, s->programs.root, s->units.count * sizeof *s->results);
    }
    started = start_workers(s, threads, jobs);
    if (started == 0) {
        work(s);
    }
    for (size_t i = 0; i < s->units.count; i++) {
        if (finish_unit(s, i, err)) {
            rc = -1;
        }
    }
    while (started > 0) {
        pthread_join(threads[--started], NULL);
    }
    free(threads);
    if (rc == 0 && s->no_memory) {
        rc = error_nomem(err, s->programs.root, sizeof *s->report->changed);
    }
    return rc;
}

/* --- the whole ------------------------------------------------------------ */

static int take_lock(const struct splice *s, struct error *err)
{
    char *path = file_join(s->programs.root, LOCK_BUILD_FILE, err);
    int fd = -1;

    if (path && access(path, F_OK) < 0 && access(s->programs.root, W_OK) < 0) {
        error_set(err, s->programs.root,
                  "let this user write there, work on a copy, or turn this off with --no-rebuild-from-pto",
                  "%s is newer than what was made of it, but the build directory cannot be written to",
                  s->units.items[0].shown);
    } else if (path) {
        fd = lock_take(path, s->options->lock_timeout, err);
    }
    free(path);
    return fd;
}

static void summarise(const struct splice *s)
{
    if (s->report->nstale == 0) {
        say(s->options, "no .pto changes detected");
    } else {
        say(s->options, "updated %zu kernel cpp(s)", s->report->nchanged);
    }
}

/* Under the lock the list is made anew: who held it before may have done the work. */
static int splice_stale(struct splice *s, struct error *err)
{
    int fd = take_lock(s, err), rc;

    if (fd < 0) {
        return -1;
    }
    splice_units_free(&s->units);
    rc = splice_units_find(&s->programs, &s->units, err);
    s->report->nstale = s->units.count;
    for (size_t i = 0; i < s->units.count; i++) {
        if (i == 0 || s->units.items[i].program != s->units.items[i - 1].program) {
            splice_leftovers_remove(s->units.items[i].program->path);
        }
    }
    if (rc == 0 && s->units.count) {
        rc = splice_units(s, err);
    }
    lock_release(fd);
    return rc;
}

static int splice(struct splice *s, struct error *err)
{
    int rc = 0;

    if (splice_units_find(&s->programs, &s->units, err)) {
        return -1;
    }
    s->report->nstale = s->units.count;
    if (!s->units.any_stage) {
        s->report->skipped = SPLICE_NO_STAGE;
        return 0;
    }
    if (ptoas_find(&s->ptoas, err)) {
        return -1;
    }
    if (!s->ptoas) {
        s->report->skipped = SPLICE_NO_PTOAS;
        say(s->options, "skipped: ptoas binary not found (set PTOAS_ROOT or PATH)");
        if (s->units.count) {
            log_note("%zu .pto file(s) are newer than what was made of them, and not used: the first is %s",
                     s->units.count, s->units.items[0].shown);
        }
        return 0;
    }
    if (s->units.count) {
        rc = splice_stale(s, err);
    }
    if (rc == 0 || s->report->nchanged) {
        summarise(s);
    }
    return rc;
}

int splice_build(const char *build, const struct splice_options *options, struct splice_report *report,
                 struct error *err)
{
    struct splice_report unasked = {0};
    struct splice s = {.options = options,
                       .report = report ? report : &unasked,
                       .mutex = PTHREAD_MUTEX_INITIALIZER,
                       .ended = PTHREAD_COND_INITIALIZER};
    int rc;

    *s.report = (struct splice_report){0};
    if (options->off || is_off_by_environment()) {
        say(options, "skipped (%s)", options->off ? "rebuild_from_pto=False" : "PYPTO_REBUILD_FROM_PTO=0");
        s.report->skipped = SPLICE_OFF;
        return 0;
    }
    if (subbuilds_list(build, &s.programs, err)) {
        return -1;
    }
    rc = splice(&s, err);
    splice_units_free(&s.units);
    subbuilds_free(&s.programs);
    free(s.results);
    free(s.ptoas);
    splice_report_free(&unasked);
    return rc;
}

void splice_report_free(struct splice_report *report)
{
    for (size_t i = 0; i < report->nchanged; i++) {
        free(report->changed[i]);
    }
    free(report->changed);
    *report = (struct splice_report){0};
}
