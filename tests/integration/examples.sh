#!/bin/bash
# Every example, with as many processes and cards as it allows; the outputs stay those of the reference.
. "$(dirname "$0")/lib_replay.sh"

# Processes and cards. One process with many cards, many with one each, more processes than cards, uneven shares; all
# of {1,2,4,8} squared with L3R_TEST_FULL=1.
pairs="1:1 1:8 2:4 4:2 4:8 8:8"
if [ -n "${L3R_TEST_FULL:-}" ]; then
    pairs=$(for p in 1 2 4 8; do for w in 1 2 4 8; do echo "$p:$w"; done; done)
fi

for example in vector-add allreduce pipeline tensor-parallel per-rank; do
    copy_example "$example"
    for pair in $pairs; do
        processes=${pair%:*} cards=${pair#*:}
        run mpirun -np "$processes" "$L3REPLAY" run "$build" --device-ids "0-$((cards - 1))"
        expect_pass 0
        expect_out "^PYPTO_EXEC_DEVICES=$(seq -s, 0 $((cards - 1)))\$"
        if [ "$processes" -gt "$cards" ]; then
            expect_err "idle"
        else
            refuse_err "idle"
        fi
    done
    # Without mpirun: in one process, which needs no MPI.
    run "$L3REPLAY" run "$build" --device-ids 0-3
    expect_pass 0
    expect_out '^PYPTO_EXEC_DEVICES=0,1,2,3$'
    # The metadata's device ids are the default.
    run mpirun -np 2 "$L3REPLAY" run "$build"
    expect_pass 0
    expect_out '^PYPTO_EXEC_DEVICES=0,1,2,3$'
    expect_nothing_left
done

# 64 cards on one process.
for example in vector-add allreduce; do
    copy_example "$example"
    run mpirun -np 1 "$L3REPLAY" run "$build" --device-ids 0-63
    expect_pass 0
done
expect_nothing_left
conclude
