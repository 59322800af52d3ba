/* Child processes: what they inherit, how they end, and what is left of them. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/process/descendants.h"
#include "common/process/inherited.h"
#include "common/process/process.h"
#include "tests/support/temp_dir.h"

/* What a run gave. */
struct run {
    char out[4096], err[4096];
    int status;
    bool timed_out;
};

static void collect(struct process *p, enum process_stream stream, char *text, size_t size)
{
    size_t used = strlen(text);
    ssize_t n;

    while ((n = process_read(p, stream, text + used, size - 1 - used)) > 0) {
        used += (size_t)n;
        text[used] = '\0';
    }
}

static void finish(struct process *p, struct run *r)
{
    struct pollfd fds[PROCESS_POLLS];

    alarm(60);
    do {
        process_poll(p, fds);
        assert_true(poll(fds, PROCESS_POLLS, process_patience(p, -1)) >= 0 || errno == EINTR);
        collect(p, PROCESS_STDOUT, r->out, sizeof r->out);
        collect(p, PROCESS_STDERR, r->err, sizeof r->err);
    } while (process_update(p) != PROCESS_ENDED);
    alarm(0);
    r->status = process_status(p);
    r->timed_out = process_timed_out(p);
    process_free(p);
}

static struct run run_with(struct process_options o, const char *script)
{
    const char *argv[] = {"/bin/bash", "-c", script, NULL};
    struct process *p;
    struct error err = {0};
    struct run r = {0};

    o.argv = argv;
    o.streams[PROCESS_STDOUT] = PROCESS_PIPE;
    assert_int_equal(process_start(&p, &o, &err), 0);
    finish(p, &r);
    return r;
}

static const struct process_options direct = {.own_group = true}, kept = {.kept = true};
static const struct process_options *const back_ends[] = {&direct, &kept};

#define FOR_BACK_ENDS(o) for (size_t back_end = 0; back_end < 2 && ((o) = *back_ends[back_end], true); back_end++)

/* A parent that ignores and blocks signals gives that to its children, unless somebody resets it. */
static void test_no_signal_is_ignored_or_blocked(void **state)
{
    static const int ignored[] = {SIGCHLD, SIGPIPE, SIGUSR1, SIGHUP};
    struct process_options o;
    sigset_t block, before;

    (void)state;
    sigemptyset(&block);
    sigaddset(&block, SIGTERM);
    FOR_BACK_ENDS(o)
    {
        struct run r;
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
            signal(ignored[i], SIG_IGN);
        }
        sigprocmask(SIG_BLOCK, &block, &before);
        r = run_with(o, "exec grep -E '^Sig(Blk|Ign)' /proc/self/status");
        sigprocmask(SIG_SETMASK, &before, NULL);
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
            signal(ignored[i], SIG_DFL);
        }
        assert_string_equal(r.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    }
}

/* ls opens the directory as the lowest number that is free. */
static void test_nothing_is_open_but_what_was_asked_for(void **state)
{
    struct process_options o;
    int stray = fcntl(1, F_DUPFD, 20);

    (void)state;
    assert_true(stray >= 20);
    FOR_BACK_ENDS(o)
    {
        const int pass[] = {stray, stray};
        struct run r = run_with(o, "exec ls -m /proc/self/fd");
        assert_string_equal(r.out, "0, 1, 2, 3\n");
        o.pass = pass;
        o.npass = 2;
        r = run_with(o, "exec ls -m /proc/self/fd");
        assert_string_equal(r.out, "0, 1, 2, 3, 4, 5\n");
    }
    close(stray);
}

static void test_closed_standard_descriptors_are_opened(void **state)
{
    struct process_options o;
    int saved[3];

    (void)state;
    fflush(stdout);
    FOR_BACK_ENDS(o)
    {
        struct run r;
        o.streams[PROCESS_STDIN] = o.streams[PROCESS_STDERR] = PROCESS_OURS;
        for (int fd = 0; fd < 3; fd++) {
            saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 20);
            close(fd);
        }
        r = run_with(o, "readlink /proc/self/fd/0 /proc/self/fd/2");
        for (int fd = 0; fd < 3; fd++) {
            dup2(saved[fd], fd);
            close(saved[fd]);
        }
        assert_string_equal(r.out, "/dev/null\n/dev/null\n");
    }
}

