/* Several processes on one store, processes that are killed, stores that cannot be written, PTO-ISA and its
 * precompiled header, and what is refused. */
#include <signal.h>
#include <sys/wait.h>

#include "tests/support/compile_fixture.h"

static const char plain[] = "extern \"C\" int kernel_entry() { return 7; }\n";
static void test_two_processes_share_the_work(void **state)
{
    struct fixture f;
    pid_t pids[2];
    int status;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k1", "extern \"C\" int kernel_entry() { return 1; }\n");
    fixture_kernel(&f, 0, "k2", "extern \"C\" int kernel_entry() { return 2; }\n");
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "kernel c++", "", "clang++-19");
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "c++", "", "g++");
    for (int i = 0; i < 2; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            bool right = fixture_compile(&f) == 0 && f.out.nbuilt + f.out.nreused == 3 &&
                         access(f.out.items[0].kernels[1], R_OK) == 0;
            _exit(right ? 0 : 1);
        }
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(fixture_runs(&f, "k1.cpp"), 1);
    assert_int_equal(fixture_runs(&f, "k2.cpp"), 1);
    assert_int_equal(fixture_runs(&f, "orch.cpp"), 1);
    fixture_expect(&f, 0, 3);
    assert_int_equal(fixture_entries(&f, "tmp"), 0);
    fixture_close(&f);
}

static pid_t read_pid(const char *fifo)
{
    char text[32] = "";
    int fd = open(fifo, O_RDONLY);

    assert_true(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    return (pid_t)atoi(text);
}

/* Ends when the process is gone: a pipe that only it held open for writing reaches its end. `fd` was opened before that,
 * without blocking: opening it now would wait for a writer that may be gone already. */
static void await_death(int fd)
{
    char byte;

    assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
    assert_int_equal(read(fd, &byte, 1), 0);
}

/* A compiler that has begun to write its output and then stops for good, with a child of its own. */
static const char stuck[] = "if [[ \" $* \" == *' -o '* && -e \"$odd/stuck\" ]]; then\n"
                            "while [ \"$1\" != -o ]; do shift; done\n"
                            "printf half >\"$2\"\nexec 8>\"$odd/alive\"\nsleep 1000 &\necho $! >\"$odd/begun\"\n"
                            "wait\nfi";

static void killed_in_the_middle(int sig)
{
    struct fixture f;
    char *begun, *alive;
    int status;
    pid_t pid;

    fixture_open(&f);
    begun = fixture_text("%s/begun", f.root);
    alive = fixture_text("%s/alive", f.root);
    assert_int_equal(mkfifo(begun, 0600), 0);
    assert_int_equal(mkfifo(alive, 0600), 0);
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "c++", stuck, "g++");
    fixture_put(&f, "stuck", "");
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(fixture_compile(&f) ? 1 : 0);
    }
    /* The stuck compiler waits for a reader of this one, so both ends are there. */
    int fd = open(alive, O_RDONLY | O_NONBLOCK);
    assert_true(read_pid(begun) > 0);
    assert_int_equal(kill(pid, sig), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    await_death(fd);
    close(fd);
    /* The store is as usable as before, and what was half written goes. */
    temp_dir_put_text(f.root, "stuck", "");
    char *path = fixture_text("%s/stuck", f.root);
    assert_int_equal(unlink(path), 0);
    free(path);
    fixture_expect(&f, 1, 0);
    assert_int_equal(fixture_call(f.out.items[0].orchestration, "entry"), 100);
    assert_int_equal(fixture_entries(&f, "tmp"), 0);
    free(begun);
    free(alive);
    fixture_close(&f);
}

static void test_compilers_die_with_us(void **state)
{
    (void)state;
    killed_in_the_middle(SIGKILL);
    killed_in_the_middle(SIGTERM);
}

static void test_cut_object_is_made_again(void **state)
{
    struct fixture f;
    struct stat st;
    char *path;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_expect(&f, 2, 0);
    path = strdup(f.out.items[0].kernels[0]);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0444);
    assert_int_equal(truncate(path, st.st_size / 2), geteuid() == 0 ? 0 : -1);
    if (geteuid() != 0) {
        assert_int_equal(chmod(path, 0644), 0);
        assert_int_equal(truncate(path, st.st_size / 2), 0);
    }
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 7);
    free(path);
    fixture_close(&f);
}

