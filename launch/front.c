#include "launch/front.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/oom_kills.h"
#include "common/base/passed_signal.h"
#include "common/base/result_marker.h"
#include "common/process/descendants.h"
#include "common/process/end_signals.h"
#include "common/process/process.h"
#include "launch/mpi_dirs.h"
#include "launch/mpirun.h"
#include "launch/mpirun_notices.h"
#include "launch/relay.h"

#define ALONE_VARIABLE "L3REPLAY_ALONE"

enum {
    EXIT_FAIL = 1,
    EXIT_USAGE = 2,
    EXIT_INFRA = 3,
    PATIENCE_MS = 4000,
    CLOSING_MS = 1000,
    AGAIN_MS = 2000, /* with a second signal: mpirun passes the last words of process 0 on a second after the first */
    KILL_MS = 2000,
    LOOK_MS = 500
};

struct front {
    struct relay relay, log; /* of stdout and stderr */
    struct mpirun_notices notices;
    const char *program; /* path of what was started */
    struct process *job; /* mpirun, or the one process of the job */
    bool alone;          /* the latter */
    int status;
    int signals; /* signalfd; -1: none */
    int asked;   /* signals that were got; the first was passed on */
    bool late;   /* no process of the job began in time */
    struct mpi_dirs dirs;
    double start_timeout; /* seconds; 0: no limit */
    int64_t start_by_ms;  /* CLOCK_MONOTONIC; 0: a process of the job has begun, or there is no limit */
    int64_t asked_ms;     /* the same, of the first signal */
    int64_t deadline;     /* the same, at which everything is killed; 0: none */
};

static const char *rank_variable(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
    const char *tasks, *value;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        value = getenv(names[i]);
        if (value && *value) {
            return value;
        }
    }
    /* A launcher that gives a rank by PMI gives the way to itself too; alone it is a left-over of another job's shell. */
    value = getenv("PMI_RANK");
    if (value && *value && (getenv("PMI_FD") || getenv("PMI_PORT"))) {
        return value;
    }
    /* srun sets these for its tasks, and a batch script inherits none of the step's. */
    tasks = getenv("SLURM_STEP_NUM_TASKS");
    return tasks && atoi(tasks) > 1 && getenv("SLURM_STEP_ID") ? getenv("SLURM_PROCID") : NULL;
}

bool launch_under_mpi(void)
{
    return rank_variable() != NULL;
}

int launch_rank(void)
{
    const char *rank = rank_variable();

    return rank ? atoi(rank) : 0;
}

/* A process alone has our stdin and stderr; of a job, mpirun would pass stdin to the first process only. */
static int start(struct front *f, char **command, struct error *err)
{
    const struct process_options options = {
        .argv = (const char *const *)command,
        .streams = {f->alone ? PROCESS_OURS : PROCESS_NULL, PROCESS_PIPE, f->alone ? PROCESS_OURS : PROCESS_PIPE},
        .own_group = true,
        .death_signal = SIGTERM, /* when the front is killed, mpirun ends its processes and tidies up */
        .drain_ms = CLOSING_MS,  /* for the last words of what it leaves behind */
    };

    f->program = command[0];
    f->signals = end_signals_open(err);
    if (f->signals < 0) {
        return -1;
    }
    /* What the job leaves behind when it is killed becomes our child, and can be found. */
    process_adopt();
    return process_start(&f->job, &options, err);
}

static void take_signals(struct front *f)
{
    int sig;

    while ((sig = end_signals_read(f->signals))) {
        const int64_t now = clock_now_ms();

        f->asked++;
        if (f->asked == 1) {
            f->asked_ms = now;
            f->deadline = now + PATIENCE_MS;
            passed_signal_set(sig);
            process_signal(f->job, sig);
        } else if (f->deadline) {
            f->deadline = f->asked == 2 && f->asked_ms + AGAIN_MS > now ? f->asked_ms + AGAIN_MS : now;
        }
    }
}

static void kill_all(struct front *f)
{
    process_kill(f->job);
    process_wait(f->job, KILL_MS);
    process_end_all(KILL_MS);
}