static void test_streams_go_where_they_should(void **state)
{
    struct process_options o;

    (void)state;
    FOR_BACK_ENDS(o)
    {
        const char *argv[] = {"cat", "-", "/nowhere", NULL};
        struct process *p;
        struct run r = {0};

        o.argv = argv;
        o.streams[PROCESS_STDIN] = o.streams[PROCESS_STDOUT] = o.streams[PROCESS_STDERR] = PROCESS_PIPE;
        assert_int_equal(process_start(&p, &o, NULL), 0);
        assert_int_equal(write(process_fd(p, PROCESS_STDIN), "in", 2), 2);
        process_close_fd(p, PROCESS_STDIN);
        finish(p, &r);
        assert_string_equal(r.out, "in");
        assert_non_null(strstr(r.err, "/nowhere"));
        assert_int_equal(WEXITSTATUS(r.status), 1);
        o.streams[PROCESS_STDERR] = PROCESS_AS_STDOUT;
        r = run_with(o, "echo one; echo two >&2");
        assert_string_equal(r.out, "one\ntwo\n");
    }
}

static void test_ends_are_known(void **state)
{
    struct process_options o;
    char text[64];

    (void)state;
    FOR_BACK_ENDS(o)
    {
        struct run r = run_with(o, "exit 7");
        assert_true(WIFEXITED(r.status));
        assert_int_equal(WEXITSTATUS(r.status), 7);
        r = run_with(o, "kill -SEGV $$");
        assert_true(WIFSIGNALED(r.status));
        assert_int_equal(WTERMSIG(r.status), SIGSEGV);
        process_describe_end(r.status, text, sizeof text);
        assert_string_equal(text, "was ended by signal 11 (Segmentation fault)");
        /* A script that signals its own group reaches nobody else. */
        r = run_with(o, "trap '' TERM; kill -TERM 0; exit 5");
        assert_int_equal(WEXITSTATUS(r.status), 5);
        /* The output is closed long before the end. */
        r = run_with(o, "exec >&-; sleep 0.1; exit 6");
        assert_int_equal(WEXITSTATUS(r.status), 6);
    }
}

static void test_a_program_that_is_not_there(void **state)
{
    char *dir = temp_dir_make();
    struct process_options o;

    (void)state;
    FOR_BACK_ENDS(o)
    {
        const char *argv[] = {"/nowhere/compiler", NULL};
        struct process *p;
        struct error err = {0};

        o.argv = argv;
        assert_int_equal(process_start(&p, &o, &err), -1);
        assert_null(p);
        assert_string_equal(err.what, "cannot start /nowhere/compiler: No such file or directory");
        argv[0] = dir;
        assert_int_equal(process_start(&p, &o, &err), -1);
        assert_non_null(strstr(err.what, "Permission denied"));
        argv[0] = "l3r-no-such-program";
        assert_int_equal(process_start(&p, &o, &err), -1);
        assert_non_null(strstr(err.what, "No such file"));
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    }
    temp_dir_remove(dir);
}

static void test_the_environment_is_the_given_one(void **state)
{
    char *envp[] = {(char[]){"ONLY=this"}, NULL};
    struct process_options o;

    (void)state;
    FOR_BACK_ENDS(o)
    {
        struct run r;
        o.envp = envp;
        r = run_with(o, "exec /usr/bin/env -u PWD -u SHLVL -u _");
        assert_string_equal(r.out, "ONLY=this\n");
    }
}

static void test_the_time_limit(void **state)
{
    struct process_options o;

    (void)state;
    FOR_BACK_ENDS(o)
    {
        struct run r;
        o.limit_ms = 50;
        r = run_with(o, "trap '' TERM; while :; do :; done");
        assert_true(r.timed_out);
        assert_int_equal(WTERMSIG(r.status), SIGKILL);
        o.limit_ms = 60000;
        r = run_with(o, "exit 0");
        assert_false(r.timed_out);
    }
}

/* --- what is left ---------------------------------------------------------- */

/* A process that is known by a fifo that it holds open: the reader sees the end of file when it is gone. */
struct trace {
    char *dir, *fifo;
    int fd;
};

