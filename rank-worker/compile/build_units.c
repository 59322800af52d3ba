#include "rank-worker/compile/build_units.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "rank-worker/compile/jobs.h"
#include "rank-worker/compile/store_entry.h"
#include "rank-worker/compile/store_use.h"
#include "rank-worker/compile/unit_command.h"

enum {
    LOCK_POLL_MS = 20,    /* between two looks whether another process has finished the same object */
    LOCK_PATIENCE_S = 30, /* after which it is compiled here as well: that process may be stopped */
    MAX_RERUNS = 5,       /* compiles of one source whose files change meanwhile */
};

struct build {
    struct unit *units;
    size_t n;
    const struct unit_env *env;
    struct job_pool *pool;
    bool quiet, terminal;
    bool without_ccache; /* it does not work here */
    bool headers_alone;  /* there is nothing else to build */
    bool stuck;          /* a compiler overran its limit: the next would take as long */
    uint32_t announced, total;
    struct build_counts *counts;
};

static void settle(struct unit *u, enum unit_state state)
{
    u->state = state;
    store_unlock(u->lock);
    u->lock = -1;
}

static void announce(struct build *b, const struct unit *u)
{
    if (b->quiet) {
        return;
    }
    if (u->kind == UNIT_HEADER) {
        log_msg(LOG_INFO, "compile %s", u->label);
        return;
    }
    b->announced++;
    if (b->terminal) {
        dprintf(STDERR_FILENO, "compile %u/%u %s\n", b->announced, b->total, u->label);
    } else {
        log_msg(LOG_INFO, "compile %u/%u %s", b->announced, b->total, u->label);
    }
}

/* ccache, as long as it works here. */
static const char *ccache_of(const struct build *b)
{
    return b->without_ccache ? NULL : b->env->ccache;
}

/* The first attempt's command is the one that is reported. */
static int note_command(struct unit *u, const struct unit_env *env, struct error *err)
{
    struct args whole = {0};
    int rc = u->command ? 0 : unit_whole_command(u, env, &whole, err);

    if (!u->command) {
        u->command = rc == 0 ? args_text(&whole) : NULL;
    }
    args_free(&whole);
    return rc;
}

/* Run what is next of the unit's commands. */
static int start(struct build *b, struct unit *u, struct error *err)
{
    struct job job = {.envp = b->env->env.v, .tag = u, .limit_ms = b->env->limit_s * 1000};
    struct args argv = {0};
    int rc;

    if (!u->linking) {
        u->with_header = u->attempt == 1 && u->header && u->header->state == UNIT_DONE;
        clock_gettime(CLOCK_REALTIME, &u->begun); /* what matters is when the sources were read */
    }
    rc = note_command(u, b->env, err);
    if (rc == 0) {
        rc = unit_next_command(u, b->env, ccache_of(b), &argv, err);
    }
    if (rc == 0) {
        job.argv = argv.v;
        rc = job_start(b->pool, &job, err);
    }
    if (rc == 0) {
        u->state = UNIT_RUNNING;
    }
    args_free(&argv);
    return rc;
}

static bool has_failed_twin(const struct build *b, const struct unit *u)
{
    for (size_t i = 0; i < b->n; i++) {
        if (b->units[i].state == UNIT_FAILED && key_equal(b->units[i].first, u->first)) {
            return true;
        }
    }
    return false;
}

static bool has_done_twin(const struct build *b, const struct unit *u)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct unit *v = &b->units[i];
        if (v != u && v->state == UNIT_DONE && v->object && strcmp(v->object, u->object) == 0) {
            return true;
        }
    }
    return false;
}

/* Take the lock of the unit. 1 taken (or patience ended), 0 another has it, -1 on error. */
static int take_lock(const struct build *b, struct unit *u, struct error *err)
{
    struct timespec now;

    u->lock = store_lock(&b->env->store, u->first, err);
    if (u->lock != STORE_LOCK_BUSY) {
        return u->lock < 0 ? -1 : 1;
    }
    u->lock = -1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (u->blocked.tv_sec == 0) {
        u->blocked = now;
    }
    if (now.tv_sec - u->blocked.tv_sec <= LOCK_PATIENCE_S) {
        return 0;
    }
    log_note("%s is compiled here as well: another process began it %d s ago, and is not done", u->label,
             LOCK_PATIENCE_S);
    return 1;
}

