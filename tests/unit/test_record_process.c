/* The recorder as a process: what it prints, how it ends, and what is left of it. */
#include "tests/support/record_build.h"

#include "orchestrator/record/helper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const char setting_python[] = "L3REPLAY_PYTHON", setting_dir[] = "L3REPLAY_RECORDER_DIR";

static bool without_pidfds;

/* In place of the C library's: some kernels and containers have none. */
int pidfd_open(pid_t pid, unsigned flags);

int pidfd_open(pid_t pid, unsigned flags)
{
    if (!without_pidfds) {
        return (int)syscall(SYS_pidfd_open, pid, flags);
    }
    errno = ENOSYS;
    return -1;
}

/* What the user prints goes to stderr and never into the stream, whichever way it is printed. */
static void prints_do_not_reach_the_stream(void **state)
{
    struct recording r = record_body("    import os, sys\n"
                                     "    print('{\"end\":99}')\n"
                                     "    os.write(1, b'{\"end\":98}\\n')\n"
                                     "    sys.__stdout__.write('{\"end\":97}')\n"
                                     "    sys.stderr.write('said\\n')\n"
                                     "    os.system('echo from a child')\n" SEND("tensors[\"x\"]", "INPUT", "0"));

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.nnode, 1);
    recording_free(&r);
}

/* Many dispatches: more than pipes and blocks hold. */
static void long_streams(void **state)
{
    struct recording r = record_body("    for i in range(5000):\n    " SEND("tensors[\"x\"][i % 4]", "INPUT", "i % 2"));

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.nnode, 5000);
    assert_view(&r.plan, arg_view(&r.plan, 4999, 0), "x+384 8 16 / 16 1");
    assert_int_equal(r.plan.nodes[4999].k, 2499);
    recording_free(&r);
}

static void expect_end(const char *body, const char *what)
{
    struct recording r = record_body(body);

    assert_int_equal(r.rc, -1);
    assert_int_equal(r.err.kind, ERROR_INFRA);
    assert_says(r.err.what, what);
    recording_free(&r);
}

static void ends_that_are_no_end(void **state)
{
    (void)state;
    expect_end("    import os\n    os._exit(3)\n", "exit status 3");
    expect_end("    import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)\n", "Segmentation fault");
    expect_end("    import os, signal\n    os.kill(os.getpid(), signal.SIGINT)\n    while True: pass\n", "interrupted");
    expect_end("    import os\n    os.kill(os.getpid(), 9)\n", "killed");
}

/* Its limit is a minute, and what is said of silence would not be true. */
static void ends_are_seen_without_a_pidfd(void **state)
{
    (void)state;
    without_pidfds = true;
    expect_end("    import os\n    os._exit(3)\n", "exit status 3");
    /* Also where the pipe outlives it: what stays in its group is killed with it. */
    expect_end("    import os, signal\n    if os.fork() == 0:\n        signal.pause()\n    os._exit(4)\n",
               "exit status 4");
    long_streams(state);
    without_pidfds = false;
}

static void endless_loops_are_stopped(void **state)
{
    (void)state;
    setenv("L3REPLAY_RECORD_TIMEOUT", "0.3", 1);
    expect_end("    while True: pass\n", "was stopped");
    /* Nor does a child that keeps the pipe open hold the replay. */
    expect_end("    import os\n    while True:\n        pass\n", "was stopped");
    setenv("L3REPLAY_RECORD_TIMEOUT", "soon", 1);
    expect_end("    pass\n", "'soon'");
    unsetenv("L3REPLAY_RECORD_TIMEOUT");
}

/* Line 7 loops; the entry's `def` is line 5 (record_build.h). */
static void expect_line(const char *body, const char *what, const char *where)
{
    struct recording r = record_body(body);

    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, what);
    assert_says(r.err.where, where);
    assert_says(r.err.hint, "L3REPLAY_RECORD_TIMEOUT");
    recording_free(&r);
}

static void the_line_of_an_endless_loop_is_named(void **state)
{
    (void)state;
    setenv("L3REPLAY_RECORD_TIMEOUT", "0.3", 1);
    expect_line("    n = 1\n    while True: n += 1\n", "stopped in line 7", "orchestration/host_orch.py:7");
    /* Waiting inside another module is still that line. */
    expect_line("    import threading\n    threading.Event().wait()\n", "stopped in line 7", "host_orch.py:7");
    expect_line("    try:\n        while True: pass\n    except Exception:\n        pass\n", "stopped in line 7",
                "host_orch.py:7");
    /* What answers to nothing is killed. */
    expect_line("    import signal\n    signal.signal(signal.SIGUSR1, signal.SIG_IGN)\n    while True: pass\n",
                "was stopped", "");
    unsetenv("L3REPLAY_RECORD_TIMEOUT");
}

