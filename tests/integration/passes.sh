#!/bin/bash
# The two passes of hardware platforms, in jobs of one and of two processes: the real run on a plan for the device that
# counts (tests/passes), since no device for hardware comes with this version.
. "$(dirname "$0")/lib_replay.sh"

programs=$(dirname "$(dirname "$L3REPLAY")")/tests
if [ ! -x "$programs/count-replay" ]; then
    echo "skipped: $programs/count-replay is not there"
    exit 77
fi
export L3REPLAY_EXECUTOR=$programs/count-executor

# See enum count_request.
fail_graph=2 fail_other=4 sleep_graph=8 sleep_other=16

replay() { # PROCESSES PLATFORM NAME [SWIMLANE] [FAULTS]
    mkdir -p "$work/$3"
    run mpirun -np "$1" "$programs/count-replay" "$2" "$work/$3" "${4:-4}" "${5:-0}" "$work/$3/result.json"
}

check() { # DIRECTORY PYTHON_STATEMENTS
    python3 - "$1" "$2" <<'PYTHON' || complain "in $1 should hold: $2"
import json, os, sys
os.chdir(sys.argv[1])
load = lambda name: json.load(open(name))
lines = lambda name: [json.loads(line) for line in open(name)]
dispatches = ["dfx/rank%d/d%d/" % (card, k) for card in (0, 1) for k in (0, 1)]
exec(sys.argv[2])
PYTHON
}

same_outputs() { # NAME NAME
    local file
    for file in acc seen sum; do
        cmp -s "$work/$1/outputs/$file.npy" "$work/$2/outputs/$file.npy" || complain "$file of $1 and $2 differ"
    done
}

# A simulator does it in one; the numbers to compare with.
replay 1 a2a3sim simulator
expect_pass 0
refuse_err 'pass, [0-9] of'
check "$work/simulator" '
for d in dispatches:
    [one] = lines(d + "runs.jsonl")
    assert one["dep_gen"] == 1 and one["swimlane"] == 4
'

for np in 1 2; do
    for platform in a2a3 a5; do
        name=$platform-$np
        replay "$np" "$platform" "$name"
        expect_pass 0
        expect_err 'graph pass, 1 of 2' 'timing pass, 2 of 2'
        same_outputs simulator "$name"
        check "$work/$name" '
for d in dispatches:
    first, second = lines(d + "runs.jsonl")
    k = int(d[-2])
    assert (first["dep_gen"], first["swimlane"], first["run"]) == (1, 0, k), first
    assert (second["dep_gen"], second["swimlane"], second["run"]) == (0, 4, k), second
    assert first["pid"] != second["pid"]
    assert load(d + "deps.json")["count"] == first and load(d + "chip_swimlane_records.json")["count"] == second
'
        # The times in the result are those of the second pass: its tasks lie in the dispatches, and nothing is earlier.
        check "$work/$name" '
run = load("dfx/l3_run.json")
result = load("result.json")
origin = int(run["origin_ns"])
nodes = {"dfx/rank%d/d%d/" % (n["lane"], n["k"]): n for n in run["nodes"] if n["kind"] == "dispatch"}
listed = {"dfx/rank%d/d%d/" % (d["card"], d["k"]): d for d in result["dispatches"]}
assert sorted(nodes) == sorted(listed) == sorted(dispatches)
for d in dispatches:
    [task] = load(d + "chip_swimlane_records.json")["aicore_tasks"]
    assert origin + nodes[d]["start_ns"] <= task[3] <= task[4] <= origin + nodes[d]["end_ns"]
    assert listed[d]["device_ns"] == task[4] - task[3]
assert len(run["nodes"]) == 5 and all("end_ns" in n for n in run["nodes"])
assert load("dfx/l3_timeline.json")["traceEvents"]
'
        expect_nothing_left
    done
done

# Without the swimlane there is nothing to take apart.
replay 2 a2a3 plain 0
expect_pass 0
refuse_err 'pass, [0-9] of'
same_outputs simulator plain
[ ! -e "$work/plain/dfx" ] || complain "a run without switches left profiles"

# Profiles that travel: those of the first pass are there before the second begins, and those of the second beside them.
mkdir "$work/stream"
run mpirun -np 3 "$programs/count-replay" a2a3 "$work/stream" 4 0 "$work/stream/result.json" stream
expect_pass 0
expect_err 'gathered [0-9]+ profile files .* from 1 process,'
check "$work/stream" '
for d in dispatches:
    first, second = load(d + "deps.json")["count"], load(d + "chip_swimlane_records.json")["count"]
    assert (first["dep_gen"], first["swimlane"]) == (1, 0) and (second["dep_gen"], second["swimlane"]) == (0, 4)
'
same_outputs simulator stream
expect_nothing_left

# Far more than is under way at once, so that most of it travels after each pass; and the verdict does not wait for it.
large=32
mkdir "$work/large"
run mpirun -np 3 "$programs/count-replay" a2a3 "$work/large" 4 "$large" "$work/large/result.json" stream
expect_pass 0
same_outputs simulator large
for file in large.graph large.timing; do
    [ "$(stat -c %s "$work/large/dfx/rank1/d0/$file" 2>/dev/null)" = $((64 << 20)) ] || complain "$file did not come whole"
    [ "$(tail -c 1 "$work/large/dfx/rank1/d0/$file")" = x ] || complain "the end of $file is another"
done
expect_nothing_left

# More processes than cards: the idle ones go through both passes as well.
replay 3 a2a3 idle
expect_pass 0
same_outputs simulator idle

for np in 1 2; do
    replay "$np" a2a3 "graph-$np" 4 "$fail_graph"
    expect_fail 'asked to fail' 'in graph pass: .*card 1'
    refuse_err 'timing pass'
    check "$work/graph-$np" '
assert len(lines("dfx/rank1/d0/runs.jsonl")) == 1 and not os.path.exists("dfx/rank1/d0/chip_swimlane_records.json")
assert load("result.json")["error"]["where"].startswith("graph pass: ")
'
    expect_nothing_left

    replay "$np" a2a3 "timing-$np" 4 "$fail_other"
    expect_fail 'asked to fail' 'in timing pass: .*card 1'
    check "$work/timing-$np" 'assert len(lines("dfx/rank1/d0/runs.jsonl")) == 2'
    expect_nothing_left
done

# Interrupted while card 1 sleeps, in the pass that LINES lines belong to.
interrupt() { # NAME FAULT LINES PASS
    local waited=0 runs=$work/$1/dfx/rank1/d0/runs.jsonl
    mkdir -p "$work/$1"
    start mpirun -np 2 "$programs/count-replay" a2a3 "$work/$1" 4 "$2" "$work/$1/result.json"
    until [ "$(cat "$runs" 2>/dev/null | wc -l)" -eq "$3" ]; do
        sleep 0.1
        waited=$((waited + 1))
        [ "$waited" -lt 600 ] || { complain "card 1 did not run in the $4"; break; }
    done
    kill -INT "$started"
    finish_run
    [ "$status" -ne 0 ] || complain "an interrupted run does not succeed"
    expect_out '^PYPTO_EXEC_RESULT=INFRA$'
    expect_err "in $4"
    expect_nothing_left
}
interrupt sleep-graph "$sleep_graph" 1 'graph pass'
interrupt sleep-timing "$sleep_other" 2 'timing pass'

conclude
