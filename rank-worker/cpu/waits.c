/*
 * waits - the functions of the C library in which a kernel can block, as kernels see them.
 *
 * The executor exports them, so they stand before the C library's for all that is
 * loaded later: kernels and the C++ library below them. A lane that takes turns
 * (turns.h) gives its turn up while it waits; for every other thread they do nothing
 * but call the C library. What C++ offers ends in these, compiled with g++ 12 and with
 * clang 19: condition variables, mutexes and thread::join in the functions of their
 * names, sleep_for in nanosleep, yield in sched_yield, and atomic wait, semaphores,
 * barriers, latches, futures and the guards of static variables in syscall(SYS_futex).
 * A lane that blocks elsewhere (call_once, poll, read) loses its turn to the monitor.
 *
 * docs/formats.md, "Threads of the cpu device".
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "rank-worker/cpu/libc.h"
#include "rank-worker/cpu/state/kernel_call.h"
#include "rank-worker/cpu/turns.h"

/* Around a call that blocks. */
struct wait {
    struct lane *lane;  /* that has given its turn up; NULL: none */
    struct lane *noted; /* whose call was noted; NULL: none */
};

static struct wait leave(const char *call)
{
    struct wait w = {.noted = cpu_lane_waits(call)};
    w.lane = cpu_lane_enter();
    if (w.lane) {
        cpu_turn_leave(w.lane);
    }
    return w;
}

static void back(struct wait w)
{
    const int before = errno;
    if (w.lane) {
        cpu_turn_back(w.lane);
        cpu_lane_return(w.lane);
    }
    cpu_lane_goes_on(w.noted);
    errno = before;
}

/* A function of this name that gives the turn up around the C library's. */
#define BLOCKING(type, name, params, ...)                                                                              \
    type name params                                                                                                   \
    {                                                                                                                  \
        const struct wait w = leave(#name);                                                                            \
        const type rc = CPU_LIBC(name)(__VA_ARGS__);                                                                   \
        back(w);                                                                                                       \
        return rc;                                                                                                     \
    }

BLOCKING(int, nanosleep, (const struct timespec *time, struct timespec *left), time, left)
BLOCKING(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left), clock,
         flags, time, left)
BLOCKING(int, usleep, (useconds_t us), us)
BLOCKING(unsigned, sleep, (unsigned seconds), seconds)
BLOCKING(int, pthread_join, (pthread_t thread, void **result), thread, result)
BLOCKING(int, pthread_barrier_wait, (pthread_barrier_t * barrier), barrier)
BLOCKING(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), lock)
BLOCKING(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), lock)
BLOCKING(int, pthread_mutex_timedlock, (pthread_mutex_t *restrict mutex, const struct timespec *restrict until), mutex,
         until)
BLOCKING(int, pthread_mutex_clocklock,
         (pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict until), mutex, clock, until)
BLOCKING(int, sem_wait, (sem_t * sem), sem)
BLOCKING(int, sem_timedwait, (sem_t *restrict sem, const struct timespec *restrict until), sem, until)
BLOCKING(int, sem_clockwait, (sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until), sem, clock,
         until)

/* The order in which lanes go on is that of their turns, not of the system's queue. */
static bool yield_turn(void)
{
    struct lane *lane = cpu_lane_enter();
    if (!lane) {
        return false;
    }
    const bool others = cpu_turn_yield(lane);
    cpu_lane_return(lane);
    return others;
}

int sched_yield(void)
{
    struct lane *noted = cpu_lane_waits("sched_yield");
    const int rc = yield_turn() ? 0 : CPU_LIBC(sched_yield)();
    cpu_lane_goes_on(noted);
    return rc;
}

/* Who holds a mutex may have given up its turn with it, so nobody waits for one with the turn. */
static int lock_in_turn(struct lane *lane, pthread_mutex_t *mutex)
{
    int rc = pthread_mutex_trylock(mutex);
    if (rc == EBUSY) {
        const bool noted = lane_call_enter(&lane->call, "pthread_mutex_lock");
        cpu_turn_leave(lane);
        rc = CPU_LIBC(pthread_mutex_lock)(mutex);
        cpu_turn_back(lane);
        cpu_lane_goes_on(noted ? lane : NULL);
    }
    return rc;
}

