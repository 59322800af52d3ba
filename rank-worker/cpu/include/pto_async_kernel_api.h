/*
 * pto_async_kernel_api - refused: kernels that complete later than they return.
 */
#error "deferred completion (pld.system.defer_wait) is not available on the cpu device"
