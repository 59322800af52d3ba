#!/bin/bash
# Each example 50 times while other processes want the cores too: all runs give the same bits.
. "$(dirname "$0")/lib_replay.sh"

examples="allreduce per-rank pipeline tensor-parallel vector-add"
runs=50
limit=300

# One busy process a core until `unload`, or the end of the test; they end by themselves should it be killed.
load() {
    local core
    for core in $(seq "$(nproc)"); do
        env L3R_TEST_TAG="$tag" timeout 300 sh -c 'while :; do :; done' &
        busy+=($!)
    done
}

unload() {
    kill "${busy[@]}" 2>/dev/null
    wait "${busy[@]}" 2>/dev/null
}

# Compiled before the load, which that would only lengthen.
for example in $examples; do
    copy_example "$example"
    run "$L3REPLAY" run "$build"
    expect_pass 0
done

busy=()
load
for example in $examples; do
    build=$work/builds/$example
    run "$L3REPLAY" run "$build" --repeat "$runs" --result "$work/result.json"
    expect_status 0
    python3 - "$work/result.json" "$runs" <<'PYTHON' || complain "$example: all runs should give the same bits"
import json, sys
result, runs = json.load(open(sys.argv[1])), int(sys.argv[2])
repeat = result["repeat"]
assert result["result"] == "PASS" and result["rounds"] == runs
assert (repeat["wanted"], repeat["runs"], repeat["same"]) == (runs, runs, runs), repeat
assert repeat["groups"] == [{"runs": list(range(1, runs + 1)), "matches": True}], repeat
assert repeat["failed_runs"] == [] and repeat["differences"] == [], repeat
PYTHON
    for pid in "${busy[@]}"; do
        kill -0 "$pid" 2>/dev/null || complain "$example: there was no load"
    done
done
unload
expect_nothing_left
conclude
