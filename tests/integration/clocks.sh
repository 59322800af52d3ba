#!/bin/bash
# Processes whose clocks differ: time namespaces shift CLOCK_MONOTONIC of some, and what a run leaves is on one clock.
. "$(dirname "$0")/lib_replay.sh"

shift_by=100000
back=$(python3 -c 'import time; print(-(int(time.monotonic()) - 1))') # a clock cannot begin before its boot
if ! unshare --time --fork --monotonic "$shift_by" true 2>/dev/null; then
    echo "skipped: unshare --time is not allowed here"
    exit 77
fi

await() { # TENTHS_OF_A_SECOND COMMAND...: until it succeeds
    local left=$1
    shift
    while ! "$@" && [ "$left" -gt 0 ]; do
        sleep 0.1
        left=$((left - 1))
    done
}

# One process with the host's clock and one with a clock of its own: SECONDS BUILD OPTIONS...
on_two_clocks() {
    local seconds=$1
    shift
    run mpirun -np 1 "$L3REPLAY" run "$@" : \
        -np 1 unshare --time --fork --kill-child --monotonic "$seconds" "$L3REPLAY" run "$@"
}

check() { # PYTHON_STATEMENTS over run, timeline, result (None: not there), and the SHIFTS after them in seconds
    python3 - "$build/dfx_outputs" "$work/result.json" "$@" <<'PYTHON' || complain "should hold: $1"
import json, os, sys
from decimal import Decimal
dfx, result, statements, *shifts = sys.argv[1:]
load = lambda path: json.load(open(path), parse_float=Decimal) if os.path.exists(path) else None
run, timeline, result = load(dfx + "/l3_run.json"), load(dfx + "/l3_timeline.json"), load(result)
shifts = [int(s) for s in shifts]

def offsets_are_the_shifts():
    others = run["clocks"][1:]
    assert run["clocks"][0]["alignment"] == "shared" and len(others) == len(shifts)
    for clock, shift in zip(others, shifts):
        assert clock["alignment"] == "two points" and len(clock["points"]) == 2
        for point in clock["points"]:
            # Process 0's clock minus the other. A namespace shifts by whole seconds, and nothing drifts on one host.
            assert abs(int(point["offset_ns"]) + shift * 10**9) <= point["error_ns"] < 10**9, (point, shift)
        assert clock["error_ns"] <= run["clock_error_ns"] < 10**9
    worst = sorted([c["error_ns"] for c in run["clocks"]])[-2:]
    assert run["clock_error_ns"] == sum(worst), worst

def every_edge_is_in_order():
    between_lanes = 0
    for node in run["nodes"]:
        for edge in node["waits_for"]:
            before = run["nodes"][edge["node"]]
            assert node["start_ns"] >= before["end_ns"] - run["clock_error_ns"], (before, node)
            between_lanes += before["lane"] != node["lane"]
    return between_lanes

def dispatches_lie_within_the_run():
    phases = {p["name"]: p["seconds"] for p in result["phases"]}
    assert 0 <= phases["mpi init to first dispatch"] < 1000
    for d in result["dispatches"]:
        assert 0 <= d["start_ns"] <= d["end_ns"] <= phases["run"] * 10**9, d
        assert d["device_ns"] <= d["end_ns"] - d["start_ns"] + run_error(), d

def run_error():
    return result.get("clock_error_ns", 0)

def tasks_lie_in_their_dispatches():
    slices = [e for e in timeline["traceEvents"] if e["ph"] == "X"]
    dispatches = {}
    for e in slices:
        if e["cat"] == "dispatch":
            dispatches.setdefault(e["pid"], []).append((e["ts"], e["ts"] + e["dur"]))
    inner = [e for e in slices if e["cat"] in ("task", "scheduler", "orchestrator")]
    assert inner and set(e["pid"] for e in inner) == set(dispatches)
    for e in inner:
        assert any(a <= e["ts"] and e["ts"] + e["dur"] <= b for a, b in dispatches[e["pid"]]), e
    assert not any("cannot be related" in str(v) for v in timeline["otherData"].values())

exec(statements)
PYTHON
}

whole='offsets_are_the_shifts(); every_edge_is_in_order()
dispatches_lie_within_the_run(); tasks_lie_in_their_dispatches()
assert timeline["otherData"]["clock_error_us"] * 1000 == run["clock_error_ns"] == result["clock_error_ns"] > 0'

# Four cards that signal each other, the last two of them on a clock that is a day ahead, or as far behind as it can be.
copy_example allreduce
for seconds in "$shift_by" "$back"; do
    on_two_clocks "$seconds" "$build" --swimlane --result "$work/result.json"
    expect_pass 0
    check "$whole"'; assert [c["lanes"] for c in run["clocks"]] == [[0, 1, 4, 5], [2, 3]]' "$seconds"
    run "$L3REPLAY" report "$build"
    expect_status 0
    expect_out '^clocks +2, aligned to within [0-9.]+ (ns|us|ms)$' 'critical path through the plan'
done

# Cards that wait for each other by the plan; host copies are on the clock of process 0.
copy_example pipeline
on_two_clocks "$shift_by" "$build" --swimlane --result "$work/result.json"
expect_pass 0
check "$whole"'; assert every_edge_is_in_order() > 0' "$shift_by"

