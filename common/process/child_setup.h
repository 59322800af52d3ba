/*
 * child_setup - what a child does between fork and exec.
 *
 * Everything here is safe in the child of a fork or vfork of a process with threads: system calls, and no memory but that
 * of the caller.
 */
#ifndef L3R_COMMON_PROCESS_CHILD_SETUP_H
#define L3R_COMMON_PROCESS_CHILD_SETUP_H

#include <stdbool.h>
#include <sys/types.h>

/* Sent back through a pipe. */
enum child_report_kind { CHILD_FAILED = 1, CHILD_STARTED, CHILD_ENDED };

struct child_report {
    int kind;
    int value; /* errno; process id; wait status */
};

/* Child's descriptors 0, 1, ... and where they are now; all of them, and `report`, are CHILD_FIRST_FREE or higher. */
enum { CHILD_MOST = 7, CHILD_FIRST_FREE = CHILD_MOST + 1 };

struct child_setup {
    const char *const *argv;
    char *const *envp;
    int fds[CHILD_MOST];
    unsigned nfd;
    int report; /* close-on-exec; gets a CHILD_FAILED when the program cannot be executed */
    pid_t parent;
    int death_signal;
    bool own_group;
};

/* Every disposition the default, `keep_ignored` (a bit for each signal) excepted where they are ignored. */
void child_reset_signals(unsigned long keep_ignored);

/* Put the descriptors in their places and close all others; `report` is moved behind them. 0 or errno. */
int child_place_fds(struct child_setup *c);

/* Become the program, or report why not. */
_Noreturn void child_become(struct child_setup *c);

void child_report(int fd, enum child_report_kind kind, int value);

#endif
