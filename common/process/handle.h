/* handle - what a struct process is, for the files of this folder. */
#ifndef L3R_COMMON_PROCESS_HANDLE_H
#define L3R_COMMON_PROCESS_HANDLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
    struct process *next; /* in the list of all handles */
    pid_t pid;            /* our child: the command, or its keeper */
    pid_t command;
    int fds[3]; /* our ends of its streams; -1: none */
    int report; /* with a keeper: from it; else -1 */
    int pidfd;  /* of `pid`; -1: there is none on this system */
    bool own_group, kept, timed_out;
    int state; /* enum process_state */
    int status;
    int drain_ms;
    int64_t limit_at;  /* CLOCK_MONOTONIC ms, as the others; 0: none */
    int64_t killed_at; /* 0: it was not killed */
    int64_t drain_until;
};

/* The list of handles. Between lock and unlock nobody else starts or frees one. */
void handles_lock(void);
void handles_unlock(void);
void handles_add(struct process *p);
/* Returns whether it was the last one. */
bool handles_remove(const struct process *p);
/* Whether `pid` is the child of a handle. Under the lock. */
bool handles_have(pid_t pid);

#endif
