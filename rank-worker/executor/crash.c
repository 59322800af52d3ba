#include "rank-worker/executor/crash.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static char alternate_stack[64 * 1024];

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

/* Neither dladdr nor snprintf is promised to be safe here. The process is lost already, and its parent
 * waits for its end with a limit, so the worst is a missing line. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
    uintptr_t pc = program_counter(context);
    const char *file = "?";
    char line[1024];
    Dl_info dl;
    int n;

    if (pc && dladdr((void *)pc, &dl) && dl.dli_fname) {
        file = dl.dli_fname;
        pc -= (uintptr_t)dl.dli_fbase;
    }
    n = snprintf(line, sizeof line, "%s at address %p, instruction at +0x%lx of %s\n", strsignal(sig),
                 info->si_addr, (unsigned long)pc, file);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        _exit(128 + sig);
    signal(sig, SIG_DFL);
    raise(sig);
}

int crash_install(struct error *err)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack};
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};

    if (sigaltstack(&stack, NULL) < 0)
        return error_errno(err, "executor", NULL, "cannot set a signal stack");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], &action, NULL) < 0)
            return error_errno(err, "executor", NULL, "cannot set a signal handler");
    return 0;
}
