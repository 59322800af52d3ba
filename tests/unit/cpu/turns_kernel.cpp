/* Lanes that need each other; -DLANE=0, 1 or 2. */
#include <chrono>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "intrinsic.h"

#include "hand_pipe.h"
#include "mixed.h"
#include "turns_kernel.h"
#include "turns_common.h"

using namespace std::chrono_literals;

/* What the lanes of one block share. Turn t is lane (2 - t % 3)'s. */
struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<int> turn{0};
    std::barrier<> barrier{3};
    std::latch latches[TURNS_ROUNDS] = {std::latch(3), std::latch(3), std::latch(3), std::latch(3), std::latch(3),
                                        std::latch(3), std::latch(3), std::latch(3), std::latch(3), std::latch(3),
                                        std::latch(3), std::latch(3), std::latch(3), std::latch(3), std::latch(3),
                                        std::latch(3), std::latch(3), std::latch(3), std::latch(3), std::latch(3)};
    std::counting_semaphore<> semaphores[3] = {std::counting_semaphore<>(0), std::counting_semaphore<>(0),
                                               std::counting_semaphore<>(1)};
    pthread_barrier_t pthread_barrier;
    sem_t sems[3];
    int logged = 0, gone = 0;

    Shared()
    {
        pthread_barrier_init(&pthread_barrier, nullptr, 3);
        for (int i = 0; i < 3; i++) {
            sem_init(&sems[i], 0, i == 2);
        }
    }
    bool mine() const
    {
        return turn.load() % 3 == 2 - LANE;
    }
};

enum { NEXT_LANE = (LANE + 2) % 3 };

template <typename Wait> static void by_condition(Shared &s, Wait wait)
{
    {
        std::unique_lock<std::mutex> lock(s.mutex);
        wait(lock);
        s.turn++;
    }
    s.changed.notify_all();
}

template <typename Pause> static void by_polling(Shared &s, Pause pause)
{
    while (!s.mine()) {
        pause();
    }
    s.turn++;
}

static void by_held_mutex(Shared &s)
{
    for (bool done = false; !done;) {
        std::lock_guard<std::mutex> lock(s.mutex);
        sched_yield();
        if (s.mine()) {
            s.turn++;
            done = true;
        }
    }
}

static void by_join(Shared &s)
{
    std::thread other([&s] { by_condition(s, [&s](auto &lock) { s.changed.wait(lock, [&s] { return s.mine(); }); }); });
    other.join();
}

static void one_round(Shared &s, int64_t way, int round)
{
    const auto mine = [&s] { return s.mine(); };
    const struct timespec ns = {0, 1000};

    switch (way) {
    case TURNS_CONDITION_WAIT:
        return by_condition(s, [&](auto &lock) { s.changed.wait(lock, mine); });
    case TURNS_CONDITION_WAIT_FOR:
        return by_condition(s, [&](auto &lock) {
            while (!s.changed.wait_for(lock, 1h, mine)) {
            }
        });
    case TURNS_CONDITION_WAIT_UNTIL:
        return by_condition(s, [&](auto &lock) {
            while (!s.changed.wait_until(lock, std::chrono::system_clock::now() + 1h, mine)) {
            }
        });
    case TURNS_MUTEX_HELD_OVER_YIELD:
        return by_held_mutex(s);
    case TURNS_SCHED_YIELD:
        return by_polling(s, [] { sched_yield(); });
    case TURNS_THREAD_YIELD:
        return by_polling(s, [] { std::this_thread::yield(); });
    case TURNS_SLEEP_FOR:
        return by_polling(s, [] { std::this_thread::sleep_for(1us); });
    case TURNS_USLEEP:
        return by_polling(s, [] { usleep(1); });
    case TURNS_NANOSLEEP:
        return by_polling(s, [&] { nanosleep(&ns, nullptr); });
    case TURNS_CLOCK_NANOSLEEP:
        return by_polling(s, [&] { clock_nanosleep(CLOCK_MONOTONIC, 0, &ns, nullptr); });
    case TURNS_ATOMIC_WAIT:
        return turn_by_atomic(s.turn, 2 - LANE);
    case TURNS_STD_BARRIER:
        return meet_at_barrier(s.barrier);
    case TURNS_STD_LATCH:
        return meet_at_latch(s.latches[round]);
    case TURNS_STD_SEMAPHORE:
        return pass_semaphore(s.semaphores[LANE], s.semaphores[NEXT_LANE]);
    case TURNS_PTHREAD_BARRIER:
        pthread_barrier_wait(&s.pthread_barrier);
        return;
    case TURNS_SEM_WAIT:
        while (sem_wait(&s.sems[LANE])) {
        }
        sem_post(&s.sems[NEXT_LANE]);
        return;
    case TURNS_PTHREAD_JOIN:
        return by_join(s);
    }
}

