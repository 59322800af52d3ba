/*
 * runtime_status - the name since August 2026 of pto_runtime_status, which it includes.
 */
#ifndef L3R_RUNTIME_STATUS_H
#define L3R_RUNTIME_STATUS_H

#include "pto_runtime_status.h"

#endif
