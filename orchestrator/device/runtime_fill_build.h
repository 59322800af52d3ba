/*
 * runtime_fill_build - the object that fills the structures of an installed runtime (rank-worker/simpler/fill), compiled
 * against that runtime's headers and kept in the object store.
 */
#ifndef L3R_ORCHESTRATOR_DEVICE_RUNTIME_FILL_BUILD_H
#define L3R_ORCHESTRATOR_DEVICE_RUNTIME_FILL_BUILD_H

#include "orchestrator/device/runtime_info.h"

/* `*path`: of the object, to be freed; it stays as long as this process lives. INFRA when the runtime's headers lack what
 * is needed: the compiler's words, which name it, are in the log. */
int runtime_fill_build(const struct runtime_info *info, char **path, struct error *err);

#endif
