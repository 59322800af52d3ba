/*
 * process - child processes: started, watched and ended in one way.
 *
 *   process_start() ──▶ RUNNING ──▶ CLOSING ──▶ ENDED ──▶ process_free()
 *
 *   RUNNING   the process lives. process_kill(), or its time limit, makes it go on to CLOSING.
 *   CLOSING   it has ended and was waited for, and its status is known. What stayed in its process group was killed. Output
 *             that it left in its pipes can still be read. When none has come for `drain_ms`, nobody waits for more:
 *             another process may hold the pipes open.
 *   ENDED     its pipes are closed.
 *
 * Only process_update() and process_wait() change the state, and process_free() may be called in each. The caller waits:
 * it polls the descriptors of process_poll(), no longer than process_patience() says, and calls process_update().
 *
 * A child starts with nothing inherited but what was asked for: no signal blocked, every disposition the default (also
 * those that our own parent left ignored), descriptors 0 to 2 open, those of `pass` as 3 and up, and no others. It ends
 * when the thread that started it does (PR_SET_PDEATHSIG).
 *
 * Two back ends. The direct one starts the command as a child (vfork: fork would copy the page tables of a process with
 * large segments mapped). With `kept`, a keeper process stands between: it collects what the command leaves behind,
 * in whatever session or group, and kills it when the command ends, is killed, or the caller's process dies.
 * What a command without a keeper leaves behind comes to this process, when process_adopt() was called, and is killed
 * when the last `struct process` of this process is freed.
 *
 * One thread starts, updates and frees processes at a time for each handle; the list of handles has a lock.
 */
#ifndef L3R_COMMON_PROCESS_PROCESS_H
#define L3R_COMMON_PROCESS_PROCESS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/error.h"

enum process_stream { PROCESS_STDIN = 0, PROCESS_STDOUT, PROCESS_STDERR };

enum process_target {
    PROCESS_NULL = 0,  /* /dev/null */
    PROCESS_OURS,      /* the same as this process's; /dev/null where that is closed */
    PROCESS_PIPE,      /* a pipe to or from this process, whose end here does not block */
    PROCESS_AS_STDOUT, /* of stderr: where stdout goes */
};

enum { PROCESS_PASS_MAX = 4, PROCESS_POLLS = 3, PROCESS_DRAIN_MS = 200 };

struct process_options {
    const char *const *argv; /* argv[0]: a path, or a name that is looked up on PATH */
    char *const *envp;       /* NULL: that of this process */
    enum process_target streams[3];
    const int *pass;  /* descriptors that the child has as 3, 4, ... */
    unsigned npass;   /* <= PROCESS_PASS_MAX */
    bool own_group;   /* it leads a process group, which is killed as a whole; always so with `kept` */
    bool kept;        /* a keeper collects its descendants */
    int death_signal; /* what the child gets when this process dies; 0: SIGKILL. Not with `kept` */
    int limit_ms;     /* it is killed when it runs longer; 0: no limit */
    int drain_ms;     /* how long CLOSING waits for output; 0: PROCESS_DRAIN_MS */
};

enum process_state { PROCESS_RUNNING = 0, PROCESS_CLOSING, PROCESS_ENDED };

struct process;

/* Start a process; it has executed its program when this returns 0. What `o` points to need not outlive the call. -1 with
 * `err` filled when there is no such program or no process; the error names argv[0]. */
int process_start(struct process **out, const struct process_options *o, struct error *err);

/* Its process id (that of the command, also with a keeper). */
pid_t process_id(const struct process *p);

/* This process's end of a pipe; -1 when there is none or it is closed. For poll(), and for writing to stdin. */
int process_fd(const struct process *p, enum process_stream stream);

/* Hand that end over: the caller closes it, and CLOSING does not wait for it. */
int process_take_fd(struct process *p, enum process_stream stream);

/* Close it: the end of the child's input, or output that is of no interest. */
void process_close_fd(struct process *p, enum process_stream stream);

/* Read what there is of its output. Returns the number of bytes; 0 at the end (the pipe is closed then, or was none);
 * -1 when there is nothing now. */
ssize_t process_read(struct process *p, enum process_stream stream, char *bytes, size_t size);

/* Descriptors to poll: its end, its stdout, its stderr, in this order; fd -1 where there is none. */
void process_poll(const struct process *p, struct pollfd fds[PROCESS_POLLS]);

/* How long poll() may wait, in ms, until process_update() has something to do; at most `limit_ms`. -1: without limit. */
int process_patience(const struct process *p, int limit_ms);

/* See what has happened, without blocking: its end, its time limit. */
enum process_state process_update(struct process *p);

/* Wait until it does not run, for `limit_ms` at most (-1: for ever). True when it has ended. Reads no output. */
bool process_wait(struct process *p, int limit_ms);

void process_signal(const struct process *p, int sig); /* to the process itself; nothing when it has ended */

/* Kill it, its group, and with a keeper all that it started. Does not wait. */
void process_kill(struct process *p);

/* Its wait status; -1 while it runs, and where nobody can know it. */
int process_status(const struct process *p);

/* Whether it was killed for its time limit. */
bool process_timed_out(const struct process *p);

/* Kill what runs, wait for it, close what is open. With the last one, what process_adopt() collected is killed. NULL is
 * fine. */
void process_free(struct process *p);

/* Format the end that wait status `status` says: "ended its process with exit status 3", "was ended by
 * signal 9 (Killed)". */
void process_describe_end(int status, char *text, size_t size);

#endif
