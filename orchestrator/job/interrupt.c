#include "orchestrator/job/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/result_marker.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/messages/stop_signals.h"

static const struct phases *volatile watched;
static const char *volatile checked = RESULT_NOTHING_CHECKED;
static volatile sig_atomic_t leave_code = EXIT_CODE_INFRA;

static void put(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0) {
        return; /* nobody is left to tell */
    }
}

/* Only what is safe in a signal handler. */
static void leave(int sig)
{
    const struct phases *p = watched;

    (void)sig;
    if (p) {
        put(STDERR_FILENO, "l3replay: error: interrupted in phase ");
        put(STDERR_FILENO, phase_name(p->now));
        put(STDERR_FILENO, ", while no kernel ran\n");
        put(STDOUT_FILENO, checked);
        put(STDOUT_FILENO, RESULT_MARKER "INFRA\n");
    }
    _exit(leave_code);
}

void interrupt_install(void)
{
    struct sigaction action = {.sa_handler = leave};

    stop_signals(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

void interrupt_watch(const struct phases *phases)
{
    watched = phases;
}

void interrupt_outputs(uint32_t outputs)
{
    static char line[64];

    snprintf(line, sizeof line, RESULT_CHECKED "0/%u outputs\n", outputs);
    checked = line;
}

void interrupt_settle(int exit_code)
{
    leave_code = exit_code;
    watched = NULL;
}
