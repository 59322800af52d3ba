/* A kernel object that has PTO-ISA's lock of atomic adds by its name, as a weak symbol; -DLANE=0, 1 or 2. */
#include <pthread.h>

#include "atomic.h"
#include "mixed.h"

extern "C" {
__attribute__((weak)) pthread_mutex_t _ZZN3pto3cpu14AtomicAddMutexEvE5mutex = PTHREAD_MUTEX_INITIALIZER;

void kernel_entry(int64_t *args)
{
    struct atomic_memory *m = reinterpret_cast<struct atomic_memory *>(args[KERNEL_MEMORY]);
    m->mutexes[LANE] = reinterpret_cast<uintptr_t>(&_ZZN3pto3cpu14AtomicAddMutexEvE5mutex);
}
}
