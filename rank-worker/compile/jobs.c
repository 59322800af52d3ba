#include "rank-worker/compile/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { KEEPER_OUT = STDERR_FILENO + 1 };

struct slot {
    pid_t keeper; /* also its process group; 0: the slot is free */
    int fd;       /* read end of the output pipe */
    struct job_result result;
    size_t used;
};

struct job_pool {
    int width, running;
    struct pollfd *polls;
    struct slot *slots;
};

struct job_pool *job_pool_new(int width)
{
    struct job_pool *pool = calloc(1, sizeof *pool);

    if (!pool) {
        return NULL;
    }
    pool->width = width;
    pool->slots = calloc((size_t)width, sizeof *pool->slots);
    pool->polls = calloc((size_t)width, sizeof *pool->polls);
    if (!pool->slots || !pool->polls) {
        job_pool_free(pool);
        return NULL;
    }
    return pool;
}

static int reap(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void job_pool_free(struct job_pool *pool)
{
    if (!pool) {
        return;
    }
    for (int i = 0; pool->slots && i < pool->width; i++) {
        struct slot *slot = &pool->slots[i];
        if (!slot->keeper) {
            continue;
        }
        kill(-slot->keeper, SIGKILL);
        kill(slot->keeper, SIGKILL); /* when it had no time yet to make its group */
        reap(slot->keeper);
        close(slot->fd);
        free(slot->result.output);
    }
    free(pool->slots);
    free(pool->polls);
    free(pool);
}

int job_pool_running(const struct job_pool *pool)
{
    return pool->running;
}

bool job_pool_full(const struct job_pool *pool)
{
    return pool->running == pool->width;
}

static void kill_group(int sig)
{
    (void)sig;
    kill(0, SIGKILL);
}

/* Runs in the keeper's child, between fork and exec: async-signal-safe calls only. */
static _Noreturn void run_command(char *const *argv, char *const *envp, int out)
{
    static const char text[] = "cannot be executed\n";
    int null = open("/dev/null", O_RDONLY);

    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fcntl(out, F_SETFD, FD_CLOEXEC);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) {
        _exit(JOB_NOT_STARTED);
    }
    execve(argv[0], argv, envp);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(JOB_NOT_STARTED);
    }
    _exit(JOB_NOT_STARTED);
}

static _Noreturn void keep(pid_t parent, char *const *argv, char *const *envp, int out, const sigset_t *mask)
{
    struct sigaction on_term = {.sa_handler = kill_group};
    pid_t child;

    /* Descriptors of the pool's owner must close when it dies: sockets of its peers, locks. */
    if (out != KEEPER_OUT && dup2(out, KEEPER_OUT) < 0) {
        _exit(JOB_NOT_STARTED);
    }
    close_range(KEEPER_OUT + 1, ~0U, 0);
    setpgid(0, 0);
    for (int sig = 1; sig < NSIG; sig++) {
        signal(sig, SIG_DFL);
    }
    sigaction(SIGTERM, &on_term, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (getppid() != parent) {
        _exit(JOB_NOT_STARTED);
    }
    child = fork();
    if (child < 0) {
        _exit(JOB_NOT_STARTED);
    }
    if (child == 0) {
        run_command(argv, envp, KEEPER_OUT);
    }
    /* The pipe stays open here, so that its end means that the command has ended, even one that closed its output. */
    _exit(reap(child));
}

int job_start(struct job_pool *pool, char *const *argv, char *const *envp, void *tag, struct error *err)
{
    struct slot *slot = pool->slots;
    sigset_t all, old, none;
    pid_t parent = getpid();
    int fds[2], saved;

    while (slot->keeper) {
        slot++;
    }
    if (pipe2(fds, O_CLOEXEC) < 0) {
        return error_errno(err, NULL, "raise the limit of open files (ulimit -n)", "cannot make a pipe for %s",
                           argv[0]);
    }
    slot->result = (struct job_result){.tag = tag, .output = malloc(JOB_OUTPUT_MAX + 1)};
    slot->used = 0;
    if (!slot->result.output) {
        close(fds[0]);
        close(fds[1]);
        return error_nomem(err, argv[0], JOB_OUTPUT_MAX + 1);
    }
    /* No handler of ours may run in the child before it has its own. */
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, &old);
    slot->keeper = fork();
    if (slot->keeper == 0) {
        keep(parent, argv, envp ? envp : environ, fds[1], &none);
    }
    saved = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(fds[1]);
    if (slot->keeper < 0) {
        slot->keeper = 0;
        close(fds[0]);
        free(slot->result.output);
        errno = saved;
        return error_errno(err, NULL, "end other processes on this host", "cannot start %s", argv[0]);
    }
    setpgid(slot->keeper, slot->keeper); /* as the keeper does: whoever comes first */
    slot->fd = fds[0];
    pool->running++;
    return 0;
}

/* Take what the pipe holds. Returns true at its end. */
static bool drain(struct slot *slot)
{
    char dropped[4096];
    size_t room = JOB_OUTPUT_MAX - slot->used;
    ssize_t n;

    n = room ? read(slot->fd, slot->result.output + slot->used, room) : read(slot->fd, dropped, sizeof dropped);
    if (n < 0) {
        return errno != EINTR && errno != EAGAIN;
    }
    if (n > 0 && room == 0) {
        slot->result.cut = true;
    } else {
        slot->used += (size_t)n;
    }
    return n == 0;
}

static void finish(struct job_pool *pool, struct slot *slot, struct job_result *result)
{
    slot->result.output[slot->used] = '\0';
    *result = slot->result;
    close(slot->fd);
    result->code = reap(slot->keeper);
    slot->keeper = 0;
    pool->running--;
}

int job_wait(struct job_pool *pool, int timeout_ms, struct job_result *result, struct error *err)
{
    long end = clock_now_ms() + timeout_ms;

    while (pool->running > 0) {
        int left = timeout_ms < 0 ? -1 : (int)(end - clock_now_ms());
        for (int i = 0; i < pool->width; i++) {
            pool->polls[i] = (struct pollfd){.fd = pool->slots[i].keeper ? pool->slots[i].fd : -1, .events = POLLIN};
        }
        if (timeout_ms >= 0 && left < 0) {
            left = 0;
        }
        int n = poll(pool->polls, (nfds_t)pool->width, left);
        if (n < 0 && errno != EINTR) {
            return error_errno(err, NULL, NULL, "cannot wait for the compilers");
        }
        if (n == 0) {
            return 0;
        }
        for (int i = 0; n > 0 && i < pool->width; i++) {
            if (pool->polls[i].revents && drain(&pool->slots[i])) {
                finish(pool, &pool->slots[i], result);
                return 1;
            }
        }
    }
    return 0;
}

int job_run(char *const *argv, char *const *envp, int timeout_ms, struct job_result *result, struct error *err)
{
    struct job_pool *pool = job_pool_new(1);
    int rc = -1;

    if (!pool) {
        return error_nomem(err, argv[0], 1);
    }
    if (job_start(pool, argv, envp, NULL, err) == 0) {
        rc = job_wait(pool, timeout_ms, result, err);
        if (rc == 0) {
            rc = error_set(err, NULL, "check the program, or name another one", "%s does not end", argv[0]);
        } else if (rc > 0) {
            rc = 0;
        }
    }
    job_pool_free(pool);
    return rc;
}
