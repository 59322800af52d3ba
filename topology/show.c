#include <sched.h>
#include <stdlib.h>

#include <hwloc.h>

#include "topology/topology.h"

enum { VENDOR_ASCEND = 0x19e5 };

static int load(hwloc_topology_t *topology, struct error *err)
{
    /* The first ones load other vendors' drivers and find nothing that is looked for; the last one is
     * slower than reading /sys, which is done without it, and leaks. */
    static const char *const unwanted[] = {"opencl", "cuda", "nvml", "rsmi", "levelzero", "gl", "pci"};
    int rc;

    if (hwloc_topology_init(topology) < 0) {
        return error_nomem(err, "hwloc", 1);
    }
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        hwloc_topology_set_components(*topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, unwanted[i]);
    }
    hwloc_topology_set_io_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    rc = hwloc_topology_load(*topology);
    if (rc < 0) {
        hwloc_topology_destroy(*topology);
        return error_errno(err, "hwloc", "mount /sys and /proc", "cannot read the topology of this host");
    }
    return 0;
}

static void show_package(FILE *out, hwloc_topology_t topology, hwloc_obj_t package)
{
    const char *model = hwloc_obj_get_info_by_name(package, "CPUModel");

    fprintf(out, "package %u: %d cores, %d threads%s%s\n", package->os_index,
            hwloc_get_nbobjs_inside_cpuset_by_type(topology, package->cpuset, HWLOC_OBJ_CORE),
            hwloc_bitmap_weight(package->cpuset), model ? ", " : "", model ? model : "");
}

static void show_memory(FILE *out, hwloc_obj_t node)
{
    char *cpus = NULL;

    if (hwloc_bitmap_list_asprintf(&cpus, node->cpuset) < 0) {
        return;
    }
    fprintf(out, "NUMA node %u: %.1f GiB, CPUs %s\n", node->os_index,
            (double)node->attr->numanode.local_memory / (1 << 30), cpus);
    free(cpus);
}

static void show_usable(FILE *out, hwloc_topology_t topology)
{
    hwloc_bitmap_t mine = hwloc_bitmap_alloc();
    int cores = topology_cores(), without_quota = topology_cpus(NULL, 0);
    char *cpus = NULL;

    if (mine && hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_list_asprintf(&cpus, mine) >= 0) {
        fprintf(out, "usable: %d cores, CPUs %s", cores, cpus);
        if (cores < without_quota) {
            fprintf(out, " (a CPU quota allows %d of %d cores)", cores, without_quota);
        }
        fputc('\n', out);
    }
    free(cpus);
    hwloc_bitmap_free(mine);
}

/* Depth-first search for the NUMA node that a device hangs off; -1 when there is none. */
static int numa_of(hwloc_topology_t topology, hwloc_obj_t device)
{
    hwloc_obj_t parent = hwloc_get_non_io_ancestor_obj(topology, device);
    hwloc_obj_t node = NULL;

    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node))) {
        if (parent && hwloc_bitmap_isincluded(parent->cpuset, node->cpuset)) {
            return (int)node->os_index;
        }
    }
    return -1;
}

static int show_accelerators(FILE *out, hwloc_topology_t topology)
{
    hwloc_obj_t pci = NULL;
    int n = 0;

    while ((pci = hwloc_get_next_pcidev(topology, pci))) {
        const struct hwloc_pcidev_attr_s *a = &pci->attr->pcidev;
        if (a->vendor_id != VENDOR_ASCEND) {
            continue;
        }
        fprintf(out, "accelerator %d: PCI %04x:%02x:%02x.%x, device %04x:%04x, NUMA node %d\n", n++, a->domain, a->bus,
                a->dev, a->func, a->vendor_id, a->device_id, numa_of(topology, pci));
    }
    return n;
}

int topology_show(FILE *out, struct error *err)
{
    hwloc_topology_t topology;
    hwloc_obj_t obj = NULL;

    if (load(&topology, err) < 0) {
        return -1;
    }
    while ((obj = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, obj))) {
        show_package(out, topology, obj);
    }
    obj = NULL;
    while ((obj = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, obj))) {
        show_memory(out, obj);
    }
    show_usable(out, topology);
    if (show_accelerators(out, topology) == 0) {
        fputs("accelerators: none (PCI vendor 19e5)\n", out);
    }
    hwloc_topology_destroy(topology);
    return 0;
}
