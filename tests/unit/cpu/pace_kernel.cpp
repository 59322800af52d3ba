/* Lanes that go on at different paces; -DLANE=0, 1 or 2. */
#include <time.h>
#include <unistd.h>

#include "intrinsic.h"

#include "hand_pipe.h"
#include "mixed.h"
#include "pace.h"

enum { SIDE = 64, WORDS = SIDE * SIDE };
using Tiles = HandPipe<SIDE, SIDE>;

struct Turns {
    std::mutex mutex;
    std::condition_variable changed;
    int logged = 0, gone = 0;
};

/* Calls nothing in which a lane gives its turn up, or by which the device would see it. */
static void compute(int64_t ns)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    const int64_t until = t.tv_sec * 1000000000ll + t.tv_nsec + ns;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while (t.tv_sec * 1000000000ll + t.tv_nsec < until);
}

static bool holds(const uint32_t *tile, uint32_t value)
{
    for (int i = 0; i < WORDS; i++) {
        if (tile[i] != value) {
            return false;
        }
    }
    return true;
}

static void fill(uint32_t *tile, uint32_t value)
{
    for (int i = 0; i < WORDS; i++) {
        tile[i] = value;
    }
}

/* aic and aiv0 are slow in the middle of the exchange. */
static void exchange(pace_memory *m, int64_t slow_lane)
{
    Tiles &pipe = cluster_state<Tiles>(6);
    uint32_t tile[WORDS];
    if (LANE == 2 && slow_lane == 2) {
        compute(PACE_LONG_NS);
    }
    for (uint32_t i = 0; LANE < 2 && i < PACE_TILES; i++) {
        if (LANE == slow_lane && i == PACE_TILES / 2) {
            compute(PACE_LONG_NS);
        }
        if (LANE == 0) {
            fill(tile, i);
            pipe.push(Way::TO_VECTOR, tile);
            pipe.pop(Way::TO_CUBE, tile);
            m->right[0] += holds(tile, i + 1000);
            pipe.free();
        } else {
            pipe.pop(Way::TO_VECTOR, tile);
            m->right[1] += holds(tile, i);
            pipe.free();
            fill(tile, i + 1000);
            pipe.push(Way::TO_CUBE, tile);
        }
    }
}

static void read_what_a_lane_writes(pace_memory *m, int in, int out)
{
    char byte = 0;
    if (LANE == 0 && read(in, &byte, 1) == 1) {
        m->byte = byte;
    } else if (LANE == 1) {
        byte = PACE_BYTE;
        while (write(out, &byte, 1) < 0) {
        }
    }
}

/* A lane waits until another has noted a turn of its own, so who is next is decided at each step. */
static void note_turns(Turns &s, pace_memory *m)
{
    for (int step = 0; step < PACE_STEPS; step++) {
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

extern "C" void kernel_entry(int64_t *args)
{
    pace_memory *m = reinterpret_cast<pace_memory *>(args[KERNEL_MEMORY]);
    switch (args[KERNEL_OP]) {
    case PACE_EXCHANGE:
        return exchange(m, args[KERNEL_A]);
    case PACE_READ:
        return read_what_a_lane_writes(m, static_cast<int>(args[KERNEL_A]), static_cast<int>(args[KERNEL_B]));
    case PACE_ORDER:
        compute((args[KERNEL_A] + LANE) % 3 * PACE_SHORT_NS);
        return note_turns(cluster_state<Turns>(7), m);
    }
}
