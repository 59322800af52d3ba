/*
 * cores - one CPU for each core of a topology.
 *
 * A core is an object of hwloc: the numbers that the kernel gives cores repeat from die to die and from package to
 * package. Private to topology/.
 */
#ifndef L3R_TOPOLOGY_CORES_H
#define L3R_TOPOLOGY_CORES_H

#include <hwloc.h>

/* The first allowed CPU (number of the operating system) of each core that has one, neighbours next to each other: by
 * package, die, core. A CPU that is part of no core (a virtual machine may not say) counts as one. Writes up to
 * `capacity` of them; returns how many there are. */
int cores_list(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, int *cpus, int capacity);

#endif
