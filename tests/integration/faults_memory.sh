#!/bin/bash
# A kernel that writes where it should not: other processes survive it and the verdict is FAIL, never PASS, never a hang.
. "$(dirname "$0")/lib_replay.sh"

kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp

scribble() { # CODE, run on card 1 of 4
    copy_example vector-add fault
    replace_call "$build/$kernel" vector_add \
        "    if (a[0] == -8.0f) {
        $1
    }
    vector_add(a, b, out, rows * 16);"
}

expect_ended() {
    local processes
    for processes in 1 2; do
        run mpirun -np "$processes" "$L3REPLAY" run "$build" --device-ids 0-3 --timeout 3
        expect_fail "$@"
        expect_nothing_left
    done
}

# Upwards and downwards from its output until something stops it: over tensors of other cards and whatever the process
# has mapped beside them.
for direction in '++' '--'; do
    for value in 0xff 0x00 0x5a; do
        scribble "for (volatile unsigned char* p = reinterpret_cast<unsigned char*>(out);; p$direction) { *p = $value; }"
        expect_ended 'card 1|add_rows|mismatch'
    done
done

# Just beyond its rows: wrong data, and the run ends as usual. (Card 2's rows may be written before or after.)
scribble 'for (int i = 0; i < 4096; ++i) { out[i] = 12345.0f; }'
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-3 --timeout 5
[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || complain "exit 0 or 1 was expected"
expect_nothing_left

# Its own heap.
scribble 'volatile char* p = static_cast<volatile char*>(malloc(16)); for (int i = -256; i < 4096; ++i) p[i] = 0x41; free(const_cast<char*>(p));'
sed -i 's|^#include <cstdint>|&\n#include <cstdlib>|' "$build/$kernel"
expect_ended 'card 1'

# Every descriptor it can reach: what the processes share is not among them, so the run ends as usual.
scribble 'for (int fd = 3; fd < 64; ++fd) (void)!write(fd, "garbagegarbagegarbagegarbagegarbage", 32);'
sed -i 's|^#include <cstdint>|&\n#include <unistd.h>|' "$build/$kernel"
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-3 --timeout 5
expect_pass 0
expect_nothing_left
conclude
