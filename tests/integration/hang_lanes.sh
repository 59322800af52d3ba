#!/bin/bash
# A run that hangs says for each card which task, kernel and block is in it, and what each lane of a mixed task is in.
. "$(dirname "$0")/lib_replay.sh"

# tensor-parallel, whose mixed task up_matmul+up_relu (two blocks of aic, aiv0, aiv1) hangs in the way that $L3R_TEST_WAY
# names. The lanes of a block share memory by the hook of pipes; `meet` returns when two lanes have called it.
copy_example tensor-parallel hang
shard=$build/next_levels/shard/kernels
cat >"$build/hang.h" <<'CPP'
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
struct Shared { uint32_t met; pthread_mutex_t a, b; pthread_cond_t never; };
static Shared* shared() {
    using Hook = void* (*)(uint64_t key, size_t size);
    static const Hook hook = reinterpret_cast<Hook>(dlsym(RTLD_DEFAULT, "pto_sim_get_pipe_shared_state"));
    return static_cast<Shared*>(hook(0x12300000u, sizeof(Shared)));
}
static bool way(const char* name) { return strcmp(getenv("L3R_TEST_WAY"), name) == 0; }
static void meet(Shared* s) {
    __atomic_fetch_add(&s->met, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&s->met, __ATOMIC_ACQUIRE) < 2) {
        sched_yield();
    }
}
static void hang(int lane) {
    Shared* s = shared();
    if (way("abba") && lane < 2) {
        pthread_mutex_lock(lane == 0 ? &s->a : &s->b);
        meet(s);
        pthread_mutex_lock(lane == 0 ? &s->b : &s->a);
    } else if (way("condition") && lane == 0) {
        pthread_mutex_lock(&s->a);
        pthread_cond_wait(&s->never, &s->a);
    } else if (way("pause") && lane == 2) {
        for (;;) {
            pause();
        }
    } else if (way("loop") && lane == 1) {
        for (volatile int i = 0;; ++i) {
        }
    } else if (way("yield") && lane == 0) {
        for (;;) {
            sched_yield();
        }
    } else if (way("sleep") && lane == 1) {
        sleep(1000);
    }
}
CPP
replace_call "$shard/aic/up_matmul.cpp" up_matmul '    hang(0);'
replace_call "$shard/aiv/up_relu.cpp" up_relu '    hang(1 + __pypto_spmd_subblock_idx);'
sed -i "s|^#include <cstdint>|&\n#include \"$build/hang.h\"|" "$shard/aic/up_matmul.cpp" "$shard/aiv/up_relu.cpp"

seconds='[0-9]+\.[0-9] s'
task='task [0-9]+ \(up_matmul\+up_relu, block 0 of 2\): '
expect_lanes() { # WAY LANES
    local threads
    for threads in turns free; do
        run env L3R_TEST_WAY="$1" "$L3REPLAY" run "$build" -n 1 --device-ids 0 --timeout 1 --threads "$threads"
        expect_fail 'card 0: running dispatch 0' "$task$2"
        expect_nothing_left
    done
}

expect_lanes abba "aic in pthread_mutex_lock for $seconds, aiv0 in pthread_mutex_lock for $seconds, aiv1 ended"
expect_lanes condition "aic in pthread_cond_wait for $seconds, aiv0 ended, aiv1 ended"
expect_lanes pause "aic ended, aiv0 ended, aiv1 in pause for up to $seconds"
expect_lanes loop "aic ended, aiv0 computing for $seconds, aiv1 ended"
expect_lanes yield "aic calling sched_yield again and again for $seconds, aiv0 ended, aiv1 ended"
expect_lanes sleep "aic ended, aiv0 in sleep for $seconds, aiv1 ended"

# The card of another process of the job, and a kernel that is alone in its task.
copy_example vector-add loop
kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp
replace_call "$build/$kernel" vector_add '    if (a[0] == -8.0f) {
        for (volatile int i = 0;; ++i) {
        }
    }
    vector_add(a, b, out, rows * 16);'
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-3 --timeout 1
expect_fail 'card 1: running dispatch 1' "task 0 \(vector_add, block 0\): aiv0 computing for $seconds"
expect_nothing_left

# A card that is stopped gives no answer, and nobody waits for one.
copy_example vector-add stopped
replace_call "$build/$kernel" vector_add '    if (a[0] == -8.0f) {
        raise(SIGSTOP);
    }
    vector_add(a, b, out, rows * 16);'
sed -i 's|^#include <cstdint>|&\n#include <csignal>|' "$build/$kernel"
run "$L3REPLAY" run "$build" -n 1 --device-ids 0-3 --timeout 1
expect_fail 'card 1: running dispatch 1' 'what it is in is not known: it gave no answer'
expect_nothing_left
# Cards that wait for signals that nobody sends: the windows' buffers, and who wrote them last by declared views. `publish`
# declares partial (8 floats) and one word of signal for each of the two cards.
copy_example allreduce deadlock
sed -i 's/wait_signal(signal + rank, round)/wait_signal(signal + rank, round + 100)/' \
    "$build"/next_levels/reduce/kernels/*/*.cpp
run "$L3REPLAY" run "$build" --device-ids 0-1 --timeout 2
expect_fail 'card 0: running dispatch 2 \(reduce on card 0, .*\(domain comm_d0\)' 'domain comm_d0, who wrote last' \
    'window of card 1:' 'partial \(byte 0, 32 bytes\): dispatch 1 \(publish on card 1' \
    'signal \(byte 32, 32 bytes\): its bytes 0 to 7 dispatch 0 \(publish on card 0, .*, its bytes 8 to 31 nobody' \
    'gate \(byte 64, 32 bytes\): nobody'
expect_nothing_left
conclude
