/*
 * async_kernel_api - the name since August 2026 of pto_async_kernel_api, which it includes.
 */
#ifndef L3R_ASYNC_KERNEL_API_H
#define L3R_ASYNC_KERNEL_API_H

#include "pto_async_kernel_api.h"

#endif
