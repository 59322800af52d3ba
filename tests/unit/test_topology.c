#include <sched.h>

#include "tests/support/temp_dir.h"
#include "topology/cores.h"
#include "topology/placement.h"
#include "topology/quota.h"
#include "topology/topology.h"

/* Blocks must partition the cards, in order, and differ by one at most. */
static void test_blocks_partition(void **state)
{
    (void)state;
    for (uint32_t world = 1; world <= 40; world++) {
        for (uint32_t nproc = 1; nproc <= 45; nproc++) {
            uint32_t next = 0, least = UINT32_MAX, most = 0;
            for (uint32_t rank = 0; rank < nproc; rank++) {
                uint32_t first, count;
                placement_block(world, nproc, rank, &first, &count);
                assert_int_equal(first, next);
                for (uint32_t card = first; card < first + count; card++) {
                    assert_int_equal(placement_owner(world, nproc, card), rank);
                }
                next += count;
                least = count < least ? count : least;
                most = count > most ? count : most;
            }
            assert_int_equal(next, world);
            assert_true(most - least <= 1);
        }
    }
}

static void test_first_processes_get_one_more(void **state)
{
    static const uint32_t expected[4][2] = {{0, 3}, {3, 3}, {6, 2}, {8, 2}}; /* 10 cards, 4 processes */
    uint32_t first, count;

    (void)state;
    for (uint32_t rank = 0; rank < 4; rank++) {
        placement_block(10, 4, rank, &first, &count);
        assert_int_equal(first, expected[rank][0]);
        assert_int_equal(count, expected[rank][1]);
    }
    placement_block(2, 3, 2, &first, &count);
    assert_int_equal(count, 0);
}

/* No core is given to two executors. */
static void test_shares_do_not_overlap(void **state)
{
    (void)state;
    for (int ncore = 1; ncore <= 20; ncore++) {
        for (int n = 1; n <= 25; n++) {
            int users[20] = {0};
            for (int i = 0; i < n; i++) {
                int first, count;
                placement_share(ncore, n, i, &first, &count);
                assert_true(n > ncore ? count == 0 : count >= 1);
                for (int core = first; core < first + count; core++) {
                    users[core]++;
                }
            }
            for (int core = 0; core < ncore; core++) {
                assert_int_equal(users[core], n > ncore ? 0 : 1);
            }
        }
    }
}

static void test_cores_per_card(void **state)
{
    (void)state;
    assert_int_equal(placement_cores_per_card(64, 8), 8);
    assert_int_equal(placement_cores_per_card(7, 2), 3);
    assert_int_equal(placement_cores_per_card(2, 8), 1);
    assert_int_equal(placement_cores_per_card(2, 0), 1);
}

/* 2 packages of 2 dies of 2 cores of 2 threads: CPUs 0 to 15, a core's one after the other. */
static hwloc_topology_t synthetic(const char *description)
{
    hwloc_topology_t topology;

    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, description), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    return topology;
}

/* The kernel counts cores anew in each die. */
static void test_cores_of_dies_are_different(void **state)
{
    static const int all[] = {0, 2, 4, 6, 8, 10, 12, 14}, some[] = {3, 5, 14};
    hwloc_topology_t topology = synthetic("package:2 die:2 core:2 pu:2");
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    hwloc_obj_t core = NULL;
    int cpus[8] = {0};

    (void)state;
    assert_non_null(allowed);
    while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core))) {
        core->os_index = core->logical_index % 2;
    }
    hwloc_bitmap_set_range(allowed, 0, 15);
    assert_int_equal(cores_list(topology, allowed, cpus, 8), 8);
    assert_memory_equal(cpus, all, sizeof all);
    /* One thread of two neighbours, both of the last core. */
    hwloc_bitmap_only(allowed, 3);
    hwloc_bitmap_set(allowed, 5);
    hwloc_bitmap_set_range(allowed, 14, 15);
    assert_int_equal(cores_list(topology, allowed, cpus, 8), 3);
    assert_memory_equal(cpus, some, sizeof some);
    /* Counted, not written. */
    cpus[1] = -1;
    assert_int_equal(cores_list(topology, allowed, cpus, 1), 3);
    assert_int_equal(cpus[1], -1);
    hwloc_bitmap_zero(allowed);
    assert_int_equal(cores_list(topology, allowed, cpus, 8), 0);
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
}