/* Nothing that host_orch.py catches hides the limit. */
static struct recording submit_1001(uint32_t max_nodes)
{
    struct recording r = {.dir = temp_dir_make()};

    build_put(r.dir, 1, XY,
              HEADER ENTRY "    try:\n        for i in range(1001):\n            orch.submit_sub("
                           "sub_ids[\"s\"])\n    except Exception:\n        pass\n" MARK);
    temp_dir_put_text(r.dir, "sub_workers/s.py", "");
    record_request(&r, (struct record_request){.max_nodes = max_nodes});
    return r;
}

/* Output is no progress without end: time and nodes are limited. Line 8 submits. */
static void endless_submits_are_stopped(void **state)
{
    static const char body[] = "    _ta = TaskArgs()\n    while True:\n        "
                               "_submit_chip(orch, callables[\"chip\"], _ta, config, 0)\n";
    struct recording r;

    (void)state;
    setenv("L3REPLAY_RECORD_TIMEOUT", "0.5", 1);
    r = record_body(body);
    unsetenv("L3REPLAY_RECORD_TIMEOUT");
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "was still submitting after 0.5 s and was stopped in line");
    assert_says(r.err.where, "orchestration/host_orch.py:");
    assert_says(r.err.hint, "L3REPLAY_RECORD_TIMEOUT");
    recording_free(&r);

    r = submit_1001(1000);
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "submitted more than 1000 dispatches");
    assert_says(r.err.hint, "--max-nodes");
    recording_free(&r);
    r = submit_1001(1001);
    assert_recorded(&r);
    recording_free(&r);
}

static void endless_kernel_configs(void **state)
{
    struct recording r = {.dir = temp_dir_make()};

    (void)state;
    build_put(r.dir, 1, XY, HEADER ENTRY "    pass\n" MARK);
    temp_dir_put_text(r.dir, "next_levels/chip/kernel_config.py", "n = 0\nwhile True:\n    n += 1\n");
    record_request(&r, (struct record_request){.timeout = 0.3});
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "kernel_config.py of program 'chip'");
    assert_says(r.err.what, "0.3 s ");
    assert_says(r.err.where, "next_levels/chip/kernel_config.py:");
    recording_free(&r);
}

/* The smaller of the request's time and the setting counts. */
static void time_out_of_the_request(void **state)
{
    double seconds = 0.5;
    struct error err;

    (void)state;
    unsetenv("L3REPLAY_RECORD_TIMEOUT");
    assert_int_equal(helper_timeout(&seconds, &err), 0);
    assert_true(seconds == 0.5);
    seconds = 600;
    assert_int_equal(helper_timeout(&seconds, &err), 0);
    assert_true(seconds == 60);
    seconds = 0;
    setenv("L3REPLAY_RECORD_TIMEOUT", "300", 1);
    assert_int_equal(helper_timeout(&seconds, &err), 0);
    assert_true(seconds == 300);
    seconds = 20;
    assert_int_equal(helper_timeout(&seconds, &err), 0);
    assert_true(seconds == 20);
    unsetenv("L3REPLAY_RECORD_TIMEOUT");
}

/* Record a body that forks, and see that the child, which holds the fifo open for writing, is gone after it. */
static void expect_no_child(const char *body, bool recorded)
{
    struct recording r = {.dir = temp_dir_make()};
    struct pollfd gone;
    char *fifo, *text, byte;

    assert_true(asprintf(&fifo, "%s/fifo", r.dir) > 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    gone = (struct pollfd){open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC), POLLIN, 0};
    assert_true(gone.fd >= 0);
    assert_true(asprintf(&text,
                         HEADER ENTRY
                         "    import os, subprocess, time\n    held = open(\"%s\", \"w\")\n"
                         "    held.write(\"x\"); held.flush()\n    os.set_inheritable(held.fileno(), True)\n%s" MARK,
                         fifo, body) > 0);
    build_put(r.dir, 1, XY, text);
    record_request(&r, (struct record_request){0});
    if (recorded) {
        assert_recorded(&r);
        assert_int_equal(r.plan.nnode, 1);
    } else {
        assert_int_equal(r.rc, -1);
        assert_says(r.err.what, "exit status 3");
    }
    assert_int_equal(read(gone.fd, &byte, 1), 1);
    assert_int_equal(poll(&gone, 1, 20000), 1);
    assert_int_equal(read(gone.fd, &byte, 1), 0);
    close(gone.fd);
    free(text);
    free(fifo);
    recording_free(&r);
}

