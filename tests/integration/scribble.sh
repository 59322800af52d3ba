#!/bin/bash
# A kernel that writes over all that its process shares with others: the verdict is FAIL and names card and dispatch;
# process 0 never crashes, nothing hangs, and nothing that was not computed is called PASS.
. "$(dirname "$0")/lib_replay.sh"

kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp

# CODE runs on card 1 of 4, in a loop over the writable shared mappings [begin, end) of its process. `pattern` fills
# a range: zeros, ones, numbers of a linear congruence.
scribble() { # PATTERN CODE AFTER MAPPINGS
    copy_example vector-add scribble
    replace_call "$build/$kernel" vector_add \
        "    if (a[0] == -8.0f) {
        std::FILE* maps = std::fopen(\"/proc/self/maps\", \"r\");
        char line[512];
        unsigned long begins[64], ends[64];
        int count = 0;
        unsigned state = 12345;
        auto fill = [&](unsigned long from, unsigned long to) {
            for (unsigned long p = from; p < to; p += 4) {
                state = state * 1664525u + 1013904223u;
                *reinterpret_cast<volatile unsigned*>(p) = $1;
            }
        };
        while (maps && count < 64 && std::fgets(line, sizeof line, maps)) {
            if (std::strstr(line, \" rw-s \") && std::strstr(line, \"memfd:$4\") &&
                std::sscanf(line, \"%lx-%lx\", &begins[count], &ends[count]) == 2) {
                ++count;
            }
        }
        std::fclose(maps);
        for (int i = 0; i < count; ++i) {
            const unsigned long begin = begins[i], end = ends[i], size = end - begin;
            (void)size;
            $2
        }
        $3
    }
    vector_add(a, b, out, rows * 16);"
    sed -i 's|^#include <cstdint>|&\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <unistd.h>|' "$build/$kernel"
}

expect_ended() {
    local processes
    for processes in 1 2; do
        run mpirun -np "$processes" "$L3REPLAY" run "$build" --device-ids 0-3
        expect_fail 'card 1' 'dispatch 1\b' "$@"
        expect_nothing_left
    done
}

# All of it: tensors, windows, and the pages that executors write.
for pattern in 0u 0xffffffffu state; do
    scribble "$pattern" 'fill(begin, end);' '' l3replay
    expect_ended 'wrote over'
done

# ... and then its process ends, or its kernel never does.
scribble state 'fill(begin, end);' 'abort();' l3replay
expect_ended 'SIGABRT|abort|wrote over'
scribble 0u 'fill(begin, end);' 'for (;;) pause();' l3replay
expect_ended 'wrote over'

# The part that executors write alone: the common pages and the block of its lane, which names the card.
scribble state 'fill(begin, end);' '' l3replay-control
expect_ended 'wrote over'

# Without its own block: cards that ran then are named, this one among them.
scribble 0u 'if (i == 0) fill(begin, end);' 'for (;;) pause();' l3replay-control
for processes in 1 2; do
    run mpirun -np "$processes" "$L3REPLAY" run "$build" --device-ids 0-3
    expect_fail 'wrote over memory through which' 'dispatch 1\b'
    expect_nothing_left
done

# Ranges of pages around its output: a guard stops it.
for step in '+ 1024' '- 1024'; do
    scribble 0u '' "for (volatile float* p = out;; p = p $step) *p = 1.0f;" none
    expect_ended 'SIGSEGV|segmentation fault|signal 11'
done
conclude