/* Until a process of the job begins, mpirun is watched; from then on each watches over its own start. */
static void watch_start(struct front *f)
{
    if (mpi_dirs_is_started(&f->dirs)) {
        f->start_by_ms = 0;
    } else if (clock_now_ms() >= f->start_by_ms) {
        f->start_by_ms = 0;
        f->late = true;
        kill_all(f);
    }
}

static void pass_stdout(struct front *f)
{
    char bytes[16384];
    ssize_t n = process_read(f->job, PROCESS_STDOUT, bytes, sizeof bytes);

    if (n > 0) {
        relay_pass(&f->relay, bytes, (size_t)n, STDOUT_FILENO);
    }
}

static void pass_stderr(struct front *f)
{
    char bytes[16384], others[sizeof bytes + NOTICE_MAX];
    ssize_t n = process_read(f->job, PROCESS_STDERR, bytes, sizeof bytes);

    if (n > 0) {
        relay_pass(&f->log, others, mpirun_notices_take(&f->notices, bytes, (size_t)n, others), STDERR_FILENO);
    }
}

/* What was kept back and is no notice. */
static void end_stderr(struct front *f)
{
    char others[NOTICE_MAX];

    relay_pass(&f->log, others, mpirun_notices_end(&f->notices, others), STDERR_FILENO);
}

/* Until the job ended and nobody holds its output open. mpirun does not write to our stderr itself: it would give up
 * when nobody reads that. */
static void watch(struct front *f)
{
    while (process_update(f->job) != PROCESS_ENDED) {
        struct pollfd fds[PROCESS_POLLS + 1];
        int64_t left = f->deadline ? f->deadline - clock_now_ms() : -1;

        if (f->deadline && left <= 0) {
            kill_all(f);
            f->deadline = 0;
            left = -1;
        }
        if (f->start_by_ms) {
            watch_start(f);
            left = left < 0 || left > LOOK_MS ? LOOK_MS : left;
        }
        process_poll(f->job, fds);
        fds[PROCESS_POLLS] = (struct pollfd){.fd = f->signals, .events = POLLIN};
        if (poll(fds, PROCESS_POLLS + 1, process_patience(f->job, (int)left)) < 0 && errno != EINTR) {
            break;
        }
        pass_stderr(f);
        pass_stdout(f);
        take_signals(f);
    }
    end_stderr(f);
    f->status = process_status(f->job);
    process_free(f->job); /* and with it what is left */
    f->job = NULL;
}

/* A process of the job was ended by a signal, and not because we were asked to end it. */
static bool lost_process(const struct front *f, struct error *err)
{
    if (!f->notices.signal || f->asked) {
        return false;
    }
    error_set(err, NULL,
              f->notices.signal == SIGKILL ? oom_kills_hint()
                                           : "see what is printed above, and report a crash of l3replay",
              "process %d of the job, on host %s, was ended by signal %d (%s)", f->notices.rank, f->notices.host,
              f->notices.signal, strsignal(f->notices.signal));
    return true;
}

/* Why there is no marker. */
static void explain(const struct front *f, struct error *err)
{
    if (f->late) {
        error_set(err, f->program, mpirun_hint(), "mpirun started no process of the job within %.0f s",
                  f->start_timeout);
    } else if (f->asked > 1) {
        error_set(err, NULL, NULL, "the replay was interrupted twice, and killed before it had a result");
    } else if (lost_process(f, err)) {
        return;
    } else if (WIFSIGNALED(f->status)) {
        error_set(err, NULL, WTERMSIG(f->status) == SIGKILL ? oom_kills_hint() : NULL,
                  "the replay was ended by signal %d (%s) before it had a result", WTERMSIG(f->status),
                  strsignal(WTERMSIG(f->status)));
    } else {
        error_set(err, NULL, f->asked || f->alone ? NULL : mpirun_hint(),
                  "the replay %s before it had a result (%s: code %d)", f->asked ? "was interrupted" : "ended",
                  f->program, WEXITSTATUS(f->status));
    }
}