static void nothing_that_it_started_is_left(void **state)
{
    (void)state;
    expect_no_child("    if os.fork() == 0: time.sleep(300)\n" SEND("tensors[\"x\"]", "INPUT", "0"), true);
    expect_no_child(
        "    subprocess.Popen([\"sleep\", \"300\"], close_fds=False)\n" SEND("tensors[\"x\"]", "INPUT", "0"), true);
    /* Nor do a session of its own and a parent that has ended help it. */
    expect_no_child("    subprocess.run([\"setsid\", \"sh\", \"-c\", \"sleep 300 &\"], close_fds=False)\n" SEND(
                        "tensors[\"x\"]", "INPUT", "0"),
                    true);
    expect_no_child("    if os.fork() == 0: time.sleep(300)\n    os._exit(3)\n", false);
    /* A group of its own does not help a child that was forked. */
    expect_no_child(
        "    if os.fork() == 0:\n        os.setsid()\n        time.sleep(300)\n" SEND("tensors[\"x\"]", "INPUT", "0"),
        true);
}

/* The child of a fork runs on through host_orch.py; it must not record. */
static void children_do_not_record(void **state)
{
    struct recording r = record_body(
        "    import os\n    pid = os.fork()\n    if pid: os.waitpid(pid, 0)\n" SEND("tensors[\"x\"]", "INPUT", "0"));

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.nnode, 1);
    recording_free(&r);
}

/* A closed pipe is no end yet: the process is waited for, but not for ever. */
static void closed_pipes(void **state)
{
    (void)state;
    expect_end("    import os\n    os.closerange(3, 100)\n    os._exit(3)\n", "exit status 3");
    setenv("L3REPLAY_RECORD_TIMEOUT", "0.3", 1);
    expect_end("    import os\n    os.closerange(0, 100)\n    while True: pass\n", "was stopped");
    unsetenv("L3REPLAY_RECORD_TIMEOUT");
}

static void interpreters(void **state)
{
    char *old = getenv(setting_python) ? strdup(getenv(setting_python)) : NULL, *dir = temp_dir_make(), *path;

    (void)state;
    setenv(setting_python, "/nowhere/python3", 1);
    expect_end("    pass\n", "/nowhere/python3: No such file");
    setenv(setting_python, dir, 1);
    expect_end("    pass\n", "Permission denied");
    setenv(setting_python, "false", 1);
    expect_end("    pass\n", "exit status 1");
    unsetenv(setting_python);
    path = strdup(getenv("PATH"));
    setenv("PATH", dir, 1);
    expect_end("    pass\n", "cannot start python3");
    setenv("PATH", path, 1);
    if (old) {
        setenv(setting_python, old, 1);
    }
    free(old);
    free(path);
    temp_dir_remove(dir);
}

static void recorder_directory(void **state)
{
    (void)state;
    setenv(setting_dir, "/nowhere/recorder", 1);
    expect_end("    pass\n", "/nowhere/recorder");
    setenv(setting_dir, SOURCE_DIR "/orchestrator/record/recorder", 1);
    {
        struct recording r = record_body(SEND("tensors[\"x\"]", "INPUT", "0"));
        assert_recorded(&r);
        recording_free(&r);
    }
    unsetenv(setting_dir);
}

/* Blanks and letters beyond ASCII in paths and names, a directory that cannot be written, no traces in it. */
static void odd_places(void **state)
{
    struct recording r = {.dir = temp_dir_make()};
    char *base = r.dir;

    (void)state;
    assert_true(asprintf(&r.dir,
                         "%s/b\xc3\xbc"
                         "ild \xe6\x97\xa5\xe6\x9c\xac",
                         base) > 0);
    temp_dir_put_text(base,
                      "b\xc3\xbc"
                      "ild \xe6\x97\xa5\xe6\x9c\xac/orchestration/mate.py",
                      "size = 4\n");
    build_put(r.dir, 1,
              PARAM("gr\xc3\xb6\xc3\x9f"
                    "e",
                    "In", "[4]", "fp32"),
              HEADER "from mate import size\n" ENTRY
                     "    t = torch.zeros(size).share_memory_()\n    tensors[\"\xe2\x82\xac\"] = t\n" SEND(
                         "tensors[\"gr\xc3\xb6\xc3\x9f"
                         "e\"]",
                         "INPUT", "0") SEND("t", "INPUT", "0") MARK);
    assert_int_equal(chmod(r.dir, 0555), 0);
    setenv("LC_ALL", "C", 1);
    record_request(&r, (struct record_request){0});
    unsetenv("LC_ALL");
    assert_recorded(&r);
    assert_view(&r.plan, arg_view(&r.plan, 0, 0),
                "gr\xc3\xb6\xc3\x9f"
                "e+0 4 / 1");
    assert_view(&r.plan, arg_view(&r.plan, 1, 0), "\xe2\x82\xac+0 4 / 1");
    assert_int_equal(temp_dir_count(r.dir), 3);
    assert_int_equal(chmod(r.dir, 0777), 0);
    free(r.dir);
    r.dir = base;
    recording_free(&r);
}