/* A call is noted only when it blocks: kernels lock mutexes often. */
static int lock_freely(pthread_mutex_t *mutex)
{
    struct lane *lane = cpu_lane_running();
    if (!lane) {
        return CPU_LIBC(pthread_mutex_lock)(mutex);
    }
    int rc = pthread_mutex_trylock(mutex);
    if (rc == EBUSY) {
        const bool noted = lane_call_enter(&lane->call, "pthread_mutex_lock");
        rc = CPU_LIBC(pthread_mutex_lock)(mutex);
        cpu_lane_goes_on(noted ? lane : NULL);
    }
    return rc;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct lane *lane = cpu_lane_enter();
    if (!lane) {
        return lock_freely(mutex);
    }
    cpu_turn_point(lane);
    const int rc = lock_in_turn(lane, mutex);
    cpu_lane_return(lane);
    return rc;
}

static int wait_in_turn(struct lane *lane, pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    const int rc = cpu_turn_wait(lane, cond, mutex);
    return rc ? rc : lock_in_turn(lane, mutex);
}

int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    struct lane *self = cpu_lane_running(), *lane = cpu_lane_enter();
    const bool noted = self && lane_call_enter(&self->call, "pthread_cond_wait");
    const int rc = lane ? wait_in_turn(lane, cond, mutex) : CPU_LIBC(pthread_cond_wait)(cond, mutex);
    if (lane) {
        cpu_lane_return(lane);
    }
    cpu_lane_goes_on(noted ? self : NULL);
    return rc;
}

/* With a deadline the C library waits, whichever clock it is of. It returns with the mutex, for which another lane may
 * wait with the turn. */
#define TIMED_WAIT(name, cond, mutex, ...)                                                                             \
    const struct wait w = leave(#name);                                                                                \
    const int rc = CPU_LIBC(name)(cond, mutex, __VA_ARGS__);                                                           \
    if (w.lane && (!rc || rc == ETIMEDOUT)) {                                                                          \
        pthread_mutex_unlock(mutex);                                                                                   \
        cpu_turn_back(w.lane);                                                                                         \
        const int locked = lock_in_turn(w.lane, mutex);                                                                \
        cpu_lane_return(w.lane);                                                                                       \
        cpu_lane_goes_on(w.noted);                                                                                     \
        return locked ? locked : rc;                                                                                   \
    }                                                                                                                  \
    back(w);                                                                                                           \
    return rc;

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    TIMED_WAIT(pthread_cond_timedwait, cond, mutex, until)
}

int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t clock,
                           const struct timespec *restrict until)
{
    TIMED_WAIT(pthread_cond_clockwait, cond, mutex, clock, until)
}

/* Lanes that wait for it do so in cpu_turn_wait(); others in the C library. */
static struct lane *signalling(const pthread_cond_t *cond)
{
    struct lane *lane = cpu_lane_enter();
    cpu_turn_signal(cond);
    return lane;
}

static void signalled(struct lane *lane)
{
    if (lane) {
        cpu_turn_offer(lane);
        cpu_lane_return(lane);
    }
}

int pthread_cond_signal(pthread_cond_t *cond)
{
    struct lane *lane = signalling(cond);
    const int rc = CPU_LIBC(pthread_cond_signal)(cond);
    signalled(lane);
    return rc;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
    struct lane *lane = signalling(cond);
    const int rc = CPU_LIBC(pthread_cond_broadcast)(cond);
    signalled(lane);
    return rc;
}

static bool futex_waits(long number, long op)
{
    const long what = op & FUTEX_CMD_MASK;
    return number == SYS_futex && (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI);
}

/* A system call has at most six arguments, each a register. */
long syscall(long number, ...)
{
    long a[6];
    va_list ap;
    va_start(ap, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(ap, long);
    }
    va_end(ap);
    const struct wait w = futex_waits(number, a[1]) ? leave("futex") : (struct wait){NULL, NULL};
    const long rc = CPU_LIBC(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    back(w);
    return rc;
}
