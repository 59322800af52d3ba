#include "orchestrator/watch/watch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/private_dir.h"
#include "common/process/descendants.h"
#include "common/process/end_signals.h"
#include "orchestrator/watch/watch_files.h"
#include "orchestrator/watch/watch_keys.h"
#include "orchestrator/watch/watch_known.h"
#include "orchestrator/watch/watch_line.h"

enum { SETTLE_MS = 20, SETTLE_MOST_MS = 10000, EXIT_USAGE = 2, POLLED_MORE = 3 };

struct watch {
    const struct watch_options *o;
    char *build; /* real path */
    struct watch_files *files;
    struct watch_keys keys;
    int signals;
    struct private_dir dir;
    char *result_file;
    struct args argv;
    struct watch_replay replay;
    int64_t due_ms; /* when a replay starts; 0: none is due */
    bool asked;     /* for the one that is due, or runs: its line is printed in any case */
    bool running_asked;
    unsigned quiet; /* replays that found nothing changed, one after the other */
    unsigned nreplay;
    double before_ms; /* dispatches of the last replay with a line; negative: none ran */
    char verdict[8];  /* of the last one */
    bool leaves;
    int code;
};

/* --- opening ----------------------------------------------------------------------- */

static int open_watch(struct watch *w, struct error *err)
{
    w->build = realpath(w->o->build, NULL);
    if (!w->build) {
        return error_errno(err, w->o->build, "name a build directory", "cannot find it");
    }
    if (private_dir_make_temporary(&w->dir, "l3replay-watch.", err) < 0 ||
        !(w->result_file = file_join(w->dir.path, "result.json", err))) {
        return -1;
    }
    args_add(&w->argv, "%s", w->o->program);
    args_add(&w->argv, "run");
    args_add(&w->argv, "%s", w->build);
    args_add_all(&w->argv, (const char *const *)w->o->options->v, w->o->options->n);
    args_add(&w->argv, "--result=%s", w->result_file);
    process_adopt(); /* what a replay leaves behind is ended with it */
    if (args_done(&w->argv, err) < 0 || (w->signals = end_signals_open(err)) < 0 ||
        watch_files_open(&w->files, w->build, err) < 0 || watch_known_options(w->files, w->o->options, err) < 0) {
        return -1;
    }
    watch_keys_open(&w->keys, STDIN_FILENO);
    return 0;
}

static void close_watch(struct watch *w)
{
    watch_keys_close(&w->keys);
    watch_replay_free(&w->replay);
    watch_files_close(w->files);
    private_dir_remove(&w->dir);
    if (w->signals >= 0) {
        close(w->signals);
    }
    args_free(&w->argv);
    free(w->result_file);
    free(w->build);
}

/* --- replays ------------------------------------------------------------------------ */

/* More quiet replays in a row, longer waits. */
static void make_due(struct watch *w)
{
    int64_t wait = SETTLE_MS;

    for (unsigned i = 1; i < w->quiet && wait < SETTLE_MOST_MS; i++) {
        wait *= 2;
    }
    w->due_ms = clock_now_ms() + wait;
}

static void start(struct watch *w)
{
    struct error err;

    w->due_ms = 0;
    w->running_asked = w->asked;
    w->asked = false;
    if (watch_replay_start(&w->replay, &w->argv, w->result_file, &err) < 0) {
        error_print(&err);
        w->replay.process = NULL;
        w->leaves = true;
        w->code = 3;
    }
}

static void print_line(struct watch *w, const struct watch_result *r)
{
    char clock[16] = "", *text;
    const time_t now = time(NULL);
    struct tm local;

    if (localtime_r(&now, &local)) {
        strftime(clock, sizeof clock, "%H:%M:%S", &local);
    }
    text = w->o->json ? watch_line_json(r, w->before_ms) : watch_line_text(r, w->before_ms, clock);
    if (!text || puts(text) < 0 || fflush(stdout) != 0) {
        w->leaves = true; /* nobody reads what is watched */
    }
    free(text);
    if (strcmp(r->verdict, "PASS") != 0 && w->replay.nerrors) {
        log_bytes(w->replay.errors, w->replay.nerrors);
    }
}

