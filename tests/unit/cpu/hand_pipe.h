/*
 * hand_pipe - tiles between two lanes of a cluster, both ways over two slots, in the memory that the device keeps for
 * a cluster's pipes.
 *
 * It is as weak as pipes of CPU simulations are: a slot is claimed under the lock and copied after it, and popped slots
 * of both directions are in one list, whose first entry is the next to be freed. So it is right only where no other
 * lane pops and frees between a claim and its copy.
 */
#ifndef L3R_TESTS_UNIT_CPU_HAND_PIPE_H
#define L3R_TESTS_UNIT_CPU_HAND_PIPE_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <thread>

extern "C" __attribute__((weak)) void *pto_sim_get_pipe_shared_state(uint64_t key, size_t size);

/* The cluster's T for this key, made by the lane that comes first: the device gives zeroed bytes. */
template <typename T> T &cluster_state(uint64_t key)
{
    struct Place {
        std::atomic<int> made;
        alignas(T) unsigned char bytes[sizeof(T)];
    };
    Place *place = static_cast<Place *>(pto_sim_get_pipe_shared_state(key, sizeof(Place)));
    int none = 0;
    if (place->made.compare_exchange_strong(none, 1)) {
        new (place->bytes) T();
        place->made.store(2);
    }
    while (place->made.load() != 2) {
        std::this_thread::yield();
    }
    return *reinterpret_cast<T *>(place->bytes);
}

/* Counts up; others wait until it has come to a number. */
class Counter
{
    std::mutex mutex;
    std::condition_variable changed;
    int64_t count = 0;

  public:
    void add(int64_t n)
    {
        {
            std::lock_guard<std::mutex> lock(mutex);
            count += n;
        }
        changed.notify_all();
    }

    void wait(int64_t least)
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return count >= least; });
    }
};

/* Who keeps step: aiv0 with the tiles of aic, aiv1 with those of both. */
struct Steps {
    Counter cube, all;
    int64_t cube_before = 0, all_before = 0; /* counts at the beginning of this cluster's block, each of one lane */
};

enum class Way { NONE, TO_VECTOR, TO_CUBE };

template <int ROWS, int COLS> class HandPipe
{
    enum { SLOTS = 2, WORDS = ROWS * COLS };
    struct Slot {
        bool busy = false;
        Way way = Way::NONE; /* set when it may be popped */
        uint64_t number = 0; /* of the push: of two, the smaller is popped first */
        uint32_t words[WORDS];
    };
    std::mutex mutex;
    std::condition_variable changed;
    Slot slots[SLOTS];
    int next = 0;
    uint64_t pushed = 0;
    int popped[SLOTS];
    int npopped = 0;

    bool is_popped(int slot) const
    {
        for (int i = 0; i < npopped; i++) {
            if (popped[i] == slot) {
                return true;
            }
        }
        return false;
    }

    int oldest(Way way) const
    {
        int found = -1;
        for (int i = 0; i < SLOTS; i++) {
            if (slots[i].way == way && !is_popped(i) && (found < 0 || slots[i].number < slots[found].number)) {
                found = i;
            }
        }
        return found;
    }

  public:
    void push(Way way, const uint32_t *words)
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return !slots[next].busy; });
        const int slot = next;
        slots[slot].busy = true;
        lock.unlock();
        for (int i = 0; i < WORDS; i++) {
            slots[slot].words[i] = words[i];
        }
        lock.lock();
        slots[slot].way = way;
        slots[slot].number = pushed++;
        next = (slot + 1) % SLOTS;
        lock.unlock();
        changed.notify_all();
    }

    void pop(Way way, uint32_t *words)
    {
        int slot = -1;
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return (slot = oldest(way)) >= 0; });
        popped[npopped++] = slot;
        lock.unlock();
        for (int col = 0; col < COLS; col++) { /* as slow as a change of layout is */
            for (int row = 0; row < ROWS; row++) {
                words[row * COLS + col] = slots[slot].words[row * COLS + col];
            }
        }
    }

    void free()
    {
        {
            std::lock_guard<std::mutex> lock(mutex);
            const int slot = popped[0];
            npopped--;
            for (int i = 0; i < npopped; i++) {
                popped[i] = popped[i + 1];
            }
            slots[slot].way = Way::NONE;
            slots[slot].busy = false;
        }
        changed.notify_all();
    }
};

#endif
