/*
 * libc - finds the C library's own functions where the executor exports others under the same names (waits.c).
 */
#ifndef L3R_CPU_LIBC_H
#define L3R_CPU_LIBC_H

#include <pthread.h>

/* The C library's function `name`; `known` caches it. */
void *cpu_libc_find(_Atomic(void *) *known, const char *name);

#define CPU_LIBC(name)                                                                                                 \
    ({                                                                                                                 \
        static _Atomic(void *) known_;                                                                                 \
        (__typeof__(&(name)))cpu_libc_find(&known_, #name);                                                            \
    })

/* Wake one thread of the device's own; pthread_cond_signal() is for those of kernels. */
void cpu_wake(pthread_cond_t *cond);

#endif
