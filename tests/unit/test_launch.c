/* The front, with scripts in mpirun's place. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/base/file.h"
#include "launch/front.h"
#include "launch/relay.h"
#include "tests/support/temp_dir.h"

#define NOTHING_CHECKED "PYPTO_EXEC_CHECKED=0/0 outputs\n"

static char *dir;

static int set_up(void **state)
{
    (void)state;
    dir = temp_dir_make();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static char *in_dir(const char *name)
{
    char *path;

    assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
    return path;
}

/* Put a bash script in mpirun's place. */
static void use_mpirun(const char *body)
{
    char *path = in_dir("mpi run"), *text;

    assert_true(asprintf(&text, "#!/bin/bash\ncd '%s' || exit 9\n%s\n", dir, body) > 0);
    temp_dir_put_text(dir, "mpi run", text);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(setenv("L3REPLAY_MPIRUN", path, 1), 0);
    free(text);
    free(path);
}

/* Seconds, of the fronts that are started. */
static double start_timeout;

struct front_process {
    pid_t pid;
    int out;
    char text[8192];
    size_t used;
};

/* Its stderr is `messages`, or (-1) nowhere. */
static void front_start_with(struct front_process *f, int messages)
{
    char *argv[] = {(char[]){"run"}, (char[]){"a build"}, (char[]){"--x=$HOME"}, NULL};
    int fds[2];

    memset(f, 0, sizeof *f);
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    f->pid = fork();
    assert_true(f->pid >= 0);
    if (f->pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(fds[1], STDOUT_FILENO) < 0 || dup2(messages < 0 ? null : messages, STDERR_FILENO) < 0) {
            _exit(99);
        }
        close(fds[0]);
        close(fds[1]);
        _exit(launch_self(3, start_timeout, 3, argv));
    }
    close(fds[1]);
    f->out = fds[0];
}

static void front_start(struct front_process *f)
{
    front_start_with(f, -1);
}

/* Read its output until `wanted` is in it, or, when that is NULL, to the end. */
static void front_read(struct front_process *f, const char *wanted)
{
    while (!wanted || !strstr(f->text, wanted)) {
        ssize_t n = read(f->out, f->text + f->used, sizeof f->text - 1 - f->used);
        assert_true(n >= 0);
        if (n == 0) {
            break;
        }
        f->used += (size_t)n;
        f->text[f->used] = '\0';
    }
    assert_true(!wanted || strstr(f->text, wanted));
}

