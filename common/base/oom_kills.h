/*
 * oom_kills - processes that the kernel has killed because the memory limit of our control group was reached.
 *
 * The kernel counts them in memory.events (version 2) or memory.oom_control (version 1), those of groups below included.
 */
#ifndef L3R_COMMON_BASE_OOM_KILLS_H
#define L3R_COMMON_BASE_OOM_KILLS_H

#include <stdint.h>

/* The count now, from the groups that `list` (as /proc/self/cgroup) names and the file systems below `mount`
 * (/sys/fs/cgroup). A container may show only its own group there, at `mount` itself. 0 where nothing is counted. */
uint64_t oom_kills_read(const char *list, const char *mount);

/* Note the count of this process's group, at its start. */
void oom_kills_begin(void);

/* Kills since then; 0 before oom_kills_begin(). */
uint64_t oom_kills_since(void);

/* What to look for after a SIGKILL: the memory limit, when there was a kill since; else what else may have sent it. */
const char *oom_kills_hint(void);

#endif