/* Start a waiting unit if that can be. 1 started or settled, 0 it has to wait, -1 on error. */
static int advance(struct build *b, struct unit *u, struct error *err)
{
    int rc;

    if (b->stuck || has_failed_twin(b, u)) {
        u->left_out = b->stuck;
        settle(u, UNIT_FAILED);
        return 1;
    }
    rc = take_lock(b, u, err);
    if (rc <= 0) {
        return rc;
    }
    rc = unit_lookup(u, b->env, err);
    if (rc < 0) {
        return -1;
    }
    if (rc > 0) { /* it was not there when the job began */
        b->counts->built += u->kind != UNIT_HEADER && !has_done_twin(b, u);
        b->total -= u->kind != UNIT_HEADER && b->total > 0;
        settle(u, UNIT_DONE);
        return 1;
    }
    size_t index = (size_t)(u - b->units);
    u->attempt = 1;
    u->output_path = text_format("%s/%zu.out", b->env->store.tmp, index);
    u->deps_path = text_format("%s/%zu.d", b->env->store.tmp, index);
    if (unit_is_linked_apart(u, b->env, ccache_of(b))) {
        u->object_path = text_format("%s/%zu.o", b->env->store.tmp, index);
    }
    if (!u->output_path || !u->deps_path || (unit_is_linked_apart(u, b->env, ccache_of(b)) && !u->object_path)) {
        return error_nomem(err, u->source, 1);
    }
    announce(b, u);
    return start(b, u, err) < 0 ? -1 : 1;
}

/* Keep what there is to report of a source that does not compile (failures.h). */
static void give_up(struct build *b, struct unit *u, struct job_result *result)
{
    if (!u->first_output) {
        u->first_output = result->output;
        result->output = NULL;
        u->cut = result->cut;
    }
    u->timed_out = result->timed_out ? b->env->limit_s : 0;
    b->stuck = b->stuck || (result->timed_out && u->kind != UNIT_HEADER);
    u->signal = result->code > 128 ? result->code - 128 : 0;
    if (u->kind == UNIT_HEADER) {
        log_msg(LOG_DEBUG, "%s cannot be made: %s", u->label, u->first_output);
    } else {
        u->unknown_kind = unknown_name(u->first_output, u->unknown, sizeof u->unknown);
    }
    settle(u, UNIT_FAILED);
}

static bool is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec > b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec > b.tv_nsec);
}

/* Name what was built: read the header list, hash, keep. A file that changed since the compiler began may have been
 * read before or after: compile again until two runs agree on what they could have read.
 * 1 kept, 0 to be compiled again, -1 on error. */
static int keep(struct build *b, struct unit *u, struct error *err)
{
    static const char hint[] = "run again when nothing writes to the build";
    struct timespec newest = {0};
    struct made_of made = {.known = true, .source = u->text};
    struct key key = {0}, text;
    const char *pch = u->with_header ? u->header->source : NULL;
    int rc;

    hashes_refresh(b->env->hashes);
    rc = deps_read(
        u->deps_path,
        &(struct deps_places){
            .dir = u->dir, .cwd = b->env->stack ? b->env->stack->directory : NULL, .source = u->source, .other = pch},
        &made.headers, err);

    if (rc == 0) {
        rc = deps_key(b->env->hashes, u->dir, &made, u->first, &key, &newest, err);
    }
    if (rc == 0) {
        rc = error_set(err, u->source, hint, "a header of %s went away while it was being compiled", u->label);
    }
    if (rc > 0 && (hashes_file(b->env->hashes, u->source, &text, &newest) < 0 || !key_equal(text, u->text))) {
        rc = error_set(err, u->source, hint, "%s changed while it was being compiled", u->label);
    }
    if (rc > 0 && is_later(newest, u->begun) && !(u->reruns > 0 && key_equal(key, u->seen))) {
        u->seen = key;
        rc = u->reruns++ < MAX_RERUNS ? 0
                                      : error_set(err, u->source, hint, "headers of %s change all the time", u->label);
    } else if (rc > 0) {
        u->object = unit_object_path(u, b->env, key);
        rc = u->object ? store_use(&b->env->store, u->object, err) : error_nomem(err, u->source, 1);
        if (rc == 0) {
            rc = unit_seal(u, b->env, err);
        }
        if (rc == 0) {
            rc = store_publish(u->output_path, u->object, u->kind == UNIT_HEADER, err);
        }
        if (rc == 0) {
            rc = store_use(&b->env->store, u->list, err);
        }
        if (rc == 0) {
            rc = deps_save(&b->env->store, u->list, &made.headers, err) < 0 ? -1 : 1;
        }
    }
    made_of_free(&u->made);
    u->made = made;
    return rc;
}

