#include "common/base/perf.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_open(uint32_t type, uint64_t config, int leader)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = type,
                                   .config = config,
                                   .read_format = PERF_FORMAT_GROUP,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

bool perf_has_cycles(void)
{
    int fd = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1);

    if (fd < 0) {
        return false;
    }
    close(fd);
    return true;
}
