#!/bin/bash
# Options and variables that scripts of the stack's own tools pass: taken, checked, and said where they have no effect.
. "$(dirname "$0")/lib_replay.sh"

copy_example vector-add

run env PTO2_RING_HEAP=4096 PYPTO_RUNTIME_LOG_SYNC=1 PYPTO_BENCH=1 "$L3REPLAY" run "$build" --device-ids 0 \
    --backend-type Ascend950 --execution-mode sim --runtime host_build_graph --aicpu-thread-num 4 \
    --ring-task-window 8,0,16,4 --ring-dep-pool 100 --log-sync-pypto --result "$work/result.json"
expect_pass 0
for name in --runtime --aicpu-thread-num --ring-task-window --ring-dep-pool PTO2_RING_HEAP --log-sync-pypto \
    PYPTO_RUNTIME_LOG_SYNC PYPTO_BENCH; do
    expect_err "note: $name has no effect"
done
refuse_err 'note: --backend-type'
grep -Pq '"platform":\s*"a5sim"' "$work/result.json" || complain "it should have run for a5sim"

# What is not said is the build's, which is for a2a3sim.
run "$L3REPLAY" run "$build" --device-ids 0 --backend-type Ascend950
expect_pass 0
run "$L3REPLAY" run "$build" --device-ids 0
expect_pass 0
expect_err 'changed since the last replay: other options: .*--platform'
run "$L3REPLAY" run "$build" --device-ids 0 --execution-mode onboard
expect_infra 'platform a2a3 in this version|for a2a3'

refused() { # PATTERN OPTION...
    local pattern=$1
    shift
    run "$L3REPLAY" run "$build" "$@"
    expect_usage "$pattern"
}
refused 'contradicts --backend-type, which means a5sim' --platform a2a3sim --backend-type Ascend950
refused 'contradicts --backend-type and --execution-mode, which mean a5$' --platform a5sim --backend-type Ascend950 \
    --execution-mode npu
refused '"Ascend1" is not a backend type' --backend-type Ascend1
refused '"dream" is not a mode' --execution-mode dream
refused 'not .other.' --runtime other
refused 'at least 2, not 1' --aicpu-thread-num 1
for size in 3 6 8,8 8,8,8,8,8 8, -8 0 x 8x; do
    refused "--ring-task-window wants" --ring-task-window "$size"
done
refused '--ring-heap wants a power of two of at least 1024' --ring-heap 512
refused '--ring-dep-pool wants a number of at least 4' --ring-dep-pool 3
run env PTO2_RING_TASK_WINDOW=5 "$L3REPLAY" run "$build"
expect_usage 'PTO2_RING_TASK_WINDOW wants'

# The counters' event type: bare is the pipes', and the variable overrides, but does not turn them on.
event_type() { sed -n 's/.*"pmu": *\([0-9]*\).*/\1/p' "$build/dfx_outputs/l3_run.json"; }
for case in "2:--pmu" "2:--enable-pmu" "4:--pmu 4" "4:--pmu=4" "0:--chip-swimlane-level 1"; do
    run "$L3REPLAY" run ${case#*:} "$build" --device-ids 0
    expect_pass 0
    [ "$(event_type)" = "${case%%:*}" ] || complain "the event type should be ${case%%:*}, not $(event_type)"
done
run env SIMPLER_PMU_EVENT_TYPE=1 "$L3REPLAY" run "$build" --device-ids 0 --pmu 4
expect_pass 0
[ "$(event_type)" = 1 ] || complain "the variable should override the event type"
run env SIMPLER_PMU_EVENT_TYPE=1 "$L3REPLAY" run "$build" --device-ids 0 --swimlane
expect_pass 0
[ "$(event_type)" = 0 ] || complain "the variable alone should count nothing"
run env SIMPLER_PMU_EVENT_TYPE=3 "$L3REPLAY" run "$build" --pmu
expect_usage 'SIMPLER_PMU_EVENT_TYPE is 0 .off., 1, 2, or 4 to 8, not 3'
refused 'different levels' --chip-swimlane-level 1 --swimlane-level 2
expect_nothing_left
conclude
