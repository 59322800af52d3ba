#include "topology/cores.h"

int cores_list(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, int *cpus, int capacity)
{
    hwloc_obj_t cpu = NULL, last = NULL;
    int n = 0;

    /* In hwloc's order the CPUs of a core come one after the other. */
    while ((cpu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, cpu))) {
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, cpu);

        if (!hwloc_bitmap_isset(allowed, cpu->os_index) || (core && core == last)) {
            continue;
        }
        last = core;
        if (n < capacity) {
            cpus[n] = (int)cpu->os_index;
        }
        n++;
    }
    return n;
}
