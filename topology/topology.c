#include "topology/topology.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cores.h"
#include "topology/quota.h"

/* What distinguishes cores and puts neighbours next to each other; reading the rest of a host takes longer. */
static const hwloc_obj_type_t kept[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_DIE, HWLOC_OBJ_CORE};

/* Packages, dies and cores of this host, read once; NULL when that cannot be. */
static hwloc_topology_t host_cores(void)
{
    static hwloc_topology_t topology;
    static bool tried;

    if (tried) {
        return topology;
    }
    tried = true;
    if (hwloc_topology_init(&topology) < 0) {
        topology = NULL;
        return NULL;
    }
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        hwloc_topology_set_type_filter(topology, kept[i], HWLOC_TYPE_FILTER_KEEP_ALL);
    }
    if (hwloc_topology_load(topology) < 0) {
        hwloc_topology_destroy(topology);
        topology = NULL;
    }
    return topology;
}

int topology_cpus(int *cpus, int capacity)
{
    hwloc_topology_t topology = host_cores();
    hwloc_bitmap_t allowed = topology ? hwloc_bitmap_alloc() : NULL;
    int n = 0;

    if (allowed && hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_THREAD) == 0) {
        n = cores_list(topology, allowed, cpus, capacity);
    }
    hwloc_bitmap_free(allowed);
    return n;
}

int topology_cores(void)
{
    int n = topology_cpus(NULL, 0), quota = quota_cpus("/proc/self/cgroup", "/sys/fs/cgroup");

    if (quota > 0 && (n == 0 || quota < n)) {
        n = quota;
    }
    return n > 0 ? n : 1;
}

/* Whether the launcher narrowed each process to cores of its own. */
static bool is_bound_alone(void)
{
    const char *open_mpi = getenv("OMPI_MCA_orte_bound_at_launch"), *slurm = getenv("SLURM_CPU_BIND_TYPE");

    if (open_mpi) {
        return strcmp(open_mpi, "0") != 0 && strcmp(open_mpi, "false") != 0;
    }
    return slurm && *slurm && strcmp(slurm, "none") != 0;
}

int topology_jobs(int processes)
{
    int cores = topology_cores();

    if (processes > 1 && !is_bound_alone()) {
        cores /= processes;
    }
    return cores > 0 ? cores : 1;
}

int topology_together(int processes)
{
    const int cores = topology_cores();

    return processes > 1 && is_bound_alone() ? cores * processes : cores;
}

int topology_share(int processes, int index)
{
    int cores = topology_cores();

    if (processes <= 1 || is_bound_alone()) {
        return cores;
    }
    return cores / processes + (index < cores % processes);
}
