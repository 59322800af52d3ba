#!/bin/bash
# Before the replay itself: MPI that cannot start, does not end its start, or is interrupted in it. There is a marker.
. "$(dirname "$0")/lib_replay.sh"

copy_example vector-add start

# --- MPI that cannot start ---------------------------------------------------------------------------------------

run env OMPI_MCA_btl=nonsense mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-1
[ "$status" -ne 0 ] || complain "it cannot succeed"
expect_marker INFRA
expect_err 'MPI could not start|while MPI started' 'hint: .*OMPI_MCA_'
expect_nothing_left

# A job of one needs no MPI, and so none of what MPI needs.
run env OMPI_MCA_btl=nonsense "$L3REPLAY" run "$build" -n 1 --device-ids 0-1
expect_pass 0
run bash -c 'ulimit -n 24 && exec "$@"' bash "$L3REPLAY" run "$build" -n 1 --device-ids 0-1
expect_pass 0
expect_nothing_left

# --- a process that does not take part ---------------------------------------------------------------------------

# The second process waits for the fifo instead of starting MPI, as one that was stopped: nobody ever opens it.
mkfifo "$work/never"
idle=(-np 1 cat "$work/never")
run mpirun -np 1 "$L3REPLAY" run "$build" --device-ids 0-1 --start-timeout 2 : "${idle[@]}"
[ "$status" -ne 0 ] || complain "it cannot succeed"
expect_marker INFRA
expect_err 'MPI did not start within 2 s' 'hint: .*start-timeout'
expect_nothing_left

# The first process, once it takes signals (bit 14: SIGTERM is caught, or blocked and read).
taking_signals() {
    local pid caught blocked
    for pid in $(tagged); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = l3replay ] || continue
        caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$pid/status" 2>/dev/null)
        blocked=$(sed -n 's/^SigBlk:\t//p' "/proc/$pid/status" 2>/dev/null)
        [ $(((0x${caught:-0} | 0x${blocked:-0}) & 0x4000)) -ne 0 ] && echo "$pid"
    done
}

for signal in INT TERM HUP; do
    start mpirun -np 1 "$L3REPLAY" run "$build" --device-ids 0-1 : "${idle[@]}"
    for _ in $(seq 600); do
        first=$(taking_signals)
        [ -n "$first" ] && break
        sleep 0.1
    done
    [ -n "$first" ] || complain "the first process never took signals"
    kill -"$signal" $first
    finish_run
    [ "$status" -ne 0 ] || complain "an interrupted start does not succeed"
    expect_marker INFRA
    expect_nothing_left
done

# --- one process, which is killed while host_orch.py waits: its parent prints the marker ------------------------------

copy_example vector-add held
hold_recording
for options in "" "-n 1"; do
    start "$L3REPLAY" run "$build" $options
    await_recording
    only=$(pgrep -P "$started" -x l3replay)
    [ -n "$only" ] || complain "there is no process below the front"
    kill -9 $only
    finish_run
    expect_infra
    expect_err 'ended by signal 9' 'hint: '
    expect_nothing_left
done

conclude
