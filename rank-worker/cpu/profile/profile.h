/*
 * profile - what the rest of the device calls when a dispatch is captured.
 *
 * `dev->profile` is NULL unless the dispatch under way is captured: that one test is all that the rest of the device pays.
 * profile_records.h has the records, profile_*.c one kind of file each.
 */
#ifndef L3R_CPU_PROFILE_H
#define L3R_CPU_PROFILE_H

#include "rank-worker/cpu/state/device_state.h"

/* Capture. All but begin and free are called only while dev->profile is set. */
struct profile_look {
    uint64_t start_ns;
    int32_t ready[3];
};

/* profile_capture.c */
int cpu_profile_begin(struct device *dev, const struct device_switches *switches, struct error *err);
void cpu_profile_end(struct device *dev);      /* nothing more is recorded */
uint32_t cpu_profile_save(struct device *dev); /* device_ops.save_profile */
void cpu_profile_fail(struct device *dev);     /* the dispatch failed */
void cpu_profile_free(struct device *dev);
void cpu_profile_task(struct device *dev, struct task *task, const struct l3r_core_args *args);

/* profile_records.c */
void cpu_profile_thread(uint32_t index); /* of the calling thread; the main one is 0 */

/* profile_swimlane.c */
void cpu_profile_ready(struct device *dev, const struct task *task, int32_t blocks);
void cpu_profile_dispatched(struct device *dev, struct lane *lane);
void cpu_profile_call(struct lane *lane, struct profile_run *run, uint64_t receive_ns);
void cpu_profile_look(struct device *dev, struct profile_look *look);
void cpu_profile_looked(struct device *dev, const struct profile_look *look, const struct lane *lanes);
void cpu_profile_passed(struct device *dev);
void cpu_profile_finishing(struct device *dev, struct lane *lane, struct profile_look *look);
void cpu_profile_finished(struct device *dev, const struct profile_look *look);
void cpu_profile_not_run(struct device *dev, const struct task *task, bool predicated);
uint64_t cpu_profile_submitting(const struct device *dev);
void cpu_profile_submitted(struct device *dev, uint64_t task, uint64_t index, uint64_t start_ns);

/* profile_deps.c */
void cpu_profile_producers(struct device *dev);
void cpu_profile_explicit(struct device *dev, uint64_t pred, uint8_t kinds);
void cpu_profile_argument(struct device *dev, int32_t arg);
void cpu_profile_creator(struct device *dev, const struct l3r_tensor *tensor);
void cpu_profile_overlap(struct device *dev, uint64_t pred, const struct l3r_tensor *consumer,
                         const struct l3r_tensor *producer, bool covered);

/* profile_scopes.c */
void cpu_profile_site(struct device *dev, const char *file, int line);
/* `ndep`: recorded writes of the dispatch (cpu_depmap_count). */
void cpu_profile_scope(struct device *dev, bool end, uint64_t ndep);

/* profile_args.c */
void cpu_profile_args(struct device *dev, const struct task *task, bool after);

#endif
