#include "rank-worker/executor/crash.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static char alternate_stack[64 * 1024];
static const struct sheet *named;
static void (*first)(void);
static bool (*name_running)(char *buf, size_t size);

void crash_name_kernels(const struct sheet *sheet)
{
    named = sheet;
}

void crash_call_first(void (*function)(void))
{
    first = function;
}

/* A library without a name in a directory was loaded by a path to its descriptor; it has one of its own all the same. */
static void name_unnamed(const char *path, char *buf, size_t size)
{
    const ssize_t n = strncmp(path, "/proc/self/fd/", 14) == 0 ? readlink(path, buf, size - 1) : -1;

    if (n > 0) {
        buf[n] = '\0';
        buf[strcspn(buf, " ")] = '\0'; /* " (deleted)" */
    }
}

/* "kernel k of program p", "the orchestration of program p", or the path when it is neither. */
static void name_object(const char *path, char *buf, size_t size)
{
    snprintf(buf, size, "%s", path);
    name_unnamed(path, buf, size);
    for (uint32_t i = 0; named && i < named->count; i++) {
        const struct sheet_program *p = &named->programs[i];

        if (p->name && strcmp(p->orchestration, path) == 0) {
            snprintf(buf, size, "the orchestration of program %s", p->name);
        }
        for (uint32_t k = 0; k < p->nkernel; k++) {
            if (strcmp(p->kernels[k].path, path) == 0) {
                snprintf(buf, size, "kernel %s of program %s", p->kernels[k].name, p->name);
            }
        }
    }
}

static uintptr_t program_counter(const void *context)
{
    const ucontext_t *uc = context;

#if defined(__x86_64__)
    return (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)uc->uc_mcontext.pc;
#else
    (void)uc;
    return 0;
#endif
}

/* ", in kernel k of ..." of the calling thread; "" when it runs none. */
static const char *in_kernel(char *buf, size_t size)
{
    char name[384];

    buf[0] = '\0';
    if (name_running && name_running(name, sizeof name)) {
        snprintf(buf, size, ", in %s", name);
    }
    return buf;
}

static void write_line(const char *line, int n, size_t size, int code)
{
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < size ? (size_t)n : size - 1) < 0) {
        _exit(code);
    }
}

static void on_abort(int sig)
{
    char place[448], line[512];

    if (first) {
        first();
    }
    write_line(line, snprintf(line, sizeof line, "%s%s\n", strsignal(sig), in_kernel(place, sizeof place)), sizeof line,
               128 + sig);
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Runs where exit() was called. */
static void on_exit_call(void)
{
    char place[448], line[512];

    if (*in_kernel(place, sizeof place)) {
        write_line(line, snprintf(line, sizeof line, "exit was called%s\n", place), sizeof line, 1);
    }
}

/* Neither dladdr nor snprintf is promised to be safe here. The process is lost already, and its parent
 * waits for its end with a limit, so the worst is a missing line. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
    uintptr_t pc = program_counter(context);
    char name[512] = "?", place[448], line[1536];
    Dl_info dl;
    int n;

    if (first) {
        first();
    }
    if (pc && dladdr((void *)pc, &dl) && dl.dli_fname) {
        name_object(dl.dli_fname, name, sizeof name);
        pc -= (uintptr_t)dl.dli_fbase;
    }
    n = snprintf(line, sizeof line, "%s at address %p, instruction at +0x%lx of %s%s\n", strsignal(sig), info->si_addr,
                 (unsigned long)pc, name, in_kernel(place, sizeof place));
    write_line(line, n, sizeof line, 128 + sig);
    signal(sig, SIG_DFL);
    raise(sig);
}

int crash_install(bool (*running)(char *buf, size_t size), struct error *err)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    struct sigaction at_abort = {.sa_handler = on_abort, .sa_flags = SA_ONSTACK | SA_RESETHAND};

    name_running = running;
    if (atexit(on_exit_call) != 0) {
        return error_set(err, "executor", NULL, "cannot watch for the end of kernels");
    }
    if (sigaltstack(&stack, NULL) < 0) {
        return error_errno(err, "executor", NULL, "cannot set a signal stack");
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (sigaction(signals[i], &action, NULL) < 0) {
            return error_errno(err, "executor", NULL, "cannot set a signal handler");
        }
    }
    if (sigaction(SIGABRT, &at_abort, NULL) < 0) {
        return error_errno(err, "executor", NULL, "cannot set a signal handler");
    }
    return 0;
}