# Three clocks: the bound is that of the two that are worst known.
copy_example allreduce
run mpirun -np 1 "$L3REPLAY" run "$build" --swimlane --result "$work/result.json" : \
    -np 1 unshare --time --fork --kill-child --monotonic "$shift_by" "$L3REPLAY" run "$build" --swimlane : \
    -np 1 unshare --time --fork --kill-child --monotonic "$back" "$L3REPLAY" run "$build" --swimlane
expect_pass 0
check "$whole" "$shift_by" "$back"

# Four processes on two clocks: one of each clock is measured.
mkfifo "$work/end"
exec 7<>"$work/end"
env L3R_TEST_TAG="$tag" unshare --time --fork --monotonic "$shift_by" \
    sh -c 'echo $$ >"$1/holder"; read -r _ <"$1/end"' sh "$work" 7>&- &
holder=$!
await 300 test -s "$work/holder"
entered=(nsenter "--time=/proc/$(cat "$work/holder")/ns/time")
run mpirun -np 2 "$L3REPLAY" run "$build" --swimlane --result "$work/result.json" --log-level debug : \
    -np 2 "${entered[@]}" "$L3REPLAY" run "$build" --swimlane --log-level debug
expect_pass 0
check "$whole"'; assert [c["lanes"] for c in run["clocks"]] == [[0, 1, 4, 5], [2, 3]]' "$shift_by"
[ "$(grep -c 'clock of process 2:' "$work/err")" -eq 2 ] || complain "process 2 was to be measured before and after"
refuse_err 'clock of process [13]:'
exec 7>&-
wait "$holder"

# One clock is not measured, and exact.
rm -rf "$build/dfx_outputs" "$work/result.json"
run mpirun -np 2 "$L3REPLAY" run "$build" --swimlane --result "$work/result.json" --log-level debug
expect_pass 0
refuse_err 'clock of process'
check 'assert run["clock_error_ns"] == 0 and timeline["otherData"]["clock_error_us"] == 0
assert "clock_error_ns" not in result
[clock] = run["clocks"]
assert clock["alignment"] == "shared" and clock["error_ns"] == 0 and clock["points"] == []
assert clock["lanes"] == list(range(len(run["lanes"])))
every_edge_is_in_order(); tasks_lie_in_their_dispatches()'
run "$L3REPLAY" report "$build"
grep -q '^clocks' "$work/out" && complain "the report should not speak of one clock"

# Nothing captured: the result file is on one clock all the same.
rm -rf "$build/dfx_outputs" "$work/result.json"
on_two_clocks "$shift_by" "$build" --result "$work/result.json"
expect_pass 0
check 'assert run is None; dispatches_lie_within_the_run(); assert 0 < result["clock_error_ns"] < 10**9'

# Two cards that wait for each other for ever, one on each clock: the table shows seconds, not uptimes; and the clocks
# are measured once more after it.
copy_example allreduce deadlock
replace_text "$build/next_levels/publish/kernels/aiv/publish_partial.cpp" \
    '__atomic_fetch_add(remote_ptr(signal_ctx, signal + signal_ctx->rankId, rank), 1, __ATOMIC_RELEASE);' \
    '(void)signal; (void)rank;'
for seconds in "$shift_by" "$back"; do
    rm -rf "$build/dfx_outputs" "$work/result.json"
    on_two_clocks "$seconds" "$build" --device-ids 0,1 --timeout 2 --swimlane --result "$work/result.json"
    for card in 0 1; do
        expect_fail "card $card: running .*reduce.*, for [0-9]{1,2}\.[0-9] s\$" 'wait for each other'
    done
    expect_nothing_left
    check 'offsets_are_the_shifts(); dispatches_lie_within_the_run()' "$seconds"
done

# A process that is stopped while it should be measured: reported by name, and the run goes on when it does. It is measured
# afterwards, so its drift is not known. The pipe opens when the recorder is at it; by then both processes are in MPI.
copy_example pipeline stopped
mkfifo "$work/go"
sed -i "1i open('$work/go').read()" "$build/orchestration/host_orch.py"
rm -rf "$work/result.json"
start mpirun -np 1 "$L3REPLAY" run "$build" --swimlane --result "$work/result.json" : \
    -np 1 unshare --time --fork --kill-child --monotonic "$shift_by" \
    sh -c 'echo $$ >"$1/stopped"; shift; exec "$@"' sh "$work" "$L3REPLAY" run "$build" --swimlane
if timeout 30 bash -c "exec 8>'$work/go'; kill -STOP \$(cat '$work/stopped')"; then
    await 400 grep -q 'clock of process 1 could not be aligned' "$work/err"
    kill -CONT "$(cat "$work/stopped")"
fi
finish_run
expect_pass 0
expect_err 'clock of process 1 could not be aligned: it did not answer within 10 s'
check 'dispatches_lie_within_the_run(); tasks_lie_in_their_dispatches(); assert every_edge_is_in_order() > 0
assert run["clocks"][1]["alignment"] == "one point" and "drift_ppb" not in run["clocks"][1]
[point] = run["clocks"][1]["points"]
assert abs(int(point["offset_ns"]) + shifts[0] * 10**9) <= point["error_ns"] < run["clocks"][1]["error_ns"]' "$shift_by"
run "$L3REPLAY" report "$build"
expect_out 'the clock of card 2 and 1 more lane on .* was measured once only'
expect_nothing_left
conclude