static void trace_open(struct trace *t)
{
    t->dir = temp_dir_make();
    assert_true(asprintf(&t->fifo, "%s/fifo", t->dir) > 0);
    assert_int_equal(mkfifo(t->fifo, 0600), 0);
    t->fd = open(t->fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(t->fd >= 0);
}

/* Parts of scripts. Who holds the fifo has written one byte to it; a daemon is started when it holds it. */
#define HOLD "exec 8>\"$FIFO\"; echo -n x >&8; exec sleep 1000"
#define HOLD_AND_SAY "exec 8>\"$FIFO\"; echo -n x >&8; echo >\"$FIFO.go\"; exec sleep 1000"
#define DAEMON "mkfifo \"$FIFO.go\"; (setsid bash -c '" HOLD_AND_SAY "' >/dev/null 2>&1 &); read <\"$FIFO.go\""

static void trace_await(struct trace *t)
{
    struct pollfd fd = {t->fd, POLLIN, 0};
    char byte = 0;

    assert_int_equal(poll(&fd, 1, 60000), 1);
    assert_int_equal(read(t->fd, &byte, 1), 1);
    assert_int_equal(byte, 'x');
}

static void trace_expect_gone(struct trace *t)
{
    struct pollfd fd = {t->fd, POLLIN, 0};
    char byte;

    assert_int_equal(poll(&fd, 1, 60000), 1);
    assert_int_equal(read(t->fd, &byte, 1), 0);
    close(t->fd);
    free(t->fifo);
    temp_dir_remove(t->dir);
}

static struct process *start_tracing(const struct process_options *of, const struct trace *t, const char *script)
{
    const char *argv[] = {"/bin/bash", "-c", script, NULL};
    struct process_options o = *of;
    struct process *p;
    struct error err;

    setenv("FIFO", t->fifo, 1);
    o.argv = argv;
    assert_int_equal(process_start(&p, &o, &err), 0);
    unsetenv("FIFO");
    return p;
}

static void test_the_whole_group_is_killed(void **state)
{
    struct process_options o;

    (void)state;
    FOR_BACK_ENDS(o)
    {
        struct trace t;
        struct process *p;

        trace_open(&t);
        p = start_tracing(&o, &t, "trap '' TERM INT; (" HOLD ") & wait");
        trace_await(&t);
        process_free(p);
        trace_expect_gone(&t);
        /* Also when its leader has ended by itself. */
        trace_open(&t);
        p = start_tracing(&o, &t, "mkfifo \"$FIFO.go\"; (" HOLD_AND_SAY ") & read <\"$FIFO.go\"");
        assert_true(process_wait(p, 60000));
        trace_await(&t);
        trace_expect_gone(&t);
        process_free(p);
    }
}

/* setsid and a second fork: neither group nor parent lead to it. */
static void test_a_keeper_ends_daemons(void **state)
{
    struct trace t;
    struct process *p;

    (void)state;
    trace_open(&t);
    p = start_tracing(&kept, &t, DAEMON "; sleep 1000");
    trace_await(&t);
    process_free(p);
    trace_expect_gone(&t);

    trace_open(&t);
    p = start_tracing(&kept, &t, DAEMON);
    assert_true(process_wait(p, 60000));
    trace_await(&t);
    trace_expect_gone(&t);
    process_free(p);
}

/* Runs `body` in a process of its own, which others see as one of l3replay. */
static pid_t in_child(void (*body)(const struct trace *t), const struct trace *t)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        body(t);
        _exit(0);
    }
    return pid;
}

static void keep_and_wait(const struct trace *t)
{
    start_tracing(&kept, t, DAEMON "; sleep 1000");
    for (;;) {
        pause();
    }
}

static void test_a_keeper_ends_all_when_its_owner_is_killed(void **state)
{
    struct trace t;
    pid_t owner;

    (void)state;
    trace_open(&t);
    owner = in_child(keep_and_wait, &t);
    trace_await(&t);
    assert_int_equal(kill(owner, SIGKILL), 0);
    assert_int_equal(waitpid(owner, NULL, 0), owner);
    trace_expect_gone(&t);
}

static void wait_directly(const struct trace *t)
{
    start_tracing(&direct, t, HOLD);
    for (;;) {
        pause();
    }
}

static void test_a_child_ends_with_its_parent(void **state)
{
    struct trace t;
    pid_t owner;

    (void)state;
    trace_open(&t);
    owner = in_child(wait_directly, &t);
    trace_await(&t);
    assert_int_equal(kill(owner, SIGKILL), 0);
    assert_int_equal(waitpid(owner, NULL, 0), owner);
    trace_expect_gone(&t);
}

static void adopt_daemon(const struct trace *t)
{
    struct process *first, *second;

    process_adopt();
    first = start_tracing(&direct, t, DAEMON);
    second = start_tracing(&direct, t, "sleep 1000");
    process_wait(first, -1);
    trace_await((struct trace *)(size_t)t);
    process_free(first); /* the second one may still need it */
    if (read(t->fd, &(char){0}, 1) != -1 || errno != EAGAIN) {
        _exit(1);
    }
    process_free(second);
    _exit(waitpid(-1, NULL, WNOHANG) == -1 ? 0 : 2); /* no child is left, so the daemon is gone */
}

