/*
 * submit_types - the name since August 2026 of pto_submit_types, which it includes.
 */
#ifndef L3R_SUBMIT_TYPES_H
#define L3R_SUBMIT_TYPES_H

#include "pto_submit_types.h"

#endif