static int conclude(struct front *f)
{
    bool in_line = f->relay.in_line;
    struct error err;
    int code;

    relay_watch(&f->relay, "\n", 1);
    code = relay_exit_code(&f->relay);
    if (f->relay.lost) {
        error_set(&err, "stdout", "keep the reader of the output until its end, or give it the space it needs",
                  "the result could not be written: the replay ended with exit code %d", code);
        error_print(&err);
        return code == EXIT_FAIL ? EXIT_FAIL : EXIT_INFRA; /* only a PASS is lowered */
    }
    if (code == EXIT_INFRA && lost_process(f, &err)) {
        err.hint[0] = '\0'; /* process 0 gave one, if it could */
        error_print(&err);
    }
    if (code >= 0) {
        return code;
    }
    if (WIFEXITED(f->status) && WEXITSTATUS(f->status) == EXIT_USAGE) {
        return EXIT_USAGE;
    }
    explain(f, &err);
    error_print(&err);
    printf("%s" RESULT_NOTHING_CHECKED RESULT_MARKER "INFRA\n", in_line ? "\n" : "");
    fflush(stdout);
    return EXIT_INFRA;
}

static int fail(const struct error *err)
{
    error_print(err);
    puts(RESULT_NOTHING_CHECKED RESULT_MARKER "INFRA");
    fflush(stdout);
    return EXIT_INFRA;
}

/* The command of the job, in one block to be freed; what it needs in the environment and of directories. */
static char **prepare_job(struct front *f, int nproc, const char *exe, int argc, char **argv, struct error *err)
{
    char **command = mpirun_command(nproc, exe, argc, argv, err);

    f->start_by_ms = f->start_timeout > 0 ? clock_now_ms() + (int64_t)(f->start_timeout * 1e3) : 0;
    if (command && (mpirun_environment(err) < 0 || mpi_dirs_open(&f->dirs, nproc, err) < 0)) {
        free(command);
        return NULL;
    }
    return command;
}

/* `begun`: when this process began, or 1: the marked one counts from its own start. */
static int mark_alone(uint64_t begun, struct error *err)
{
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)begun);
    return setenv(ALONE_VARIABLE, text, 1) < 0 ? error_errno(err, ALONE_VARIABLE, NULL, "cannot set it") : 0;
}

int launch_mark_alone(struct error *err)
{
    return mark_alone(1, err);
}

static char **prepare_alone(char *exe, int argc, char **argv, struct error *err)
{
    char **command = calloc((size_t)argc + 2, sizeof *command);

    if (!command) {
        error_nomem(err, "command line", (unsigned long long)argc);
        return NULL;
    }
    command[0] = exe;
    memcpy(command + 1, argv, (size_t)argc * sizeof *argv);
    if (mark_alone(clock_now_ns(), err) < 0) {
        free(command);
        return NULL;
    }
    return command;
}

bool launch_is_alone(uint64_t *begun_ns)
{
    const char *value = getenv(ALONE_VARIABLE);
    const uint64_t begun = value ? strtoull(value, NULL, 10) : 0, now = clock_now_ns();

    *begun_ns = begun > 1 && begun < now ? begun : now;
    unsetenv(ALONE_VARIABLE); /* what we start is not alone in this sense */
    return begun > 0;
}

int launch_self(int nproc, double start_timeout, int argc, char **argv)
{
    struct front f = {.signals = -1, .alone = nproc == 0, .start_timeout = start_timeout, .dirs = MPI_DIRS_NONE};
    char exe[PATH_MAX], **command = NULL;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    struct error err;
    int code;

    if (n < 0) {
        error_errno(&err, "/proc/self/exe", "mount /proc", "cannot find this program");
        return fail(&err);
    }
    exe[n] = '\0';
    fflush(stdout);
    oom_kills_begin();
    signal(SIGPIPE, SIG_IGN);
    command = f.alone ? prepare_alone(exe, argc, argv, &err) : prepare_job(&f, nproc, exe, argc, argv, &err);
    if (!command || start(&f, command, &err) < 0) {
        code = fail(&err);
    } else {
        watch(&f);
        code = conclude(&f);
    }
    mpi_dirs_close(&f.dirs);
    free(command);
    if (f.signals >= 0) {
        close(f.signals);
    }
    return code;
}