static void test_daemons_end_with_the_last_process(void **state)
{
    struct trace t;
    pid_t owner;
    int status;

    (void)state;
    trace_open(&t);
    owner = in_child(adopt_daemon, &t);
    assert_int_equal(waitpid(owner, &status, 0), owner);
    assert_int_equal(status, 0);
    trace_expect_gone(&t);
}

static void end_daemon(const struct trace *t)
{
    process_adopt();
    process_wait(start_tracing(&direct, t, DAEMON), -1);
    start_tracing(&direct, t, "sleep 1000");
    trace_await((struct trace *)(size_t)t);
    _exit((int)process_end_all(10000)); /* as a signal handler does */
}

static void test_all_are_ended_at_once(void **state)
{
    struct trace t;
    pid_t owner;
    int status;

    (void)state;
    trace_open(&t);
    owner = in_child(end_daemon, &t);
    assert_int_equal(waitpid(owner, &status, 0), owner);
    assert_int_equal(status, 0);
    trace_expect_gone(&t);
}

static void spare_and_free(const struct trace *t)
{
    pid_t other;
    int status;

    (void)t;
    process_adopt();
    other = fork();
    if (other == 0) {
        pause();
        _exit(0);
    }
    process_spare_children();
    process_free(start_tracing(&direct, t, "exit 0"));
    if (waitpid(other, &status, WNOHANG) != 0 || kill(other, SIGTERM) < 0 || waitpid(other, &status, 0) != other) {
        _exit(1);
    }
    _exit(WTERMSIG(status) == SIGTERM ? 0 : 2);
}

static void test_children_of_others_are_left_alone(void **state)
{
    struct trace t;
    pid_t owner;
    int status;

    (void)state;
    trace_open(&t);
    owner = in_child(spare_and_free, &t);
    assert_int_equal(waitpid(owner, &status, 0), owner);
    assert_int_equal(status, 0);
    close(t.fd);
    free(t.fifo);
    temp_dir_remove(t.dir);
}

/* A session of its own, which no keeper and no subreaper ends here: the pipe stays open, and nobody waits for its end. */
static void test_a_held_pipe_does_not_hold_us(void **state)
{
    struct run r = run_with(direct, "setsid sleep 1000 & echo $!");

    (void)state;
    assert_int_equal(r.status, 0);
    assert_true(atoi(r.out) > 1);
    assert_int_equal(kill((pid_t)atoi(r.out), SIGKILL), 0); /* it lived */
}

/* --- ourselves ------------------------------------------------------------- */

static void reset_and_wait(const struct trace *t)
{
    struct sigaction hup;
    struct run r;
    sigset_t block;

    (void)t;
    signal(SIGCHLD, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigfillset(&block);
    sigprocmask(SIG_SETMASK, &block, NULL);
    close(0);
    close(2);
    if (process_reset_self() < 0 || fcntl(0, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0) {
        _exit(1);
    }
    r = run_with(direct, "exit 3");
    sigprocmask(SIG_SETMASK, NULL, &block);
    sigaction(SIGHUP, NULL, &hup);
    if (sigismember(&block, SIGTERM) || hup.sa_handler != SIG_IGN) {
        _exit(2);
    }
    _exit(WIFEXITED(r.status) && WEXITSTATUS(r.status) == 3 ? 0 : 3);
}

static void test_our_own_start_does_not_matter(void **state)
{
    pid_t pid = in_child(reset_and_wait, NULL);
    int status;

    (void)state;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_signal_is_ignored_or_blocked),
        cmocka_unit_test(test_nothing_is_open_but_what_was_asked_for),
        cmocka_unit_test(test_closed_standard_descriptors_are_opened),
        cmocka_unit_test(test_streams_go_where_they_should),
        cmocka_unit_test(test_ends_are_known),
        cmocka_unit_test(test_a_program_that_is_not_there),
        cmocka_unit_test(test_the_environment_is_the_given_one),
        cmocka_unit_test(test_the_time_limit),
        cmocka_unit_test(test_the_whole_group_is_killed),
        cmocka_unit_test(test_a_keeper_ends_daemons),
        cmocka_unit_test(test_a_keeper_ends_all_when_its_owner_is_killed),
        cmocka_unit_test(test_a_child_ends_with_its_parent),
        cmocka_unit_test(test_daemons_end_with_the_last_process),
        cmocka_unit_test(test_all_are_ended_at_once),
        cmocka_unit_test(test_children_of_others_are_left_alone),
        cmocka_unit_test(test_a_held_pipe_does_not_hold_us),
        cmocka_unit_test(test_our_own_start_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
