#!/bin/bash
# A run with profiles leaves what relates its cards, and the report of it is complete.
. "$(dirname "$0")/lib_replay.sh"

copy_example allreduce
mkdir -p "$build/dfx_outputs"
echo stale >"$build/dfx_outputs/l3_run.json"
run "$L3REPLAY" run "$build" -n 2 --swimlane
expect_pass 0
run "$L3REPLAY" report "$build" --format json
expect_status 0
python3 - "$work/out" "$build/dfx_outputs/l3_timeline.json" <<'PYTHON' || complain "the report or the timeline is not complete"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["related"] and report["notes"] == [], report["notes"]
# 6 dispatches on each of 4 cards, two of them compiler-made barriers.
assert len(report["dispatches"]) == 24
assert all(d["records"] and d["deps"] and d["names"] and "node" in d for d in report["dispatches"])
assert sum("c" in d for d in report["dispatches"]) == 8
for rank in report["ranks"]:
    parts = ["computing_ns", "waiting_on_ranks_ns", "waiting_on_host_ns", "launch_ns", "writing_profiles_ns", "after_last_ns"]
    assert sum(rank[p] for p in parts) == report["run"]["span_ns"], rank
path = report["critical_path"]
assert sum(s["gap_ns"] + s["time_ns"] for s in path["steps"]) == report["run"]["span_ns"]
assert all(s["kernels"] for s in path["steps"])
# Every task lies within a dispatch of its card, since the cpu device counts on the host's clock.
trace = json.load(open(sys.argv[2]))
assert not any(key.startswith("note") for key in trace["otherData"]), trace["otherData"]
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
dispatches = [e for e in events if e["cat"] == "dispatch"]
tasks = [e for e in events if e["cat"] == "task"]
assert len(dispatches) == 24 and len(tasks) >= 24
for t in tasks:
    assert any(d["pid"] == t["pid"] and d["ts"] <= t["ts"] + 0.001 and t["ts"] + t["dur"] <= d["ts"] + d["dur"] + 0.001
               for d in dispatches), t
PYTHON
# Stopped before the end, a run leaves no record of an earlier one beside its own profiles.
grep -q stale "$build/dfx_outputs/l3_run.json" && complain "the old record of a run is still there"
conclude
