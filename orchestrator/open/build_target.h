/*
 * build_target - the two ways in which the stack names what a build is for: a platform ("a2a3sim"), or a backend type and an
 * execution mode ("Ascend910B", "sim").
 */
#ifndef L3R_ORCHESTRATOR_OPEN_BUILD_TARGET_H
#define L3R_ORCHESTRATOR_OPEN_BUILD_TARGET_H

#include <stdbool.h>

#include "orchestrator/open/build_info.h"

/* Names of backend types; NULL after the last. Their number in it is what the others take. */
extern const char *const target_backends[];

/* The number of a backend type; -1: not known. */
int target_backend(const char *name);

/* 1: a simulator, 0: hardware, -1: the mode is not known. Any case. */
int target_mode(const char *word);

/* Known words for a mode, for messages. */
#define TARGET_MODES "sim, simulator, simulation, onboard, hardware, device, npu"

const char *target_platform(int backend, bool simulated);

/* What the command line says over the metadata: any of the three may be NULL. What is not said stays as it is. Errors are of
 * kind ERROR_USAGE: unknown words, and a platform that is not what the other two mean. */
int build_set_target(struct build *b, const char *platform, const char *backend_type, const char *execution_mode,
                     struct error *err);

#endif
