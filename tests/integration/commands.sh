#!/bin/bash
# What all commands have in common: one directory, --log-level, --help, the exit status of wrong usage.
. "$(dirname "$0")/lib_replay.sh"

for command in run plan compile inspect report splice invalidate; do
    named=BUILD
    [ "$command" = report ] && named=DIR
    run "$L3REPLAY" "$command" --help
    expect_status 0
    expect_out "^Usage: l3replay $command \[OPTION\.\.\.\] $named\$" '--log-level=debug.info' '.default timing.' 'Exit status'
    run "$L3REPLAY" "$command"
    expect_usage "^l3replay $command: which .*directory"
    run "$L3REPLAY" "$command" "$work/one" "$work/two"
    expect_usage "^l3replay $command: one $named at a time; '$work/two' is one too many"
    run "$L3REPLAY" "$command" --log-level loud "$work/one"
    expect_usage "--log-level is .*not 'loud'"
    # Taken, and the directory is looked at: that is another error, of the directory. A marker and notes may go with it.
    run "$L3REPLAY" "$command" --log-level WARN "$work/one"
    expect_status 3
    expect_err "error: .*$work/one"
done

# Once for a job, not once for each of its processes.
run mpirun -np 3 "$L3REPLAY" run --help
expect_status 0
[ "$(grep -c '^Usage: ' "$work/out")" -eq 1 ] || complain "the help should be printed once"

run "$L3REPLAY" plan --log-level null "$work/one"
expect_status 3
[ -s "$work/err" ] && complain "--log-level null should print nothing"

run "$L3REPLAY" topology --help
expect_status 0
expect_out '^Usage: l3replay topology '
run "$L3REPLAY" topology "$work/one"
expect_usage "^l3replay topology: .*'$work/one'"
conclude
