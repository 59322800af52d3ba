/*
 * topology - which cores this process may use, and what this host is made of.
 *
 * Counting has to be quick (it is part of every start): hwloc reads packages, dies and cores alone, once in a process;
 * what of them may be used is asked each time: affinity, which binding by a launcher and cpusets have narrowed, and
 * the CPU quota of the cgroup. Showing a host (caches, NUMA nodes, accelerators) reads all there is, which takes
 * longer. Not for several threads at once.
 */
#ifndef L3R_TOPOLOGY_TOPOLOGY_H
#define L3R_TOPOLOGY_TOPOLOGY_H

#include <stdio.h>

#include "common/base/error.h"

enum { TOPOLOGY_MAX_CPUS = 4096 };

/* Cores that this process may use, >= 1: sibling threads count once, a CPU quota is rounded up. */
int topology_cores(void);

/* One CPU (number of the operating system) for each core that this process may use, neighbours next to each other:
 * by package, die, core. Writes up to `capacity` of them; returns how many there are, 0 when the kernel does not
 * say. A quota is not applied. */
int topology_cpus(int *cpus, int capacity);

/* How many compilers this process should run at once when `processes` processes of the job are on this node, >=
 * 1: its own cores when the launcher gave each process its own, else its share of the common ones. */
int topology_jobs(int processes);

/* The same as an exact share, for process number `index` of them: the shares of all add up to the cores, and with fewer
 * cores than processes the last ones get 0. */
int topology_share(int processes, int index);

/* Cores that `processes` processes of the job on this node have together, as seen by one of them. */
int topology_together(int processes);

/* Print this host for people: packages, NUMA nodes, cores, what this process may use, accelerators. */
int topology_show(FILE *out, struct error *err);

#endif