/* Sibling threads far apart, as the kernel numbers them: neighbours stay next to each other. */
static void test_cores_are_in_the_order_of_the_host(void **state)
{
    static const int expected[] = {0, 2, 1, 3};
    hwloc_topology_t topology = synthetic("package:2 core:2 pu:2(indexes=0,4,2,6,1,5,3,7)");
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    int cpus[4];

    (void)state;
    assert_non_null(allowed);
    hwloc_bitmap_set_range(allowed, 0, 7);
    assert_int_equal(cores_list(topology, allowed, cpus, 4), 4);
    assert_memory_equal(cpus, expected, sizeof expected);
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
}

/* A host that shows no cores: each CPU is one. */
static void test_cpus_without_cores_count(void **state)
{
    hwloc_topology_t topology = synthetic("package:2 pu:3");
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    int cpus[6];

    (void)state;
    assert_non_null(allowed);
    hwloc_bitmap_set_range(allowed, 0, 5);
    assert_int_equal(cores_list(topology, allowed, cpus, 6), 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(cpus[i], i);
    }
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
}

static void test_narrowed_affinity_counts(void **state)
{
    cpu_set_t all, one;
    int cpus[TOPOLOGY_MAX_CPUS], n, only, granted;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    n = topology_cpus(cpus, TOPOLOGY_MAX_CPUS);
    assert_true(n >= 1 && n <= CPU_COUNT(&all));
    for (int i = 0; i < n; i++) {
        assert_true(CPU_ISSET(cpus[i], &all));
        for (int k = 0; k < i; k++) {
            assert_int_not_equal(cpus[i], cpus[k]);
        }
    }
    granted = quota_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
    assert_int_equal(topology_cores(), granted > 0 && granted < n ? granted : n);
    only = cpus[n - 1];
    CPU_ZERO(&one);
    CPU_SET(only, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(topology_cores(), 1);
    assert_int_equal(topology_cpus(cpus, TOPOLOGY_MAX_CPUS), 1);
    assert_int_equal(cpus[0], only);
    assert_int_equal(topology_jobs(1), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void test_jobs_share_common_cores(void **state)
{
    int cores = topology_cores();

    (void)state;
    unsetenv("OMPI_MCA_orte_bound_at_launch");
    unsetenv("SLURM_CPU_BIND_TYPE");
    assert_int_equal(topology_jobs(1), cores);
    assert_int_equal(topology_jobs(cores), 1);
    assert_int_equal(topology_jobs(10 * cores), 1);
    /* Bound one by one, each process has what it sees. */
    setenv("OMPI_MCA_orte_bound_at_launch", "1", 1);
    assert_int_equal(topology_jobs(8), cores);
    unsetenv("OMPI_MCA_orte_bound_at_launch");
    setenv("SLURM_CPU_BIND_TYPE", "mask_cpu:", 1);
    assert_int_equal(topology_jobs(8), cores);
    setenv("SLURM_CPU_BIND_TYPE", "none", 1);
    assert_int_equal(topology_jobs(10 * cores), 1);
    unsetenv("SLURM_CPU_BIND_TYPE");
}

static void test_shares_add_up_to_the_cores(void **state)
{
    int cores = topology_cores();

    (void)state;
    unsetenv("OMPI_MCA_orte_bound_at_launch");
    unsetenv("SLURM_CPU_BIND_TYPE");
    for (int processes = 1; processes <= 3 * cores + 1; processes++) {
        int sum = 0;

        for (int i = 0; i < processes; i++) {
            sum += topology_share(processes, i);
        }
        assert_int_equal(sum, cores);
    }
    assert_int_equal(topology_share(4 * cores, 0), 1); /* process 0 always has one */
    assert_int_equal(topology_share(4 * cores, cores), 0);
    setenv("OMPI_MCA_orte_bound_at_launch", "1", 1);
    assert_int_equal(topology_share(4 * cores, cores), cores);
    unsetenv("OMPI_MCA_orte_bound_at_launch");
}

static int quota(const char *dir)
{
    char *list;
    int cpus;

    assert_true(asprintf(&list, "%s/list", dir) > 0);
    cpus = quota_cpus(list, dir);
    free(list);
    return cpus;
}

static void test_quota_version_2(void **state)
{
    char *dir = temp_dir_make();

    (void)state;
    assert_int_equal(quota(dir), 0);
    temp_dir_put_text(dir, "list", "0::/a/b\n");
    assert_int_equal(quota(dir), 0);
    temp_dir_put_text(dir, "a/b/cpu.max", "max 100000\n");
    assert_int_equal(quota(dir), 0);
    /* 2.5 CPUs keep three cores busy part of the time. */
    temp_dir_put_text(dir, "a/b/cpu.max", "250000 100000\n");
    assert_int_equal(quota(dir), 3);
    /* A group above with less is what counts. */
    temp_dir_put_text(dir, "a/cpu.max", "50000 100000\n");
    assert_int_equal(quota(dir), 1);
    temp_dir_put_text(dir, "list", "0::/\n");
    temp_dir_put_text(dir, "cpu.max", "400000 100000\n");
    assert_int_equal(quota(dir), 4);
    temp_dir_remove(dir);
}

static void test_quota_version_1(void **state)
{
    char *dir = temp_dir_make();

    (void)state;
    temp_dir_put_text(dir, "list", "5:cpuset:/x\n4:cpu,cpuacct:/job\n");
    temp_dir_put_text(dir, "cpu/job/cpu.cfs_quota_us", "-1\n");
    temp_dir_put_text(dir, "cpu/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota(dir), 0);
    temp_dir_put_text(dir, "cpu/job/cpu.cfs_quota_us", "200000\n");
    assert_int_equal(quota(dir), 2);
    temp_dir_put_text(dir, "list", "5:cpuset:/x\n4:cpuacct,cpu:/job\n");
    assert_int_equal(quota(dir), 2);
    temp_dir_put_text(dir, "list", "4:cpu:/job\n");
    assert_int_equal(quota(dir), 2);
    temp_dir_put_text(dir, "list", "4:net_cls,cpu,cpuacct:/job\n");
    assert_int_equal(quota(dir), 2);
    temp_dir_put_text(dir, "list", "4:cpuset:/job\n3:cpuacct:/job\n2:xcpu,cpux:/job\n");
    assert_int_equal(quota(dir), 0);
    temp_dir_remove(dir);
}

/* Nothing is granted by a quota or a period of 0: such a file says nothing, and the group above is asked. */
static void test_quota_of_nothing_is_none(void **state)
{
    char *dir = temp_dir_make();

    (void)state;
    temp_dir_put_text(dir, "list", "0::/a\n");
    temp_dir_put_text(dir, "a/cpu.max", "0 100000\n");
    assert_int_equal(quota(dir), 0);
    temp_dir_put_text(dir, "cpu.max", "300000 100000\n");
    assert_int_equal(quota(dir), 3);
    temp_dir_put_text(dir, "a/cpu.max", "100000 0\n");
    assert_int_equal(quota(dir), 3);
    temp_dir_put_text(dir, "a/cpu.max", "1 100000\n");
    assert_int_equal(quota(dir), 1);
    temp_dir_put_text(dir, "a/cpu.max", "100001 100000\n");
    assert_int_equal(quota(dir), 2);
    temp_dir_remove(dir);
}

static void test_show(void **state)
{
    struct error err = {0};
    char *text = NULL, expected[64];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_non_null(out);
    assert_int_equal(topology_show(out, &err), 0);
    assert_int_equal(fclose(out), 0);
    snprintf(expected, sizeof expected, "usable: %d cores", topology_cores());
    assert_non_null(strstr(text, expected));
    assert_non_null(strstr(text, "package 0: "));
    assert_non_null(strstr(text, "accelerator"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_partition),
        cmocka_unit_test(test_first_processes_get_one_more),
        cmocka_unit_test(test_shares_do_not_overlap),
        cmocka_unit_test(test_cores_per_card),
        cmocka_unit_test(test_cores_of_dies_are_different),
        cmocka_unit_test(test_cores_are_in_the_order_of_the_host),
        cmocka_unit_test(test_cpus_without_cores_count),
        cmocka_unit_test(test_narrowed_affinity_counts),
        cmocka_unit_test(test_jobs_share_common_cores),
        cmocka_unit_test(test_shares_add_up_to_the_cores),
        cmocka_unit_test(test_quota_version_2),
        cmocka_unit_test(test_quota_version_1),
        cmocka_unit_test(test_quota_of_nothing_is_none),
        cmocka_unit_test(test_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
