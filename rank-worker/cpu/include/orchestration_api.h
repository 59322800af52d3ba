/*
 * orchestration_api - the name since August 2026 of pto_orchestration_api, which it includes.
 */
#ifndef L3R_ORCHESTRATION_API_H
#define L3R_ORCHESTRATION_API_H

#include "pto_orchestration_api.h"

#endif
