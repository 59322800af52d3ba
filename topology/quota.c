#include "topology/quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int to_cpus(long long quota, long long period)
{
    return quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

/* cpu.max: "<quota or max> <period>", microseconds. */
static int read_v2(const char *dir)
{
    char path[4200];
    long long quota, period;
    FILE *f;
    int n;

    snprintf(path, sizeof path, "%s/cpu.max", dir);
    f = fopen(path, "re");
    if (!f) {
        return 0;
    }
    n = fscanf(f, "%lld %lld", &quota, &period);
    fclose(f);
    return n == 2 ? to_cpus(quota, period) : 0;
}

static long long read_long(const char *dir, const char *name)
{
    char path[4200];
    long long value;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "re");
    if (!f) {
        return 0;
    }
    if (fscanf(f, "%lld", &value) != 1) {
        value = 0;
    }
    fclose(f);
    return value;
}

static int read_v1(const char *dir)
{
    return to_cpus(read_long(dir, "cpu.cfs_quota_us"), read_long(dir, "cpu.cfs_period_us"));
}

/* Smallest over `mount`/`group` and all directories above it up to `mount`. */
static int walk(const char *mount, const char *group, int (*read)(const char *dir))
{
    int least = 0, cpus;
    char dir[4096];
    size_t top = strlen(mount);

    if (snprintf(dir, sizeof dir, "%s%s", mount, group) >= (int)sizeof dir) {
        return 0;
    }
    for (;;) {
        cpus = read(dir);
        if (cpus > 0 && (least == 0 || cpus < least)) {
            least = cpus;
        }
        if (strlen(dir) <= top) {
            return least;
        }
        *strrchr(dir, '/') = '\0';
    }
}

/* Whether "cpu" is one of `controllers`, which come in any order: "cpuacct,cpu". */
static bool has_cpu(const char *controllers)
{
    const char *name = controllers;

    for (size_t length; *name; name += length + (name[length] == ',')) {
        length = strcspn(name, ",");
        if (length == 3 && strncmp(name, "cpu", 3) == 0) {
            return true;
        }
    }
    return false;
}

int quota_cpus(const char *list, const char *mount)
{
    char line[4096], v1[4096];
    FILE *f = fopen(list, "re");
    int cpus = 0;

    if (!f) {
        return 0;
    }
    snprintf(v1, sizeof v1, "%s/cpu", mount);
    /* "<id>:<controllers>:<path>"; id 0 and no controllers is version 2. */
    while (cpus == 0 && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group) {
            continue;
        }
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (names[1] == '\0') {
            cpus = walk(mount, group, read_v2);
        } else if (has_cpu(names + 1)) {
            cpus = walk(v1, group, read_v1);
        }
    }
    fclose(f);
    return cpus;
}
