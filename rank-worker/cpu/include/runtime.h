/*
 * runtime - a name that older generated orchestrations include besides the interface itself.
 */
#ifndef L3R_RUNTIME_H
#define L3R_RUNTIME_H

#include "pto_orchestration_api.h"

#endif