static void test_store_that_cannot_be_written(void **state)
{
    struct fixture f;
    char text[4096] = "";
    int fds[2], status;
    pid_t pid;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    setenv("L3REPLAY_CACHE_DIR", "/proc/none", 1);
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (fixture_run(&f) == 0 && strstr(f.log, "/proc/none") && fixture_kernel_result(&f, 0) == 7 &&
            write(fds[1], f.out.items[0].kernels[0], strlen(f.out.items[0].kernels[0])) > 0) {
            exit(0);
        }
        exit(1);
    }
    close(fds[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(read(fds[0], text, sizeof text - 1) > 0);
    close(fds[0]);
    /* Nobody could find it again, so it went with the process. */
    assert_int_equal(access(text, F_OK), -1);
    *strstr(text, "/v1/") = '\0';
    assert_int_equal(access(text, F_OK), -1);

    setenv("TMPDIR", "/proc/none", 1);
    fixture_refused(&f, "/proc/none", "L3REPLAY_CACHE_DIR");
    unsetenv("TMPDIR");
    fixture_close(&f);
}

/* Anybody could put an object there, which would run as us. */
static void test_store_that_others_can_write(void **state)
{
    char *store, *parts[2];
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    store = fixture_text("%s/foreign", f.root);
    parts[0] = fixture_text("%s/v1", store);
    parts[1] = fixture_text("%s/v1/objects", store);
    setenv("L3REPLAY_CACHE_DIR", store, 1);
    fixture_expect(&f, 2, 0);
    fixture_expect(&f, 0, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chmod(parts[i], 0777), 0);
        fixture_expect(&f, i == 0 ? 2 : 0, i == 0 ? 0 : 2); /* in a store of its own, which goes with this process */
        assert_null(strstr(f.out.items[0].kernels[0], store));
        setenv("L3REPLAY_CACHE_SHARED", "1", 1);
        fixture_expect(&f, 0, 2);
        assert_non_null(strstr(f.out.items[0].kernels[0], store));
        unsetenv("L3REPLAY_CACHE_SHARED");
        assert_int_equal(chmod(parts[i], 0755), 0);
        free(parts[i]);
    }
    fixture_close(&f);
    free(store);
}

static void test_objects_are_as_open_as_the_umask_says(void **state)
{
    const mode_t before = umask(027);
    struct fixture f;
    struct stat st;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_expect(&f, 2, 0);
    assert_int_equal(stat(f.out.items[0].kernels[0], &st), 0);
    assert_int_equal(st.st_mode & 0777, 0440);
    umask(before);
    fixture_close(&f);
}

static void test_pto_isa_is_asked_for(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel_with_pto(&f, 0, "k", 1);
    fixture_refused(&f, "kernel k", "program prog0", "PTO_ISA_ROOT", "not set");
    setenv("PTO_ISA_ROOT", f.root, 1);
    fixture_refused(&f, "PTO_ISA_ROOT", "include/pto/pto-inst.hpp");
    /* Before anything was compiled, or a compiler looked for. */
    assert_int_equal(fixture_entries(&f, "objects"), 0);
    assert_int_equal(fixture_entries(&f, "tools"), 0);
    fixture_use_pto(&f);
    fixture_expect(&f, 2, 0);
    assert_int_equal(fixture_kernel_result(&f, 0), 101);
    fixture_close(&f);
}