/* What a replay without a line may be: nobody asked for it, and all is as it was. */
static bool is_quiet(const struct watch *w, const struct watch_result *r)
{
    return !w->running_asked && r->known && !r->changed.n && strcmp(r->verdict, w->verdict) == 0;
}

static void end_replay(struct watch *w, struct watch_result *r)
{
    struct error err;

    w->nreplay++;
    if (w->replay.was_stopped) {
        return; /* we leave */
    }
    if (r->exit_code == EXIT_USAGE && w->nreplay == 1) {
        log_bytes(w->replay.errors ? w->replay.errors : "", w->replay.nerrors);
        w->leaves = true;
        w->code = EXIT_USAGE;
        return;
    }
    if (is_quiet(w, r)) {
        w->quiet++;
    } else {
        w->quiet = 0;
        print_line(w, r);
        w->before_ms = r->span_ms >= 0 ? r->span_ms : w->before_ms;
    }
    snprintf(w->verdict, sizeof w->verdict, "%s", r->verdict);
    if (watch_known_files(w->files, w->build, &err) < 0) {
        log_msg(LOG_WARN, "not all files outside of the build are watched: %s", err.what);
    }
}

/* --- the loop ------------------------------------------------------------------------ */

static void take_signals(struct watch *w)
{
    while (end_signals_read(w->signals)) {
        w->leaves = true;
        watch_replay_stop(&w->replay);
    }
}

static void take_keys(struct watch *w)
{
    const enum watch_key key = watch_keys_read(&w->keys);

    if (key == WATCH_QUIT) {
        w->leaves = true;
        watch_replay_stop(&w->replay);
    } else if (key == WATCH_AGAIN) {
        w->asked = true;
        w->due_ms = clock_now_ms();
    }
}

static int patience(const struct watch *w)
{
    int64_t left = -1;

    if (w->due_ms && !w->replay.process) {
        left = w->due_ms - clock_now_ms();
        left = left > 0 ? left : 0;
    }
    return watch_replay_patience(&w->replay, (int)left);
}

static void wait_for_something(struct watch *w)
{
    struct pollfd fds[PROCESS_POLLS + POLLED_MORE], *more = fds + PROCESS_POLLS;

    watch_replay_poll(&w->replay, fds);
    more[0] = (struct pollfd){.fd = watch_files_fd(w->files), .events = POLLIN};
    more[1] = (struct pollfd){.fd = w->keys.fd, .events = POLLIN};
    more[2] = (struct pollfd){.fd = w->signals, .events = POLLIN};
    if (poll(fds, PROCESS_POLLS + POLLED_MORE, patience(w)) < 0 && errno != EINTR) {
        w->leaves = true;
        return;
    }
    if (more[0].revents && watch_files_read(w->files)) {
        make_due(w);
    }
    if (more[1].revents) {
        take_keys(w);
    }
    take_signals(w);
}

static void loop(struct watch *w)
{
    struct watch_result result;

    w->due_ms = clock_now_ms();
    w->asked = true;
    while (!w->leaves) {
        if (!w->replay.process && w->due_ms && clock_now_ms() >= w->due_ms) {
            start(w);
        }
        if (!w->leaves) {
            wait_for_something(w);
        }
        if (w->replay.process && watch_replay_update(&w->replay, w->result_file, &result)) {
            end_replay(w, &result);
            watch_result_free(&result);
        }
    }
}

int watch_run(const struct watch_options *o, struct error *err)
{
    struct watch w = {.o = o, .signals = -1, .dir = PRIVATE_DIR_NONE, .keys = {.fd = -1}, .before_ms = -1};
    int rc = open_watch(&w, err);

    if (rc == 0) {
        if (!o->json) {
            printf("watching %s: Enter replays again, q leaves\n", w.build);
            fflush(stdout);
        }
        loop(&w);
    }
    close_watch(&w);
    return rc < 0 ? -1 : w.code;
}
