#include "launch/front.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/log.h"
#include "common/base/result_marker.h"
#include "launch/mpirun.h"
#include "launch/relay.h"

enum { EXIT_FAIL = 1, EXIT_USAGE = 2, EXIT_INFRA = 3, PATIENCE_MS = 4000, CLOSING_MS = 1000 };

struct front {
    struct relay relay, log; /* of stdout and stderr */
    const char *program;     /* mpirun's path */
    pid_t mpirun;            /* leader of its own process group; 0 once it was waited for */
    int status;
    int output, messages; /* read ends of its stdout and stderr */
    int signals;          /* signalfd */
    bool asked;           /* a signal was passed on */
    long deadline;        /* CLOCK_MONOTONIC ms at which everything is killed; 0: none */
};

static const char *rank_variable(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *tasks;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) {
            return value;
        }
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

/* Runs in the child. */
static _Noreturn void become_mpirun(char **command, int output, int messages, pid_t parent, const sigset_t *mask)
{
    struct error err;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    setpgid(0, 0);
    /* When the front is killed, mpirun ends its processes and tidies up. */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (getppid() != parent) {
        _exit(EXIT_INFRA);
    }
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(messages, STDERR_FILENO) >= 0) {
        execv(command[0], command);
    }
    error_errno(&err, NULL, "install the package openmpi-bin again", "cannot start %s", command[0]);
    error_print(&err);
    _exit(EXIT_INFRA);
}

/* A descriptor below 3 stands for a closed standard stream, and would be overwritten by the child's dup2(). */
static int make_pipe(int fds[2])
{
    if (pipe2(fds, O_CLOEXEC) < 0) {
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        int high = fds[i] > STDERR_FILENO ? fds[i] : fcntl(fds[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (high < 0) {
            return -1;
        }
        if (high != fds[i]) {
            close(fds[i]);
        }
        fds[i] = high;
    }
    return 0;
}

static int start(struct front *f, char **command, struct error *err)
{
    sigset_t taken, before;
    pid_t parent = getpid();
    int output[2], messages[2];

    f->program = command[0];
    sigemptyset(&taken);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGHUP);
    sigaddset(&taken, SIGCHLD);
    if (make_pipe(output) < 0 || make_pipe(messages) < 0) {
        return error_errno(err, NULL, "raise the limit of open files (ulimit -n)", "cannot make a pipe for mpirun");
    }
    sigprocmask(SIG_BLOCK, &taken, &before);
    f->output = output[0];
    f->messages = messages[0];
    f->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    /* What mpirun leaves behind when it is killed becomes our child, and can be found. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    f->mpirun = f->signals < 0 ? -1 : fork();
    if (f->mpirun == 0) {
        become_mpirun(command, output[1], messages[1], parent, &before);
    }
    close(output[1]);
    close(messages[1]);
    if (f->mpirun < 0) {
        f->mpirun = 0;
        return error_errno(err, NULL, "end other processes on this host", "cannot start mpirun");
    }
    setpgid(f->mpirun, f->mpirun);
    return 0;
}

/* Children that the kernel gave to us; a process may die while we look, which is as good. */
static void kill_children(void)
{
    char path[64];
    FILE *list;
    long pid;

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    list = fopen(path, "re");
    if (!list) {
        return;
    }
    while (fscanf(list, "%ld", &pid) == 1) {
        kill((pid_t)pid, SIGKILL);
    }
    fclose(list);
}

static void reap(struct front *f, int flags)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, flags)) != 0) {
        if (pid < 0 && errno != EINTR) {
            return;
        }
        if (pid > 0 && pid == f->mpirun) {
            f->mpirun = 0;
            f->status = status;
        }
        if (flags == 0) {
            kill_children(); /* the dead one's own children are ours now */
        }
    }
}

static void kill_all(struct front *f)
{
    if (f->mpirun) {
        kill(-f->mpirun, SIGKILL);
    }
    kill_children();
    reap(f, 0);
}

static void take_signals(struct front *f)
{
    struct signalfd_siginfo info;

    while (read(f->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGCHLD) {
            bool ran = f->mpirun != 0;
            reap(f, WNOHANG);
            if (ran && !f->mpirun) { /* what it left behind has this long to write its last words */
                f->deadline = clock_now_ms() + CLOSING_MS;
            }
        } else if (f->asked) {
            f->deadline = clock_now_ms();
        } else {
            f->asked = true;
            f->deadline = clock_now_ms() + PATIENCE_MS;
            if (f->mpirun) {
                kill(f->mpirun, (int)info.ssi_signo);
            }
        }
    }
}

/* Until mpirun ended and nobody holds its output open. mpirun does not write to our stderr itself: it would give up
 * when nobody reads that. */
static void watch(struct front *f)
{
    bool open = true, log_open = true;

    while (open || log_open || f->mpirun) {
        struct pollfd fds[] = {{.fd = log_open ? f->messages : -1, .events = POLLIN},
                               {.fd = open ? f->output : -1, .events = POLLIN},
                               {.fd = f->signals, .events = POLLIN}};
        long left = f->deadline ? f->deadline - clock_now_ms() : -1;
        if (f->deadline && left <= 0) {
            kill_all(f);
            f->deadline = 0;
            continue;
        }
        if (poll(fds, 3, (int)left) < 0) {
            if (errno == EINTR) {
                continue;
            }
            break;
        }
        if (fds[0].revents) {
            log_open = relay_pass(&f->log, f->messages, STDERR_FILENO);
        }
        if (fds[1].revents) {
            open = relay_pass(&f->relay, f->output, STDOUT_FILENO);
        }
        if (fds[2].revents) {
            take_signals(f);
        }
    }
    kill_all(f);
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
    if (code >= 0) {
        return code;
    }
    if (WIFEXITED(f->status) && WEXITSTATUS(f->status) == EXIT_USAGE) {
        return EXIT_USAGE;
    }
    if (WIFSIGNALED(f->status)) {
        error_set(&err, NULL, NULL, "the replay was ended by signal %d (%s) before it had a result",
                  WTERMSIG(f->status), strsignal(WTERMSIG(f->status)));
    } else {
        error_set(&err, NULL, f->asked ? NULL : mpirun_hint(), "the replay %s before it had a result (%s: code %d)",
                  f->asked ? "was interrupted" : "ended", f->program, WEXITSTATUS(f->status));
    }
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

int launch_self(int nproc, int argc, char **argv)
{
    struct front f = {.output = -1, .messages = -1, .signals = -1};
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
    signal(SIGPIPE, SIG_IGN);
    command = mpirun_command(nproc, exe, argc, argv, &err);
    if (!command || mpirun_environment(&err) < 0 || start(&f, command, &err) < 0) {
        code = fail(&err);
    } else {
        watch(&f);
        code = conclude(&f);
    }
    free(command);
    if (f.output >= 0) {
        close(f.output);
    }
    if (f.messages >= 0) {
        close(f.messages);
    }
    if (f.signals >= 0) {
        close(f.signals);
    }
    return code;
}
