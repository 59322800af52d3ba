#!/bin/bash
# Interrupts, and processes that are killed: the right marker where somebody is left to print it, and nothing left.
. "$(dirname "$0")/lib_replay.sh"

kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp
fifo=$work/events
mkfifo "$fifo"
exec 9<>"$fifo"

# Every card says on the fifo that its kernel runs, and then sleeps until something ends it.
copy_example vector-add sleeping
replace_call "$build/$kernel" vector_add \
    "    int events = open(\"$fifo\", O_WRONLY);
    if (write(events, \"running\\n\", 8) != 8) {
        return;
    }
    for (;;) {
        pause();
    }"
sed -i 's|^#include <cstdint>|&\n#include <fcntl.h>\n#include <unistd.h>|' "$build/$kernel"
sleeping=$build

await_running() { # CARDS
    local line count
    for count in $(seq "$1"); do
        read -r -t 60 -u 9 line || complain "card $count never ran its kernel"
    done
}

# Until this run says it on stderr; a run that ended without it never will.
await_text() { # TEXT
    local waited=0
    while ! grep -q "$1" "$work/err" && kill -0 "$started" 2>/dev/null && [ "$waited" -lt $((limit * 20)) ]; do
        sleep 0.05
        waited=$((waited + 1))
    done
    grep -q "$1" "$work/err" || complain "stderr never had: $1"
}

drain() {
    local line
    while read -r -t 0.01 -u 9 line; do :; done
}

# Processes of the run by role: executor, mpirun, front, or the number of an MPI rank.
find_role() {
    local pid name rank
    for pid in $(tagged); do
        name=$(cat "/proc/$pid/comm" 2>/dev/null)
        rank=$(tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | sed -n 's/^OMPI_COMM_WORLD_RANK=//p')
        case $name in
        l3replay-exec*) role=executor ;;
        mpirun | orterun | mpiexec | prterun) role=mpirun ;;
        l3replay) role=${rank:-front} ;;
        *) role=other ;;
        esac
        [ "$role" = "$1" ] && echo "$pid"
    done
}

signal_role() { # SIGNAL ROLE
    local pids
    pids=$(find_role "$2")
    # One of several is enough.
    [ -n "$pids" ] && kill -"$1" "${pids%%$'\n'*}" || complain "no process is a $2"
}

# --- interrupts ------------------------------------------------------------------------------------------------

for signal in INT TERM; do
    drain
    start mpirun -np 2 "$L3REPLAY" run "$sleeping" --device-ids 0-3
    await_running 4
    kill -"$signal" "$started"
    finish_run
    [ "$status" -ne 0 ] || complain "an interrupted run does not succeed"
    grep -q 'PYPTO_EXEC_RESULT=\(PASS\|FAIL\)' "$work/out" && complain "an interrupted run is neither PASS nor FAIL"
    expect_out '^PYPTO_EXEC_RESULT=INFRA$'
    expect_nothing_left

    drain
    start "$L3REPLAY" run "$sleeping" -n 2 --device-ids 0-3
    await_running 4
    kill -"$signal" "$started"
    finish_run
    [ "$status" -ne 0 ] || complain "an interrupted run does not succeed"
    expect_out '^PYPTO_EXEC_RESULT=INFRA$'
    # mpirun makes a SIGTERM of each.
    expect_err "interrupted by signal $(kill -l "$signal") "
    expect_nothing_left
done

# While the compiler runs: it reads a fifo as if it were a header, so it is known to run, and it never ends.
copy_example vector-add compiling
mkfifo "$work/header.h"
sed -i "s|^#include \"tensor.h\"|#include \"$work/header.h\"\n&|" "$build/$kernel"
compiling=$build
for signal in INT TERM; do
    start mpirun -np 2 "$L3REPLAY" run "$compiling" --device-ids 0-1
    # Opens once the compiler has opened it.
    timeout 60 bash -c "exec 8>'$work/header.h'; kill -$signal $started; sleep 5" &
    holder=$!
    finish_run
    kill "$holder" 2>/dev/null
    wait "$holder" 2>/dev/null
    [ "$status" -ne 0 ] || complain "an interrupted run does not succeed"
    expect_out '^PYPTO_EXEC_RESULT=INFRA$'
    expect_nothing_left
