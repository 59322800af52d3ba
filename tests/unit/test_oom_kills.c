/* Kills for the memory limit, as control groups count them: files as cgroup-v2 and cgroup-v1 (memory) of the kernel's
 * documentation have them. */
#include "common/base/oom_kills.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.h"

static const char v2[] = "low 0\nhigh 7\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n";
static const char v1[] = "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n";

static char *dir;

static int set_up(void **state)
{
    (void)state;
    dir = temp_dir_make();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

static void put(const char *folder, const char *file, const char *text)
{
    char path[512];

    snprintf(path, sizeof path, "mkdir -p %s/%s", dir, folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    temp_dir_put_text(dir, path, text);
}

static void expect(const char *list, uint64_t count)
{
    char path[512];

    temp_dir_put_text(dir, "list", list);
    snprintf(path, sizeof path, "%s/list", dir);
    assert_int_equal(oom_kills_read(path, dir), count);
}

static void both_versions_count(void **state)
{
    (void)state;
    put("job", "memory.events", v2);
    put("memory/job", "memory.oom_control", v1);
    expect("0::/job\n", 2);
    expect("9:name=systemd:/\n4:hugetlb,memory:/job\n0::/none\n", 5);
    expect("4:memory_other:/job\n", 0);
}

/* A container sees its group at the mount, under a path of the host's. */
static void a_container_sees_its_own_group_at_the_mount(void **state)
{
    (void)state;
    expect("0::/docker/1\n", 0);
    put(".", "memory.events", v2);
    expect("0::/docker/1\n", 2);
    expect("0::/\n", 2);
}

static void what_is_not_there_counts_nothing(void **state)
{
    (void)state;
    expect("", 0);
    expect("garbage\n::\n", 0);
    assert_int_equal(oom_kills_read("/nonexistent", dir), 0);
    assert_int_equal(oom_kills_since(), 0);
    oom_kills_begin();
    assert_non_null(strstr(oom_kills_hint(), "dmesg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_versions_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_container_sees_its_own_group_at_the_mount, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_there_counts_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