/* ccache says itself when it is at fault, as when its directory cannot be written. It is an aid: go on without. */
static bool is_fault_of_ccache(struct build *b, struct unit *u, const struct job_result *result)
{
    const char *said = u->object_path && !u->linking && result->code ? strstr(result->output, "ccache: error: ") : NULL;

    if (!said) {
        return false;
    }
    if (!b->without_ccache) {
        said += strlen("ccache: error: ");
        log_note("compiled without ccache, which does not work here: %.*s", (int)strcspn(said, "\n"), said);
    }
    b->without_ccache = true;
    if (!unit_is_linked_apart(u, b->env, ccache_of(b))) {
        free(u->object_path);
        u->object_path = NULL;
    }
    return true;
}

static bool unit_is_made(const struct unit *u)
{
    return u->kind == UNIT_HEADER ? store_is_file(u->output_path) : store_is_elf(u->output_path);
}

static int ended(struct build *b, struct job_result *result, struct error *err)
{
    struct unit *u = result->tag;
    bool compiled_only = u->object_path && !u->linking;
    int rc = 0;

    u->linking = result->code == 0 && compiled_only;
    if (is_fault_of_ccache(b, u, result) || u->linking) {
        rc = start(b, u, err);
    } else if (result->code == 0 && !unit_is_made(u)) {
        rc = error_set(err, u->source, NULL, "the compiler says it is done with %s and left no object", u->label);
    } else if (result->code == 0) {
        if (*result->output) {
            log_msg(LOG_DEBUG, "%s: %.2000s", u->label, result->output);
        }
        rc = keep(b, u, err);
        if (rc == 0) {
            rc = start(b, u, err);
        } else if (rc > 0) {
            b->counts->built += u->kind != UNIT_HEADER;
            settle(u, UNIT_DONE);
            rc = 0;
        }
    } else if (u->attempt == 1 && u->kind != UNIT_HEADER && result->code < 128 && (!b->env->stack || u->with_header)) {
        u->attempt = 2;
        u->first_output = result->output;
        u->cut = result->cut;
        result->output = NULL;
        rc = start(b, u, err);
    } else {
        give_up(b, u, result);
    }
    free(result->output);
    return rc;
}

/* A header that no source waits for any more is not worth a wait (headers_later.h). */
static bool is_over(const struct build *b)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct unit *u = &b->units[i];

        if (u->kind != UNIT_HEADER && (u->state == UNIT_WAITING || u->state == UNIT_RUNNING)) {
            return false;
        }
    }
    return !b->headers_alone;
}

/* Until every source is settled, or, where there are but headers, every header. */
static int run(struct build *b, struct error *err)
{
    struct job_result result;
    int rc;

    while (!is_over(b)) {
        size_t waiting = 0;
        for (size_t i = 0; i < b->n; i++) {
            if (b->units[i].state != UNIT_WAITING) {
                continue;
            }
            rc = job_pool_full(b->pool) ? 0 : advance(b, &b->units[i], err);
            if (rc < 0) {
                return -1;
            }
            waiting += rc == 0;
        }
        if (waiting == 0 && job_pool_running(b->pool) == 0) {
            return 0;
        }
        if (job_pool_running(b->pool) == 0) {
            poll(NULL, 0, LOCK_POLL_MS);
            continue;
        }
        rc = job_wait(b->pool, waiting && !job_pool_full(b->pool) ? LOCK_POLL_MS : -1, &result, err);
        if (rc < 0 || (rc > 0 && ended(b, &result, err) < 0)) {
            return -1;
        }
    }
    return 0;
}

int build_units(struct unit *units, size_t n, const struct unit_env *env, int jobs, bool quiet,
                struct build_counts *counts, struct error *err)
{
    struct build b = {.units = units, .n = n, .env = env, .quiet = quiet, .counts = counts};
    int rc;

    b.terminal = isatty(STDERR_FILENO);
    for (size_t i = 0; i < n; i++) {
        b.total += units[i].state == UNIT_WAITING && units[i].kind != UNIT_HEADER;
    }
    b.headers_alone = b.total == 0;
    b.pool = job_pool_new(jobs);
    if (!b.pool) {
        return error_nomem(err, "compile", (unsigned long long)jobs);
    }
    rc = run(&b, err);
    job_pool_free(b.pool);
    for (size_t i = 0; i < n; i++) {
        if (units[i].kind == UNIT_HEADER && units[i].state != UNIT_DONE) {
            settle(&units[i], UNIT_FAILED); /* what was left or killed */
        }
    }
    return rc;
}
