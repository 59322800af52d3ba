#!/bin/bash
# Kernels are foreign code: whatever they do, the verdict is FAIL with the dispatch, card and program named, and
# nothing is left behind.
. "$(dirname "$0")/lib_replay.sh"

kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp

# vector-add, with code that only card 1 of 4 runs: its rows begin with element 256 of a, which is 256 % 23 - 11 = -8.
fault() { # CODE [INCLUDE...]
    copy_example vector-add fault
    replace_call "$build/$kernel" vector_add \
        "    if (a[0] == -8.0f) {
        $1
    }
    vector_add(a, b, out, rows * 16);"
    shift
    local include
    for include in "$@"; do
        sed -i "s|^#include <cstdint>|&\n#include <$include>|" "$build/$kernel"
    done
}

# On one process and on several: the fault then sits with another process than the one that prints.
expect_fault() {
    local processes
    for processes in 1 4; do
        run mpirun -np "$processes" "$L3REPLAY" run "$build" --device-ids 0-3 --timeout 20
        expect_fail 'card 1' 'add_rows' "$@"
        expect_nothing_left
    done
}

fault '*reinterpret_cast<volatile int*>(16) = 1;'
expect_fault 'SIGSEGV|segmentation fault' 'dispatch 1'

fault 'abort();' cstdlib
expect_fault 'SIGABRT|abort'

fault 'volatile int64_t zero = 0; out[0] = static_cast<float>(rows / zero);'
expect_fault 'SIGFPE|floating point|arithmetic'

fault 'exit(0);' cstdlib
expect_fault 'exit'

fault '_exit(0);' unistd.h
expect_fault 'exit'

fault '_exit(3);' unistd.h
expect_fault 'exit.*\b3\b'

fault 'throw std::runtime_error("thrown on purpose");' stdexcept
expect_fault 'thrown on purpose'

fault 'throw 5;'
expect_fault 'exception|threw|terminate'

# What the kernel printed last is worth seeing.
fault 'fprintf(stderr, "the kernel says goodbye\n"); abort();' cstdio cstdlib
expect_fault 'the kernel says goodbye'

# A recursion without end runs out of stack.
fault 'volatile char frame[65536]; frame[0] = 1; kernel_entry(args); frame[1] = frame[0];'
expect_fault 'SIGSEGV|segmentation fault|stack'

# A loop without end: the watchdog names it.
for loop in 'for (volatile int i = 0;; ++i) {}' 'for (;;) pause();'; do
    fault "$loop" unistd.h
    for processes in 1 2; do
        run mpirun -np "$processes" "$L3REPLAY" run "$build" --device-ids 0-3 --timeout 2
        expect_fail 'card 1' 'add_rows' 'dispatch 1' '\b2\.0 s'
        expect_nothing_left
    done
done

# The build is as usable as before.
copy_example vector-add fault
run "$L3REPLAY" run "$build" -n 2
expect_pass 0

# Card 0 never finishes row 0 (dispatch 8, after eight of `scale`), so card 1 waits with row 4 (dispatch 12) for row 3
# (dispatch 11) of card 0: the message says who waits for whom.
copy_example pipeline stuck
replace_call "$build/next_levels/accumulate/kernels/aiv/add_row.cpp" add_row '    for (;;) {
        pause();
    }'
sed -i 's|^#include <cstdint>|&\n#include <unistd.h>|' "$build/next_levels/accumulate/kernels/aiv/add_row.cpp"
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0,1 --timeout 2
expect_fail 'card 0.*accumulate' 'dispatch 8\b' 'card 1.*wait' 'dispatch 12\b' 'dispatch 11\b'
expect_nothing_left

# Two cards, each waiting in a kernel for a flag that the other never raises.
copy_example allreduce deadlock
replace_text "$build/next_levels/publish/kernels/aiv/publish_partial.cpp" \
    '__atomic_fetch_add(remote_ptr(signal_ctx, signal + signal_ctx->rankId, rank), 1, __ATOMIC_RELEASE);' \
    '(void)signal; (void)rank;'
for processes in 1 2; do
    run mpirun -np "$processes" "$L3REPLAY" run "$build" --device-ids 0,1 --timeout 2
    expect_fail 'card 0.*reduce' 'card 1.*reduce' 'wait for each other'
    expect_nothing_left
done
conclude
