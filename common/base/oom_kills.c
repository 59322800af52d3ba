#include "common/base/oom_kills.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint64_t at_start;
static bool begun;

/* The line "oom_kill N"; false: there is no such file or line. */
static bool read_count(const char *mount, const char *group, const char *file, uint64_t *count)
{
    char path[4400], line[128];
    unsigned long long value;
    bool found = false;
    FILE *f;

    if (snprintf(path, sizeof path, "%s%s/%s", mount, group, file) >= (int)sizeof path) {
        return false;
    }
    f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        found = sscanf(line, "oom_kill %llu", &value) == 1;
    }
    if (f) {
        fclose(f);
    }
    if (found) {
        *count = value;
    }
    return found;
}

static bool read_group(const char *mount, const char *group, const char *file, uint64_t *count)
{
    return read_count(mount, strcmp(group, "/") == 0 ? "" : group, file, count) || read_count(mount, "", file, count);
}

/* Whether "memory" is one of `controllers`: "hugetlb,memory". */
static bool has_memory(const char *controllers)
{
    const char *at = strstr(controllers, "memory");
    return at && (at == controllers || at[-1] == ',') && (at[6] == '\0' || at[6] == ',');
}

uint64_t oom_kills_read(const char *list, const char *mount)
{
    char line[4096], v1[4096];
    uint64_t count = 0;
    bool found = false;
    FILE *f = fopen(list, "re");

    if (!f) {
        return 0;
    }
    snprintf(v1, sizeof v1, "%s/memory", mount);
    /* "<id>:<controllers>:<path>"; no controllers is version 2. */
    while (!found && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;

        if (!group) {
            continue;
        }
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (names[1] == '\0') {
            found = read_group(mount, group, "memory.events", &count);
        } else if (has_memory(names + 1)) {
            found = read_group(v1, group, "memory.oom_control", &count);
        }
    }
    fclose(f);
    return count;
}

void oom_kills_begin(void)
{
    at_start = oom_kills_read("/proc/self/cgroup", "/sys/fs/cgroup");
    begun = true;
}

uint64_t oom_kills_since(void)
{
    const uint64_t now = begun ? oom_kills_read("/proc/self/cgroup", "/sys/fs/cgroup") : 0;
    return now > at_start ? now - at_start : 0;
}

const char *oom_kills_hint(void)
{
    return oom_kills_since()
               ? "the memory limit of the control group was reached, and the kernel killed a process of it: "
                 "raise the limit, or run fewer cards at once"
               : "look for the out-of-memory killer of the host (dmesg), or for the process that sent the "
                 "signal";
}
