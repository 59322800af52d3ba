#include "rank-worker/cpu/libc.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/log.h"

void *cpu_libc_find(_Atomic(void *) *known, const char *name)
{
    void *fn = atomic_load_explicit(known, memory_order_relaxed);
    if (!fn) {
        fn = dlsym(RTLD_NEXT, name);
        if (!fn) {
            log_msg(LOG_ERROR, "the C library has no %s", name);
            abort();
        }
        atomic_store_explicit(known, fn, memory_order_relaxed);
    }
    return fn;
}

void cpu_wake(pthread_cond_t *cond)
{
    CPU_LIBC(pthread_cond_signal)(cond);
}