static int front_end(struct front_process *f)
{
    int status;

    if (f->out >= 0) {
        front_read(f, NULL);
        close(f->out);
    }
    assert_int_equal(waitpid(f->pid, &status, 0), f->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void expect(const char *script, int code, const char *output)
{
    struct front_process f;

    use_mpirun(script);
    front_start(&f);
    assert_int_equal(front_end(&f), code);
    assert_string_equal(f.text, output);
}

static void test_markers_make_the_exit_code(void **state)
{
    (void)state;
    expect("echo hello; echo PYPTO_EXEC_RESULT=PASS device=4", 0, "hello\nPYPTO_EXEC_RESULT=PASS device=4\n");
    expect("echo PYPTO_EXEC_RESULT=FAIL; exit 1", 1, "PYPTO_EXEC_RESULT=FAIL\n");
    expect("echo PYPTO_EXEC_RESULT=INFRA; exit 3", 3, "PYPTO_EXEC_RESULT=INFRA\n");
    /* The marker is the result, however the processes ended after it. */
    expect("echo PYPTO_EXEC_RESULT=PASS device=0; kill -SEGV $$", 0, "PYPTO_EXEC_RESULT=PASS device=0\n");
    expect("printf 'PYPTO_EXEC_RESULT=PASS device=0'", 0, "PYPTO_EXEC_RESULT=PASS device=0");
}

static void test_worst_of_a_batch(void **state)
{
    (void)state;
    expect("printf 'PYPTO_EXEC_RESULT=PASS work_dir=a device=0\\nPYPTO_EXEC_RESULT=INFRA work_dir=b\\n'", 3,
           "PYPTO_EXEC_RESULT=PASS work_dir=a device=0\nPYPTO_EXEC_RESULT=INFRA work_dir=b\n");
    expect("printf 'PYPTO_EXEC_RESULT=FAIL work_dir=a\\nPYPTO_EXEC_RESULT=INFRA work_dir=b\\n'", 1,
           "PYPTO_EXEC_RESULT=FAIL work_dir=a\nPYPTO_EXEC_RESULT=INFRA work_dir=b\n");
}

static void test_no_marker_is_infra(void **state)
{
    (void)state;
    expect("exit 0", 3, NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
    expect("exit 134", 3, NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
    expect("kill -KILL $$", 3, NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
    expect("printf 'half a line'", 3, "half a line\n" NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
    /* Not at the start of a line: text of a kernel, say. */
    expect("echo see PYPTO_EXEC_RESULT=PASS", 3,
           "see PYPTO_EXEC_RESULT=PASS\n" NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
}

static void test_usage_has_no_marker(void **state)
{
    (void)state;
    expect("exit 2", 2, "");
}

/* A pipe that nobody reads. */
static int broken_pipe(void)
{
    int fds[2];

    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    close(fds[0]);
    return fds[1];
}

/* The processes go on as if the log were read: none of their writes fails. */
static void test_nobody_reads_the_log(void **state)
{
    struct front_process f;
    int nobody = broken_pipe();

    (void)state;
    use_mpirun("trap '' PIPE\nfor i in {1..100}; do echo $i >&2 || exit 3; done\necho PYPTO_EXEC_RESULT=FAIL; exit 1");
    front_start_with(&f, nobody);
    close(nobody);
    assert_int_equal(front_end(&f), 1);
    assert_string_equal(f.text, "PYPTO_EXEC_RESULT=FAIL\n");
}

static void expect_said(int log, const char *words)
{
    char text[4096] = "";

    assert_true(pread(log, text, sizeof text - 1, 0) >= 0);
    if (!strstr(text, words)) {
        fail_msg("'%s' does not say '%s'", text, words);
    }
}

/* A marker that was read is the result; one that could not be printed is none. */
static void test_nobody_reads_the_output(void **state)
{
    struct front_process f;
    char *path = in_dir("log"), *fifo = in_dir("go");
    int log = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), go;

    (void)state;
    assert_true(log >= 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    use_mpirun("echo PYPTO_EXEC_RESULT=FAIL; read -r line <go\n"
               "for i in {1..100}; do echo more || exit 9; done; exit 1");
    front_start_with(&f, log);
    front_read(&f, "FAIL\n");
    close(f.out);
    f.out = -1;
    go = open(fifo, O_WRONLY | O_CLOEXEC);
    close(go);
    assert_int_equal(front_end(&f), 1);

    use_mpirun("echo ready; read -r line <go; echo more; echo PYPTO_EXEC_RESULT=PASS device=0");
    front_start_with(&f, log);
    front_read(&f, "ready\n");
    close(f.out);
    f.out = -1;
    go = open(fifo, O_WRONLY | O_CLOEXEC);
    close(go);
    assert_int_equal(front_end(&f), 3);
    expect_said(log, "result could not be written");

    use_mpirun("echo ready; read -r line <go; echo more; echo PYPTO_EXEC_RESULT=FAIL");
    front_start_with(&f, log);
    front_read(&f, "ready\n");
    close(f.out);
    f.out = -1;
    go = open(fifo, O_WRONLY | O_CLOEXEC);
    close(go);
    assert_int_equal(front_end(&f), 1); /* what is known to be wrong stays so */
    close(log);
    free(path);
    free(fifo);
}

/* We ignore SIGPIPE; what we start must not. */
static void test_mpirun_has_its_sigpipe(void **state)
{
    (void)state;
    expect("yes | head -n 1\necho ${PIPESTATUS[0]}\necho PYPTO_EXEC_RESULT=PASS device=0", 0,
           "y\n141\nPYPTO_EXEC_RESULT=PASS device=0\n");
}

/* The message names the mpirun that ended, and what it lacked. */
static void test_mpirun_that_cannot(void **state)
{
    struct front_process f;
    char *path = in_dir("log"), *old = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    int log = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    (void)state;
    assert_true(log >= 0);
    setenv("L3REPLAY_MPIRUN", "/bin/false", 1);
    front_start_with(&f, log);
    assert_int_equal(front_end(&f), 3);
    expect_said(log, "/bin/false: code 1");
    expect_said(log, "set L3REPLAY_MPIRUN");
    setenv("TMPDIR", "/proc", 1);
    front_start_with(&f, log);
    assert_int_equal(front_end(&f), 3);
    expect_said(log, "no files in TMPDIR");
    if (old) {
        setenv("TMPDIR", old, 1);
    } else {
        unsetenv("TMPDIR");
    }
    close(log);
    free(old);
    free(path);
}

static void test_mpirun_that_starts_nothing(void **state)
{
    struct front_process f;
    char *path = in_dir("log");
    int log = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    (void)state;
    assert_true(log >= 0);
    use_mpirun("mkfifo never; read -r line <never");
    start_timeout = 0.5;
    front_start_with(&f, log);
    assert_int_equal(front_end(&f), 3);
    assert_string_equal(f.text, NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
    expect_said(log, "started no process of the job");
    /* One that has begun has as long as it needs. */
    use_mpirun("touch \"$L3REPLAY_STARTED\"; read -t 2 -r line <>never; echo PYPTO_EXEC_RESULT=PASS device=0");
    front_start_with(&f, log);
    assert_int_equal(front_end(&f), 0);
    start_timeout = 0;
    close(log);
    free(path);
}

/* What mpirun leaves goes, also when it is killed. */
static void test_nothing_is_left_of_mpirun(void **state)
{
    char *tmp = in_dir("tmp"), *old = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL, *text;
    struct error err;

    (void)state;
    assert_int_equal(mkdir(tmp, 0700), 0);
    setenv("TMPDIR", tmp, 1);
    expect("[ -d \"$OMPI_MCA_orte_tmpdir_base\" ] && echo \"$OMPI_MCA_btl_vader_backing_directory\" >segments &&\n"
           "touch \"$OMPI_MCA_orte_tmpdir_base/left\" \"$OMPI_MCA_btl_vader_backing_directory/left\" &&\n"
           "ls -d tmp/l3replay-mpi.*/left >/dev/null && echo made; kill -KILL $$",
           3, "made\n" NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
    assert_int_equal(temp_dir_count(tmp), 0);
    free(tmp);
    tmp = in_dir("segments");
    text = file_read(tmp, 4096, NULL, &err);
    assert_non_null(text);
    text[strcspn(text, "\n")] = '\0';
    assert_true(*text == '/' && access(text, F_OK) < 0);
    if (old) {
        setenv("TMPDIR", old, 1);
    } else {
        unsetenv("TMPDIR");
    }
    free(text);
    free(old);
    free(tmp);
}

static void test_no_mpirun(void **state)
{
    struct front_process f;
    char *missing = in_dir("nothing here"), *log = in_dir("log"), text[512] = "";
    int fd, saved;

    (void)state;
    setenv("L3REPLAY_MPIRUN", missing, 1);
    front_start(&f);
    assert_int_equal(front_end(&f), 3);
    assert_string_equal(f.text, NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");

    /* The message names the package. */
    fd = open(log, O_RDWR | O_CREAT, 0600);
    saved = dup(STDERR_FILENO);
    assert_true(fd >= 0 && saved >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    assert_int_equal(launch_self(2, 0, 0, NULL), 3);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    assert_true(pread(fd, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, "openmpi-bin"));
    assert_non_null(strstr(text, missing));
    close(fd);
    close(saved);
    free(missing);
    free(log);
}

static void test_arguments_arrive_whole(void **state)
{
    char exe[4096], *expected;
    struct front_process f;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

    (void)state;
    assert_true(n > 0);
    exe[n] = '\0';
    use_mpirun("[ \"$1 $2\" = '-np 3' ] || exit 1\nwhile [ \"$1\" != run ]; do last=$1; shift; done\n"
               "printf '%s\\n' \"$last\" \"$@\"; readlink /proc/self/fd/0; echo PYPTO_EXEC_RESULT=PASS");
    assert_true(asprintf(&expected, "%s\nrun\na build\n--x=$HOME\n/dev/null\nPYPTO_EXEC_RESULT=PASS\n", exe) > 0);
    front_start(&f);
    assert_int_equal(front_end(&f), 0);
    assert_string_equal(f.text, expected);
    free(expected);
}

static void pass_on(int sig, const char *name)
{
    struct front_process f;
    char *script;

    assert_true(asprintf(&script,
                         "trap 'echo got %s; echo PYPTO_EXEC_RESULT=INFRA; exit 3' %s\n"
                         "echo ready\nsleep 1000 & wait",
                         name, name) > 0);
    use_mpirun(script);
    free(script);
    front_start(&f);
    front_read(&f, "ready\n");
    assert_int_equal(kill(f.pid, sig), 0);
    assert_int_equal(front_end(&f), 3);
    assert_non_null(strstr(f.text, "got"));
    assert_non_null(strstr(f.text, name));
}

static void test_signals_are_passed_on(void **state)
{
    (void)state;
    pass_on(SIGTERM, "TERM");
    pass_on(SIGINT, "INT");
    pass_on(SIGHUP, "HUP");
}

static void expect_dead(pid_t pid)
{
    /* A zombie whose reaper is slow is dead as well. */
    char path[64], state = 'X';
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    f = fopen(path, "r");
    if (f) {
        assert_true(fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
        fclose(f);
    }
    assert_true(state == 'X' || state == 'Z');
}

static pid_t pid_after(const struct front_process *f, const char *label)
{
    const char *p = strstr(f->text, label);

    assert_non_null(p);
    return (pid_t)atoi(p + strlen(label));
}

/* Neither mpirun nor what it started listens. */
static const char deaf[] = "trap '' TERM INT\nsetsid sleep 1000 &\necho \"child $!\"\necho \"self $$\"\necho ready\n"
                           "while :; do sleep 1000; done";

static void test_second_signal_kills(void **state)
{
    struct front_process f;
    char *path = in_dir("log");
    int log = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    (void)state;
    assert_true(log >= 0);
    use_mpirun(deaf);
    front_start_with(&f, log);
    front_read(&f, "ready\n");
    /* Different signals: two of one kind could become one before the front looks. */
    kill(f.pid, SIGTERM);
    kill(f.pid, SIGINT);
    assert_int_equal(front_end(&f), 3);
    assert_non_null(strstr(f.text, "PYPTO_EXEC_RESULT=INFRA\n"));
    expect_said(log, "interrupted twice");
    expect_dead(pid_after(&f, "self "));
    expect_dead(pid_after(&f, "child "));
    close(log);
    free(path);
}

/* mpirun's processes get another one. */
static void test_processes_can_know_the_signal(void **state)
{
    struct front_process f;

    (void)state;
    use_mpirun("trap 'cat \"$L3REPLAY_SIGNAL\"; exit 3' INT\necho ready\nsleep 1000 & wait");
    front_start(&f);
    front_read(&f, "ready\n");
    assert_int_equal(kill(f.pid, SIGINT), 0);
    assert_int_equal(front_end(&f), 3);
    assert_non_null(strstr(f.text, "ready\n2\n"));
}

/* mpirun alone knows how a process ended. */
static void test_a_lost_process_is_named(void **state)
{
    struct front_process f;
    char *path = in_dir("log"), text[4096] = "";
    int log = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    (void)state;
    assert_true(log >= 0);
    use_mpirun(
        "line=$(printf '%074d' 0 | tr 0 -)\n"
        "printf '%s\\nmpirun noticed that process rank 1 with PID 0 on node h1 exited on signal 9 (Killed).\\n%s\\n' "
        "$line $line >&2; exit 137");
    front_start_with(&f, log);
    assert_int_equal(front_end(&f), 3);
    assert_string_equal(f.text, NOTHING_CHECKED "PYPTO_EXEC_RESULT=INFRA\n");
    expect_said(log, "process 1 of the job, on host h1, was ended by signal 9 (Killed)");
    assert_true(pread(log, text, sizeof text - 1, 0) > 0);
    assert_null(strstr(text, "----"));
    close(log);
    free(path);
}

static void test_patience_ends(void **state)
{
    struct front_process f;

    (void)state;
    use_mpirun(deaf);
    front_start(&f);
    front_read(&f, "ready\n");
    kill(f.pid, SIGTERM);
    assert_int_equal(front_end(&f), 3);
    expect_dead(pid_after(&f, "self "));
    expect_dead(pid_after(&f, "child "));
}

static void test_nothing_is_left_after_mpirun(void **state)
{
    struct front_process f;

    (void)state;
    use_mpirun("setsid sleep 1000 &\necho \"child $!\"\necho PYPTO_EXEC_RESULT=PASS device=0");
    front_start(&f);
    assert_int_equal(front_end(&f), 0);
    expect_dead(pid_after(&f, "child "));
}

static void test_killed_front_takes_mpirun_along(void **state)
{
    struct front_process f;
    char *fifo = in_dir("fifo"), *session, text[16] = "";
    struct error err;
    int fd, status;

    (void)state;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    use_mpirun("echo -n \"$OMPI_MCA_orte_tmpdir_base\" >session; trap 'echo asked >fifo; exit 1' TERM\n"
               "echo ready\nwhile :; do sleep 0.05; done");
    front_start(&f);
    front_read(&f, "ready\n");
    kill(f.pid, SIGKILL);
    assert_int_equal(waitpid(f.pid, &status, 0), f.pid);
    fd = open(fifo, O_RDONLY);
    assert_int_equal(read(fd, text, sizeof text - 1), 6);
    assert_string_equal(text, "asked\n");
    close(fd);
    close(f.out);
    free(fifo);
    fifo = in_dir("session");
    session = file_read(fifo, 4096, NULL, &err);
    assert_non_null(session);
    assert_int_equal(access(session, F_OK), 0);
    /* The next front removes what it left. */
    expect("echo PYPTO_EXEC_RESULT=PASS device=0", 0, "PYPTO_EXEC_RESULT=PASS device=0\n");
    assert_int_equal(access(session, F_OK), -1);
    free(session);
    free(fifo);
}

static void clear_job(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK", "SLURM_STEP_ID",
                                        "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv(names[i]);
    }
}

static void test_who_started_us(void **state)
{
    (void)state;
    clear_job();
    assert_false(launch_under_mpi());
    assert_int_equal(launch_rank(), 0);
    setenv("OMPI_COMM_WORLD_RANK", "5", 1);
    assert_true(launch_under_mpi());
    assert_int_equal(launch_rank(), 5);
    clear_job();
    setenv("PMI_RANK", "0", 1);
    assert_true(launch_under_mpi());
    clear_job();
    /* A batch script has a rank of its own and is no task of a step. */
    setenv("SLURM_PROCID", "0", 1);
    assert_false(launch_under_mpi());
    setenv("SLURM_STEP_ID", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    assert_false(launch_under_mpi());
    setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    setenv("SLURM_PROCID", "1", 1);
    assert_true(launch_under_mpi());
    assert_int_equal(launch_rank(), 1);
    clear_job();
}

static void test_marker_in_pieces(void **state)
{
    static const char text[] = "a\nPYPTO_EXEC_RESULT=FAIL work_dir=/a/rather/long/path/of/a/build\n";
    struct relay r = {0};

    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        assert_int_equal(relay_exit_code(&r), -1);
        relay_watch(&r, text + i, 1);
    }
    assert_int_equal(relay_exit_code(&r), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_markers_make_the_exit_code, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_worst_of_a_batch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_marker_is_infra, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_usage_has_no_marker, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nobody_reads_the_log, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nobody_reads_the_output, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mpirun_has_its_sigpipe, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mpirun_that_cannot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_mpirun, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mpirun_that_starts_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_is_left_of_mpirun, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arguments_arrive_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signals_are_passed_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_second_signal_kills, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_processes_can_know_the_signal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_lost_process_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_patience_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_is_left_after_mpirun, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_killed_front_takes_mpirun_along, set_up, tear_down),
        cmocka_unit_test(test_who_started_us),
        cmocka_unit_test(test_marker_in_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