static void write_down(Shared &s, struct turns_memory *m)
{
    for (int step = 0; step < TURNS_STEPS; step++) {
        std::unique_lock<std::mutex> lock(s.mutex);
        m->log[s.logged] = LANE;
        const int mine = ++s.logged;
        s.changed.notify_all();
        s.changed.wait(lock, [&] { return s.logged > mine || s.gone == 2; });
    }
    std::lock_guard<std::mutex> lock(s.mutex);
    s.gone++;
    s.changed.notify_all();
}

static void write_down_and_yield(Shared &s, struct turns_memory *m)
{
    for (int step = 0; step < TURNS_STEPS; step++) {
        m->log[s.logged++] = LANE;
        sched_yield();
    }
}

static void wait_for_signal(Shared &s, struct turns_memory *m)
{
    std::unique_lock<std::mutex> lock(s.mutex);
    if (LANE == 0) {
        s.changed.wait(lock);
        m->done[0] = s.gone;
    } else if (LANE == 1) {
        lock.unlock();
        usleep(200000);
        lock.lock();
        s.gone = 1;
        s.changed.notify_all();
    }
}

static void meet_all(struct turns_memory *m, int64_t count)
{
    pthread_mutex_lock(&m->lock);
    m->arrived++;
    pthread_cond_broadcast(&m->changed);
    while (m->arrived < count) {
        pthread_cond_wait(&m->changed, &m->lock);
    }
    pthread_mutex_unlock(&m->lock);
}

static void meet_peer(struct turns_memory *m, int64_t card, int64_t run, int64_t block, int64_t nblock)
{
    __atomic_store_n(&m->flags[card][3 * block + LANE], run + 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&m->flags[1 - card][3 * (nblock - 1 - block) + LANE], __ATOMIC_SEQ_CST) <= run) {
        std::this_thread::yield();
    }
}

extern "C" void kernel_entry(int64_t *args)
{
    struct turns_memory *m = reinterpret_cast<struct turns_memory *>(args[KERNEL_MEMORY]);
    const int64_t op = args[KERNEL_OP];
    const int64_t block = get_block_idx(args), nblock = get_block_num(args);

    if (op == TURNS_YIELD_LOG) {
        write_down_and_yield(cluster_state<Shared>(1), m);
    } else if (op == TURNS_SIGNAL) {
        wait_for_signal(cluster_state<Shared>(1), m);
    } else if (op == TURNS_COUNT) {
        __atomic_add_fetch(&m->counted, 1, __ATOMIC_SEQ_CST);
    } else if (op == TURNS_ALL) {
        meet_all(m, 3 * nblock);
    } else if (op == TURNS_PEER) {
        meet_peer(m, args[KERNEL_A], args[KERNEL_B], block, nblock);
    } else if (op == TURNS_LOG) {
        write_down(cluster_state<Shared>(9), m);
    } else {
        Shared &s = cluster_state<Shared>(9);
        for (int round = 0; round < TURNS_ROUNDS; round++) {
            if (op == TURNS_SPIN) { /* no call at all while it waits */
                while (!s.mine()) {
                }
                s.turn++;
            } else {
                one_round(s, op, round);
            }
            m->done[LANE]++;
        }
    }
}