/* Starts a recording that hangs; what it starts has opened a named pipe, which is returned, for writing. */
static int hang_in_child(const char *dir, const char *fifo, pid_t *child)
{
    struct pollfd wait;
    char byte;

    assert_int_equal(mkfifo(fifo, 0600), 0);
    wait = (struct pollfd){open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC), POLLIN, 0};
    assert_true(wait.fd >= 0);
    *child = fork();
    assert_true(*child >= 0);
    if (*child == 0) {
        struct build build = {0};
        struct plan plan = {0};
        struct record_request request = {.build = &build};
        log_set_level(LOG_NULL);
        if (build_open(dir, &build, NULL) == 0) {
            record_plan(&request, NULL, &plan, NULL);
        }
        _exit(0);
    }
    assert_int_equal(poll(&wait, 1, 60000), 1);
    assert_int_equal(read(wait.fd, &byte, 1), 1);
    return wait.fd;
}

/* kill -9 of the replay takes the recorder along, and what it started in a session of its own. */
static void dies_with_its_parent(void **state)
{
    char *dir = temp_dir_make(), *fifo, *text, byte;
    struct pollfd gone = {.events = POLLIN};
    pid_t child;

    (void)state;
    assert_true(asprintf(&fifo, "%s/fifo", dir) > 0);
    assert_true(asprintf(&text,
                         HEADER ENTRY "    import subprocess\n    f = open(\"%s\", \"w\")\n"
                                      "    subprocess.Popen([\"sleep\", \"300\"], start_new_session=True, "
                                      "pass_fds=[f.fileno()])\n"
                                      "    f.write(\"x\"); f.flush()\n    while True: pass\n" MARK,
                         fifo) > 0);
    build_put(dir, 1, XY, text);
    gone.fd = hang_in_child(dir, fifo, &child);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(poll(&gone, 1, 60000), 1);
    assert_int_equal(read(gone.fd, &byte, 1), 0);
    close(gone.fd);
    free(text);
    free(fifo);
    temp_dir_remove(dir);
}

/* What it holds must not grow with it. */
static void an_endless_line_is_refused(void **state)
{
    char *old = getenv(setting_python) ? strdup(getenv(setting_python)) : NULL, *dir = temp_dir_make(), *path;

    (void)state;
    temp_dir_put_text(dir, "python", "#!/bin/sh\nexec tr '\\0' x </dev/zero\n");
    assert_true(asprintf(&path, "%s/python", dir) > 0);
    assert_int_equal(chmod(path, 0755), 0);
    setenv(setting_python, path, 1);
    expect_end("    pass\n", "printed a line of more than 64 MB");
    unsetenv(setting_python);
    if (old) {
        setenv(setting_python, old, 1);
    }
    free(old);
    free(path);
    temp_dir_remove(dir);
}

/* Started with stdin and stdout closed, the pipes must not land on their numbers. */
static void standard_descriptors_may_be_closed(void **state)
{
    int in = fcntl(0, F_DUPFD_CLOEXEC, 10), out = fcntl(1, F_DUPFD_CLOEXEC, 10);
    struct recording r;

    (void)state;
    fflush(stdout);
    close(0);
    close(1);
    r = record_body(SEND("tensors[\"x\"]", "INPUT", "0"));
    dup2(in, 0);
    dup2(out, 1);
    close(in);
    close(out);
    assert_recorded(&r);
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_do_not_reach_the_stream),
        cmocka_unit_test(long_streams),
        cmocka_unit_test(ends_that_are_no_end),
        cmocka_unit_test(ends_are_seen_without_a_pidfd),
        cmocka_unit_test(endless_loops_are_stopped),
        cmocka_unit_test(the_line_of_an_endless_loop_is_named),
        cmocka_unit_test(endless_submits_are_stopped),
        cmocka_unit_test(endless_kernel_configs),
        cmocka_unit_test(time_out_of_the_request),
        cmocka_unit_test(nothing_that_it_started_is_left),
        cmocka_unit_test(children_do_not_record),
        cmocka_unit_test(closed_pipes),
        cmocka_unit_test(interpreters),
        cmocka_unit_test(recorder_directory),
        cmocka_unit_test(odd_places),
        cmocka_unit_test(dies_with_its_parent),
        cmocka_unit_test(an_endless_line_is_refused),
        cmocka_unit_test(standard_descriptors_may_be_closed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