static char *read_object(const char *path, size_t *nbytes)
{
    FILE *file = fopen(path, "r");
    char *bytes = malloc(1 << 20);

    assert_true(file && bytes);
    *nbytes = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void test_precompiled_header_makes_the_same_object(void **state)
{
    struct fixture f;
    char *object, *other, *store;
    size_t nobject, nother;

    (void)state;
    fixture_open(&f);
    fixture_use_pto(&f);
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "kernel c++", "", "clang++-19");
    f.options.jobs = 1;
    fixture_kernel_with_pto(&f, 0, "k1", 1);
    /* One kernel: making the header would take longer than it saves. */
    fixture_expect(&f, 2, 0);
    assert_int_equal(fixture_runs(&f, "-include-pch"), 0);
    object = read_object(f.out.items[0].kernels[0], &nobject);

    /* A store of its own, and enough kernels. */
    store = fixture_text("%s/other store", f.root);
    setenv("L3REPLAY_CACHE_DIR", store, 1);
    fixture_kernel_with_pto(&f, 0, "k2", 2);
    fixture_kernel_with_pto(&f, 0, "k3", 3);
    fixture_expect(&f, 4, 0);
    assert_int_equal(fixture_runs(&f, "c++-header"), 1);
    assert_int_equal(fixture_runs(&f, "-include-pch"), 3);
    assert_int_equal(fixture_kernel_result(&f, 2), 103);
    other = read_object(f.out.items[0].kernels[0], &nother);
    assert_int_equal(nobject, nother);
    assert_memory_equal(object, other, nother);

    /* PTO-ISA changes: header and kernels are made anew. */
    fixture_put(&f, "pto isa/include/pto/pto-inst.hpp", "#pragma once\n#include <vector>\n#define PTO_VALUE 200\n");
    fixture_expect(&f, 3, 1);
    assert_int_equal(fixture_runs(&f, "c++-header"), 2);
    assert_int_equal(fixture_kernel_result(&f, 2), 203);
    free(object);
    free(other);
    free(store);
    fixture_close(&f);
}

/* The second attempt, with more headers, goes without the precompiled one: that was made without them. */
static void test_header_is_not_used_twice(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_use_pto(&f);
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "kernel c++", "", "clang++-19");
    f.options.jobs = 1;
    for (int i = 0; i < 3; i++) {
        char *name = fixture_text("k%d", i);
        char *text =
            fixture_text("#include <pto/pto-inst.hpp>\n#ifndef L3R_TRANSITIVE_INCLUDES\n#error needs more\n#endif\n"
                         "extern \"C\" int kernel_entry() { return PTO_VALUE + %d; }\n",
                         i);
        fixture_kernel(&f, 0, name, text);
        free(name);
        free(text);
    }
    fixture_expect(&f, 4, 0);
    assert_int_equal(fixture_runs(&f, "-include-pch"), 3);
    assert_int_equal(fixture_runs(&f, "-DL3R_TRANSITIVE_INCLUDES"), 3);
    assert_int_equal(fixture_kernel_result(&f, 2), 102);
    fixture_close(&f);
}

/* Code before the include could give its lines another meaning. */
static void test_header_is_not_used_after_code(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_use_pto(&f);
    fixture_put(&f, "pto isa/include/pto/pto-inst.hpp",
                "#pragma once\n#ifdef SPECIAL\n#define PTO_VALUE 1\n#else\n#define PTO_VALUE 2\n#endif\n");
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "kernel c++", "", "clang++-19");
    f.options.jobs = 1;
    for (int i = 0; i < 3; i++) {
        char *name = fixture_text("k%d", i);
        char *text = fixture_text("static int x%d;\n#include <pto/pto-inst.hpp>\n"
                                  "extern \"C\" int kernel_entry() { return PTO_VALUE + x%d; }\n",
                                  i, i);
        fixture_kernel(&f, 0, name, text);
        free(name);
        free(text);
    }
    fixture_expect(&f, 4, 0);
    assert_int_equal(fixture_runs(&f, "-include-pch"), 0);
    fixture_kernel(&f, 0, "special",
                   "#define SPECIAL\n#include <pto/pto-inst.hpp>\n"
                   "extern \"C\" int kernel_entry() { return PTO_VALUE; }\n");
    fixture_expect(&f, 1, 3 + 1);
    assert_int_equal(fixture_kernel_result(&f, 3), 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 2);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_processes_share_the_work),
        cmocka_unit_test(test_compilers_die_with_us),
        cmocka_unit_test(test_cut_object_is_made_again),
        cmocka_unit_test(test_store_that_cannot_be_written),
        cmocka_unit_test(test_store_that_others_can_write),
        cmocka_unit_test(test_objects_are_as_open_as_the_umask_says),
        cmocka_unit_test(test_pto_isa_is_asked_for),
        cmocka_unit_test(test_precompiled_header_makes_the_same_object),
        cmocka_unit_test(test_header_is_not_used_twice),
        cmocka_unit_test(test_header_is_not_used_after_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
