/*
 * thread_state - what the operating system says of a thread of this process.
 */
#ifndef L3R_CPU_THREAD_STATE_H
#define L3R_CPU_THREAD_STATE_H

#include <stddef.h>
#include <sys/types.h>

/* Its state as in proc(5), /proc/PID/stat, field 3: 'R' runs or wants to, 'S' sleeps, ...; 'Z' when it has ended; '?':
 * not known. */
char cpu_thread_state(pid_t tid);

/* The system call that it is in: "pause", "system call 500"; "" when it is in none, or that is not known. */
const char *cpu_thread_syscall(pid_t tid, char *buf, size_t size);

#endif
