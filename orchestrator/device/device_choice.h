/*
 * device_choice - which device runs a build, and all that it needs before executors start.
 */
#ifndef L3R_ORCHESTRATOR_DEVICE_DEVICE_CHOICE_H
#define L3R_ORCHESTRATOR_DEVICE_DEVICE_CHOICE_H

#include "common/plan/plan.h"
#include "common/plan/program_table.h"
#include "common/segment/device_setup.h"
#include "orchestrator/device/runtime_info.h"
#include "orchestrator/open/build_info.h"

/* As the user asked; zeros leave the choice to us and the sizes to the runtime. */
struct device_options {
    const char *name;         /* "auto", "cpu" or "simpler"; NULL: auto */
    const char *simpler_root; /* NULL: not given */
    uint64_t task_window[DEVICE_RINGS], heap[DEVICE_RINGS], dep_pool[DEVICE_RINGS];
    int32_t aicpu_thread_num;
    struct args cpu_unused; /* notes on what was given and has no effect on the cpu device */
};

/* auto is simpler on platforms without a simulator, cpu on others. INFRA when the device cannot run the platform. */
int device_choose(const struct device_options *options, const struct build *build, enum device_kind *kind,
                  struct error *err);

/* For the simpler device: find the runtime for the platform and for what the programs were made for, have its commands in
 * `info`, and what executors need in `setup`. Freed with runtime_info_free(), also after an error. */
int device_prepare_simpler(const struct device_options *options, const struct build *build,
                           const struct program_table *programs, const bool *wanted, struct runtime_info *info,
                           struct device_setup *setup, struct error *err);

#endif
