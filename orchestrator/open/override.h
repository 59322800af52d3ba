/*
 * override - what the command line says about an opened build, over its metadata; and whether a device can have it.
 */
#ifndef L3R_ORCHESTRATOR_OPEN_OVERRIDE_H
#define L3R_ORCHESTRATOR_OPEN_OVERRIDE_H

#include "orchestrator/open/build_info.h"

/* Override what the metadata says. `spec` is the text of --device-ids: "0,1,4" or "0-3" or a mix.
 * Errors are of kind ERROR_USAGE. */
int build_set_device_ids(struct build *b, const char *spec, struct error *err);
int build_set_platform(struct build *b, const char *platform, struct error *err);

/* Every parameter's dtype can be handed to `device` ("cpu", or one that takes what the runtime has a number for); else an error naming parameter
 * and dtype. Call it before anything runs: a build with other dtypes can be opened and inspected. */
int build_check_dtypes(const struct build *b, const char *device, struct error *err);

#endif
