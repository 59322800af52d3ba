#include "topology/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/quota.h"

struct place {
    int package, core, cpu;
};

static int read_number(const char *fmt, int cpu, int *value)
{
    char path[128];
    FILE *f;
    int rc;

    snprintf(path, sizeof path, fmt, cpu);
    f = fopen(path, "re");
    if (!f)
        return -1;
    rc = fscanf(f, "%d", value) == 1 ? 0 : -1;
    fclose(f);
    return rc;
}

/* CPUs of the affinity mask; grows the mask for hosts with more CPUs than cpu_set_t holds. */
static int allowed_cpus(struct place **places)
{
    cpu_set_t *set = NULL;
    int size = 1024, n = 0;

    *places = NULL;
    for (;; size *= 2) {
        set = CPU_ALLOC((size_t)size);
        if (!set)
            return 0;
        if (sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)size), set) == 0)
            break;
        CPU_FREE(set);
        if (errno != EINVAL || size > 1 << 20)
            return 0;
    }
    *places = calloc((size_t)size, sizeof **places);
    for (int cpu = 0; *places && cpu < size; cpu++) {
        if (CPU_ISSET_S((size_t)cpu, CPU_ALLOC_SIZE((size_t)size), set))
            (*places)[n++] = (struct place){.core = cpu, .cpu = cpu};
    }
    CPU_FREE(set);
    return n;
}

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->package != y->package)
        return x->package - y->package;
    return x->core != y->core ? x->core - y->core : x->cpu - y->cpu;
}

/* One place a core, sorted. */
static int allowed_cores(struct place **places)
{
    int n = allowed_cpus(places), kept = 0, value;

    for (int i = 0; i < n; i++) {
        struct place *p = &(*places)[i];
        if (read_number("/sys/devices/system/cpu/cpu%d/topology/physical_package_id", p->cpu, &value) == 0)
            p->package = value;
        if (read_number("/sys/devices/system/cpu/cpu%d/topology/core_id", p->cpu, &value) == 0)
            p->core = value;
    }
    if (n > 0)
        qsort(*places, (size_t)n, sizeof **places, compare);
    for (int i = 0; i < n; i++) {
        const struct place *p = &(*places)[i], *last = kept > 0 ? &(*places)[kept - 1] : NULL;
        if (!last || last->package != p->package || last->core != p->core)
            (*places)[kept++] = *p;
    }
    return kept;
}

int topology_cpus(int *cpus, int capacity)
{
    struct place *places;
    int n = allowed_cores(&places);

    for (int i = 0; i < n && i < capacity; i++)
        cpus[i] = places[i].cpu;
    free(places);
    return n;
}

int topology_cores(void)
{
    int n = topology_cpus(NULL, 0), quota = quota_cpus("/proc/self/cgroup", "/sys/fs/cgroup");

    if (quota > 0 && (n == 0 || quota < n))
        n = quota;
    return n > 0 ? n : 1;
}

/* Whether the launcher narrowed each process to cores of its own. */
static bool is_bound_alone(void)
{
    const char *open_mpi = getenv("OMPI_MCA_orte_bound_at_launch"), *slurm = getenv("SLURM_CPU_BIND_TYPE");

    if (open_mpi)
        return strcmp(open_mpi, "0") != 0 && strcmp(open_mpi, "false") != 0;
    return slurm && *slurm && strcmp(slurm, "none") != 0;
}

int topology_jobs(int processes)
{
    int cores = topology_cores();

    if (processes > 1 && !is_bound_alone())
        cores /= processes;
    return cores > 0 ? cores : 1;
}

int topology_share(int processes, int index)
{
    int cores = topology_cores();

    if (processes <= 1 || is_bound_alone())
        return cores;
    return cores / processes + (index < cores % processes);
}
