/* Waits of libstdc++ that count their waiters in a table of the object that calls: only lanes that call from one object
 * hear of each other. So these are in an object that the kernels of all lanes are linked with. */
#include "turns_common.h"

void turn_by_atomic(std::atomic<int> &turn, int rest)
{
    for (int seen = turn.load(); seen % 3 != rest; seen = turn.load()) {
        turn.wait(seen);
    }
    turn++;
    turn.notify_all();
}

void meet_at_barrier(std::barrier<> &barrier)
{
    barrier.arrive_and_wait();
}

void meet_at_latch(std::latch &latch)
{
    latch.arrive_and_wait();
}

void pass_semaphore(std::counting_semaphore<> &own, std::counting_semaphore<> &next)
{
    own.acquire();
    next.release();
}
