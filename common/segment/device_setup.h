/*
 * device_setup - what a device needs to know that is the same for all cards of a job: in the segment's header, filled by
 * process 0.
 *
 * Paths are absolute, and must name the same files on every host. All zero is the cpu device.
 */
#ifndef L3R_COMMON_SEGMENT_DEVICE_SETUP_H
#define L3R_COMMON_SEGMENT_DEVICE_SETUP_H

#include <stdint.h>

enum { DEVICE_PATH = 1024, DEVICE_RINGS = 4 };

enum device_kind { DEVICE_CPU = 0, DEVICE_SIMPLER };

struct device_setup {
    uint32_t kind; /* enum device_kind */

    /* Of an installed simpler runtime (rank-worker/simpler). */
    char root[DEVICE_PATH];
    char revision[80];      /* "" when it is not known */
    char fill[DEVICE_PATH]; /* the object compiled from rank-worker/simpler/fill */
    char host[DEVICE_PATH]; /* libhost_runtime.so, as the following are files of the runtime; "": none */
    char aicpu[DEVICE_PATH];
    char aicore[DEVICE_PATH];
    char sim_context[DEVICE_PATH];
    char dispatcher[DEVICE_PATH];
    int32_t aicpu_thread_num;                                                       /* 0: the runtime's */
    uint64_t task_window[DEVICE_RINGS], heap[DEVICE_RINGS], dep_pool[DEVICE_RINGS]; /* 0: the runtime's */
};

/* Its name, as --device has it. */
static inline const char *device_kind_name(enum device_kind kind)
{
    return kind == DEVICE_SIMPLER ? "simpler" : "cpu";
}

#endif
