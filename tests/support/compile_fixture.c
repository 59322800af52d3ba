#include "tests/support/compile_fixture.h"

#include <dlfcn.h>
#include <fcntl.h>

char *fixture_text(const char *fmt, ...)
{
    char *text;
    va_list ap;

    va_start(ap, fmt);
    assert_true(vasprintf(&text, fmt, ap) >= 0);
    va_end(ap);
    return text;
}

void fixture_put(struct fixture *f, const char *name, const char *text)
{
    temp_dir_put_text(f->root, name, text);
}

void fixture_script(struct fixture *f, const char *name, const char *text)
{
    char *path = fixture_text("%s/%s", f->root, name);

    fixture_put(f, name, text);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

void fixture_compiler(struct fixture *f, const char *variable, const char *name, const char *extra, const char *real)
{
    char *path = fixture_text("%s/%s", f->root, name);
    char *text = fixture_text("#!/bin/bash\nodd=${0%%/*}\n[[ \" $* \" == *' -o '* ]] && echo \"$*\" >>\"$odd/runs\"\n"
                              "%s\nexec %s \"$@\"\n",
                              extra, real);

    fixture_script(f, name, text);
    assert_int_equal(setenv(variable, path, 1), 0);
    free(text);
    free(path);
}

int fixture_runs(const struct fixture *f, const char *what)
{
    char *path = fixture_text("%s/runs", f->root), *line = NULL;
    FILE *file = fopen(path, "r");
    size_t size = 0;
    int n = 0;

    free(path);
    while (file && getline(&line, &size, file) > 0) {
        n += strstr(line, what) != NULL;
    }
    if (file) {
        fclose(file);
    }
    free(line);
    return n;
}

void fixture_kernel(struct fixture *f, int program, const char *name, const char *text)
{
    struct program *p = &f->programs[program];
    struct kernel *k = &f->kernels[program][p->nkernel];
    char *file = fixture_text("build/next_levels/%s/kernels/aiv/%s.cpp", p->name, name);

    fixture_put(f, file, text);
    *k = (struct kernel){.func_id = (int)p->nkernel,
                         .name = strdup(name),
                         .core = CORE_AIV,
                         .source = fixture_text("%s/%s", f->root, file)};
    p->nkernel++;
    free(file);
}

void fixture_open(struct fixture *f)
{
    static const char *const unset[] = {"L3REPLAY_KERNEL_CXX", "L3REPLAY_ORCH_CXX", "L3REPLAY_INCLUDE_DIR",
                                        "PTO_ISA_ROOT"};
    char *store;

    memset(f, 0, sizeof *f);
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++) {
        unsetenv(unset[i]);
    }
    f->top = temp_dir_make();
    f->root = fixture_text("%s/an $odd 'place' #1 h\xc3\xb6r", f->top);
    assert_int_equal(mkdir(f->root, 0777), 0);
    store = fixture_text("%s/the store", f->root);
    setenv("L3REPLAY_CACHE_DIR", store, 1);
    free(store);
    for (int i = 0; i < 2; i++) {
        struct program *p = &f->programs[i];
        p->name = fixture_text("prog%d", i);
        p->dir = fixture_text("%s/build/next_levels/%s", f->root, p->name);
        p->runtime = strdup("tensormap_and_ringbuffer");
        p->function_name = strdup("entry");
        p->orchestration = fixture_text("%s/orchestration/orch.cpp", p->dir);
        p->kernels = f->kernels[i];
        char *file = fixture_text("build/next_levels/%s/orchestration/orch.cpp", p->name);
        char *text = fixture_text("extern \"C\" int entry() { return %d; }\n", 100 + i);
        fixture_put(f, file, text);
        free(text);
        free(file);
    }
    f->table = (struct program_table){.count = 1, .items = f->programs};
    f->options = (struct compile_options){.platform = "a2a3sim", .jobs = 2};
    f->session = (struct compile_session_options){.no_ccache = true};
}

