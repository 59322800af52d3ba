#include "orchestrator/job/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/private_dir.h"
#include "common/base/result_marker.h"
#include "common/process/descendants.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/messages/stop_signals.h"

enum { END_LIMIT_MS = 500 }; /* mpirun kills us one second after its signal */

static const struct phases *volatile watched;
static volatile sig_atomic_t beginning; /* the first process, before it has phases */
static volatile sig_atomic_t other;     /* not the first process */
static volatile pid_t installer;
static const char *volatile checked = RESULT_NOTHING_CHECKED;
static volatile sig_atomic_t leave_code = EXIT_CODE_INFRA;

static void put(int fd, const char *text)
{
    file_put(fd, text, strlen(text)); /* or nobody is left to read it */
}

/* Only what is safe in a signal handler. */
static void leave(int sig)
{
    const struct phases *p = watched;

    (void)sig;
    if (getpid() != installer) {
        _exit(EXIT_CODE_INFRA); /* a child that is about to become another program */
    }
    if (p) {
        put(STDERR_FILENO, "l3replay: error: interrupted in phase ");
        put(STDERR_FILENO, phase_name(p->now));
        put(STDERR_FILENO, ", while no kernel ran\n");
        put(STDOUT_FILENO, checked);
        put(STDOUT_FILENO, RESULT_MARKER "INFRA\n");
    } else if (beginning) {
        put(STDERR_FILENO, "l3replay: error: interrupted before the replay began\n");
        put(STDOUT_FILENO, checked);
        put(STDOUT_FILENO, RESULT_MARKER "INFRA\n");
    }
    process_end_all(END_LIMIT_MS);
    private_dir_remove_all();
    if (other) {
        poll(NULL, 0, INTERRUPT_STAY_MS);
    }
    _exit(leave_code);
}

void interrupt_install(bool first)
{
    struct sigaction action = {.sa_handler = leave};

    beginning = first;
    other = !first;
    installer = getpid();

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
    beginning = false;
    watched = NULL;
}
