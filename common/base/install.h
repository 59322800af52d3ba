/*
 * install - where the parts of l3replay are: beside the running program when it is installed
 * (../libexec/l3replay, ../share/l3replay), in the build and source trees when it is not.
 */
#ifndef L3R_COMMON_BASE_INSTALL_H
#define L3R_COMMON_BASE_INSTALL_H

#include <stddef.h>

#include "common/base/error.h"

enum install_part {
    INSTALL_EXECUTOR,         /* the l3replay-executor binary; $L3REPLAY_EXECUTOR overrides */
    INSTALL_SIMPLER_EXECUTOR, /* the l3replay-simpler-executor binary; $L3REPLAY_SIMPLER_EXECUTOR overrides */
    INSTALL_FILL,     /* the source that is compiled against a runtime's headers; $L3REPLAY_FILL_DIR overrides */
    INSTALL_INCLUDE,  /* headers for kernels and orchestrations; $L3REPLAY_INCLUDE_DIR overrides */
    INSTALL_RECORDER, /* directory of the Python helper; $L3REPLAY_RECORDER_DIR overrides */
};

/* Write the absolute path of `part` to `buf`. Fails, naming the places looked at, when it is nowhere. */
int install_find(enum install_part part, char *buf, size_t size, struct error *err);

#endif
