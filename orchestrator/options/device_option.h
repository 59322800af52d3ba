/*
 * device_option - --device and --simpler-root, which several commands take.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_DEVICE_OPTION_H
#define L3R_ORCHESTRATOR_OPTIONS_DEVICE_OPTION_H

#include <argp.h>

#include "orchestrator/device/device_choice.h"

/* Use as a child parser whose input is a struct device_options. */
extern const struct argp device_argp;

#endif