void fixture_close(struct fixture *f)
{
    compiled_free(&f->out);
    for (int i = 0; i < 2; i++) {
        struct program *p = &f->programs[i];
        for (size_t k = 0; k < p->nkernel; k++) {
            free(p->kernels[k].name);
            free(p->kernels[k].source);
        }
        free(p->name);
        free(p->dir);
        free(p->runtime);
        free(p->function_name);
        free(p->orchestration);
    }
    temp_dir_remove(f->top);
    free(f->root);
}

void fixture_use_pto(struct fixture *f)
{
    char *root = fixture_text("%s/pto isa", f->root);

    fixture_put(f, "pto isa/include/pto/pto-inst.hpp", "#pragma once\n#include <vector>\n#define PTO_VALUE 100\n");
    setenv("PTO_ISA_ROOT", root, 1);
    free(root);
}

char *fixture_pto_source(int value)
{
    return fixture_text("// %d\n#include <cstdint>\n\n#ifndef __gm__\n#define __gm__\n#endif\n"
                        "#include <pto/pto-inst.hpp>\n\n"
                        "extern \"C\" int kernel_entry() { return PTO_VALUE + %d; }\n",
                        value, value);
}

void fixture_kernel_with_pto(struct fixture *f, int program, const char *name, int value)
{
    char *text = fixture_pto_source(value);

    fixture_kernel(f, program, name, text);
    free(text);
}

int fixture_entries(const struct fixture *f, const char *dir)
{
    char *path = fixture_text("%s/the store/v1/%s", f->root, dir);
    int n;

    /* temp_dir_count() hands the path to a shell in single quotes; ours holds some. */
    assert_int_equal(chdir(path), 0);
    n = temp_dir_count(".");
    assert_int_equal(chdir("/"), 0);
    free(path);
    return n;
}

int fixture_compile(struct fixture *f)
{
    struct compile_session *session;
    int rc = compile_session_open(&f->session, &session, &f->err);

    if (rc == 0) {
        rc = compile_programs(session, &f->table, &f->options, &f->out, &f->err);
    }
    compile_session_close(session);
    return rc;
}

int fixture_run(struct fixture *f)
{
    char *path = fixture_text("%s/log", f->top);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup(STDERR_FILENO), rc;
    ssize_t n;

    assert_true(fd >= 0 && saved >= 0);
    compiled_free(&f->out);
    memset(&f->err, 0, sizeof f->err);
    assert_true(dup2(fd, STDERR_FILENO) >= 0);
    rc = fixture_compile(f);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    n = pread(fd, f->log, sizeof f->log - 1, 0);
    f->log[n > 0 ? n : 0] = '\0';
    close(fd);
    close(saved);
    unlink(path);
    free(path);
    return rc;
}

void fixture_expect(struct fixture *f, unsigned built, unsigned reused)
{
    if (fixture_run(f) != 0) {
        fail_msg("%s (in %s)\n%s", f->err.what, f->err.where, f->log);
    }
    assert_int_equal(f->out.nbuilt, built);
    assert_int_equal(f->out.nreused, reused);
}

void fixture_refused_with(struct fixture *f, const char *const *words)
{
    char *all;

    assert_int_equal(fixture_run(f), -1);
    assert_int_equal(f->err.kind, ERROR_INFRA);
    all = fixture_text("%s\n%s\n%s", f->err.what, f->err.where, f->err.hint);
    for (; *words; words++) {
        if (!strstr(all, *words)) {
            fail_msg("'%s' is not in: %s", *words, all);
        }
    }
    free(all);
}

int fixture_call(const char *object, const char *function)
{
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    int (*call)(void), result;

    if (!handle) {
        fail_msg("%s", dlerror());
    }
    *(void **)&call = dlsym(handle, function);
    assert_non_null(call);
    result = call();
    dlclose(handle);
    return result;
}

int fixture_kernel_result(const struct fixture *f, int kernel)
{
    return fixture_call(f->out.items[0].kernels[kernel], "kernel_entry");
}
