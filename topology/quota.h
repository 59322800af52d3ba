/*
 * quota - the CPU time that a cgroup grants, as a number of cores.
 *
 * A container with a quota sees all cores of its host; starting as many
 * compilers as there are cores would only have them throttled.
 */
#ifndef L3R_TOPOLOGY_QUOTA_H
#define L3R_TOPOLOGY_QUOTA_H

/* The smallest quota of the process's cgroup and those above it, rounded up to whole CPUs; 0: none. `list` is
 * /proc/self/cgroup, `mount` the directory cgroups are mounted at (version 2, or version 1 with its cpu controller
 * below it). */
int quota_cpus(const char *list, const char *mount);

#endif