done

# --- kill -9 ---------------------------------------------------------------------------------------------------

# An executor: a kernel does not raise SIGKILL; the out-of-memory killer or a person does, so it says nothing about
# the program.
drain
start mpirun -np 2 "$L3REPLAY" run "$sleeping" --device-ids 0-3 --timeout 60
await_running 4
signal_role KILL executor
finish_run
expect_infra 'card [0-3]' 'killed' 'add_rows'
expect_nothing_left

# A process of the job that does not print: INFRA, or at least not a verdict about the program.
drain
start mpirun -np 2 "$L3REPLAY" run "$sleeping" --device-ids 0-3 --timeout 60
await_running 4
signal_role KILL 1
finish_run
[ "$status" -ne 0 ] || complain "a run that lost a process does not succeed"
grep -q 'PYPTO_EXEC_RESULT=\(PASS\|FAIL\)' "$work/out" && complain "a lost process is neither PASS nor FAIL"
expect_err "process 1 of the job .*on host $(uname -n).* was killed" 'exited on signal 9'
refuse_err 'interrupted by signal'
expect_nothing_left

# The process that prints, mpirun, the front: nobody promises a marker, but nothing stays and nothing succeeds. Under
# the front, the front still prints when what it started dies.
drain
start mpirun -np 2 "$L3REPLAY" run "$sleeping" --device-ids 0-3
await_running 4
signal_role KILL 0
finish_run
[ "$status" -ne 0 ] || complain "a run that lost process 0 does not succeed"
expect_nothing_left

for role in 0 1 mpirun; do
    drain
    start "$L3REPLAY" run "$sleeping" -n 2 --device-ids 0-3
    await_running 4
    signal_role KILL "$role"
    finish_run
    expect_status 3
    expect_out '^PYPTO_EXEC_RESULT=INFRA$'
    refuse_err 'interrupted by signal|see whether this mpirun|^----'
    [ "$role" = mpirun ] ||
        expect_err "process $role of the job, on host $(uname -n), was ended by signal 9 \(Killed\)" 'out-of-memory killer'
    expect_nothing_left
done

drain
start "$L3REPLAY" run "$sleeping" -n 2 --device-ids 0-3
await_running 4
kill -KILL "$started"
finish_run
# A killed front leaves its directories to the next one.
run "$L3REPLAY" run "$work/none" -n 2
expect_nothing_left

drain
start mpirun -np 2 "$L3REPLAY" run "$sleeping" --device-ids 0-3
await_running 4
kill -KILL "$started"
finish_run
expect_nothing_left

# A process that was stopped when all is over does not hold the end: the verdict stays, and the process is named. The result
# file is a FIFO, on which process 0 waits meanwhile.
copy_example vector-add
mkfifo "$work/result"
for front in front mpirun; do
    if [ "$front" = front ]; then
        start "$L3REPLAY" run "$build" -n 2 --device-ids 0-1 --result "$work/result"
    else
        start mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-1 --result "$work/result"
    fi
    await_text 'dispatches on 2 cards'
    signal_role STOP 1
    timeout "$limit" cat "$work/result" >/dev/null
    finish_run
    expect_marker 'PASS device=0'
    expect_err 'warning: .*process 1 of the job does not end'
    expect_nothing_left
done

# A result that nobody could read is no result; a log that nobody reads is no reason to give up.
copy_example vector-add
for into in '>/dev/full' '>&-'; do
    run bash -c "\"\$@\" $into" - "$L3REPLAY" run "$build" -n 1
    expect_status 3
    expect_err 'result could not be written'
done
run bash -c '"$@" 2>&-' - "$L3REPLAY" run "$build" -n 1
expect_pass 0
run bash -c '"$@" 2>&- <&-' - "$L3REPLAY" run "$build" -n 1
expect_pass 0
run bash -c '{ "$@" 2>&1 1>&3 | true; exit "${PIPESTATUS[0]}"; } 3>&1' - "$L3REPLAY" run "$build" -n 1 --log-level debug
expect_pass 0

conclude
