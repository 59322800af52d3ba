/*
 * pto_async_kernel_api - refused: kernels that complete later than they return.
 */
#error "deferred completion (pld.system.defer_wait, pto_async_kernel_api.h) is not available on the cpu device; use --device simpler"
