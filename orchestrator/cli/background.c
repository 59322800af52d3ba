#include "orchestrator/cli/background.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rank-worker/compile/headers_later.h"

enum { NICE_LOWEST = 19 };

/* In the process that stays. */
_Noreturn static void make_headers(void)
{
    static char *const argv[] = {"l3replay", "cache", "--make-headers", NULL};
    const struct sched_param none = {0};
    int null = open("/dev/null", O_RDWR);

    setsid();
    setpriority(PRIO_PROCESS, 0, NICE_LOWEST);
    sched_setscheduler(0, SCHED_IDLE, &none);
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
        close_range(STDERR_FILENO + 1, ~0u, 0) < 0) {
        _exit(1);
    }
    execv("/proc/self/exe", argv);
    _exit(1);
}

void background_make_headers(void)
{
    const char *wanted = getenv("L3REPLAY_BACKGROUND");
    pid_t child;

    if ((wanted && strcmp(wanted, "0") == 0) || !headers_are_ordered()) {
        return;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0); /* it is nobody's child then */
    child = fork();
    if (child == 0) {
        if (fork() == 0) {
            make_headers();
        }
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
}
