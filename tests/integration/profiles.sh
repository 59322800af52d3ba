#!/bin/bash
# Profiles of `l3replay run`: where they go, what is in them, what old runs and other switches leave alone.
. "$(dirname "$0")/lib_replay.sh"

check() { # DIRECTORY PYTHON_STATEMENTS; `load(name)` reads a JSON file of the directory
    python3 - "$1" "$2" <<'PYTHON' || complain "in $1 should hold: $2"
import json, os, sys
os.chdir(sys.argv[1])
load = lambda name: json.load(open(name))
exec(sys.argv[2])
PYTHON
}

# Nothing is captured, and no directory made, when nothing is asked for.
copy_example allreduce
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
[ ! -e "$build/dfx_outputs" ] || complain "a run without switches made dfx_outputs"

# Every dispatch of every card: those of _submit_chip by k, and those of collectives beside them without shifting it.
run "$L3REPLAY" run "$build" -n 2 --swimlane --result "$work/result.json"
expect_pass 0
cp "$work/result.json" "$build/dfx_outputs/result.json"
check "$build/dfx_outputs" '
dispatches = load("result.json")["dispatches"]
wanted, others = {}, {}
for d in dispatches:
    k = d.get("k")
    if k is None:
        i = others.get(d["card"], 0)
        others[d["card"]] = i + 1
        wanted["rank%d/c%d" % (d["card"], i)] = d["program"]
    else:
        wanted["rank%d/d%d" % (d["card"], k)] = d["program"]
assert len(wanted) == len(dispatches) and others, wanted
found = [os.path.join(r, d) for r in os.listdir(".") if r.startswith("rank") for d in os.listdir(r)]
assert sorted(found) == sorted(wanted), found
for path, program in wanted.items():
    assert load(path + "/dispatch_program.json") == {"program": program}
    assert sorted(f for f in os.listdir(path) if not f.startswith("merged_swimlane_")) == ["chip_swimlane_records.json", "deps.json", "dispatch_program.json",
                                        "name_map.json"]
'
# Times are those of this run, each dispatch after the one before it on its card; every task has its kernel's name.
check "$build/dfx_outputs" '
for rank in ["rank0", "rank1", "rank2", "rank3"]:
    last = 0
    for k in range(4):
        path = "%s/d%d/" % (rank, k)
        records, deps = load(path + "chip_swimlane_records.json"), load(path + "deps.json")
        names = load(path + "name_map.json")
        assert records["chip_swimlane_level"] == 4
        tasks = {int(t["task_id"]): t for t in deps["tasks"]}
        assert records["aicore_tasks"]
        for core, task, reg, start, end, setup in records["aicore_tasks"]:
            assert last < start - setup <= start <= end
            kernels = [i for i in tasks[task]["kernel_ids"] if i >= 0]
            assert all(str(i) in names["callable_id_to_name"] for i in kernels)
        last = max(row[4] for row in records["aicore_tasks"])
    assert names["level"] == 2 and names["orchestrator_name"] is None
names = load("rank0/d0/name_map.json")["callable_id_to_name"]
assert names == {"0": "publish_partial"}, names
'

# What an earlier run left in dispatch directories goes, what is not a dispatch directory stays.
mkdir -p "$build"/dfx_outputs/rank0/{d99/sub,c7,keep,d1x} "$build"/dfx_outputs/{rank9/d0,rankx/d0}
touch "$build"/dfx_outputs/{rank0/{d99/sub/file,d0/merged_swimlane_old.json,keep/file,note},rankx/d0/file}
run "$L3REPLAY" run "$build" -n 1 --scope-stats
expect_pass 0
check "$build/dfx_outputs" '
assert sorted(os.listdir("rank0")) == ["c0", "c1", "d0", "d1", "d1x", "d2", "d3", "keep", "note"], os.listdir("rank0")
assert sorted(os.listdir("rank0/d0")) == ["dispatch_program.json", "name_map.json", "scope_stats"]
assert not os.path.exists("rank9") and os.path.exists("rankx/d0/file") and os.path.exists("rank0/keep/file")
'
# A run that captures nothing leaves the profiles of the one before.
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
[ -s "$build/dfx_outputs/rank0/d0/scope_stats/scope_stats.jsonl" ] || complain "a run without switches removed profiles"

# Elsewhere; all kinds at once, and the outputs are the same.
rm -r "$build/dfx_outputs"
run "$L3REPLAY" run "$build" -n 2 --dfx-dir "$work/dfx" --swimlane-level 2 --pmu 4 --dep-gen --scope-stats --dump-args 2
expect_pass 0
[ ! -e "$build/dfx_outputs" ] || complain "--dfx-dir was not all"
check "$work/dfx/rank3/d3" '
assert "aicpu_scheduler_phases" not in load("chip_swimlane_records.json")
rows = open("pmu.csv").read().splitlines()
assert rows[0].endswith(",main_read_req,main_write_req,event_type")
assert len(rows) == 1 + len(load("chip_swimlane_records.json")["aicore_tasks"])
head, *lines = [json.loads(line) for line in open("scope_stats/scope_stats.jsonl")]
assert head["total"] == len(lines) and not head["fatal"]
dump = load("args_dump/args_dump.json")
assert os.path.getsize("args_dump/args.bin") == sum(a["bin_size"] for a in dump["args"]) > 0
'
[ "$(grep -c 'no processor counters' "$work/err")" -le 1 ] || complain "the missing counters were reported more than once"

# Old spellings, with a blank before the number; what is no number is the build.
run "$L3REPLAY" run --enable-chip-swimlane 1 --dump-args "$build" -n 1 --enable-pmu 2 --enable-dep-gen \
    --enable-scope-stats
expect_pass 0
refuse_err deprecated
check "$build/dfx_outputs/rank0/d0" '
assert load("chip_swimlane_records.json")["chip_swimlane_level"] == 1
assert load("args_dump/args_dump.json")["dump_args_level"] == 1
assert sorted(f for f in os.listdir(".") if not f.startswith("merged_swimlane_")) == ["args_dump", "chip_swimlane_records.json", "deps.json", "dispatch_program.json",
                                   "name_map.json", "pmu.csv", "scope_stats"]
'
run "$L3REPLAY" run -n 2 --enable-l2-swimlane "$build"
expect_pass 0
[ "$(grep -c deprecated "$work/err")" -eq 1 ] || complain "one warning about --enable-l2-swimlane was expected"
check "$build/dfx_outputs/rank0/d0" 'assert load("chip_swimlane_records.json")["chip_swimlane_level"] == 4'
run "$L3REPLAY" run "$build" -n 1 --dump-args=3 --enable-chip-swimlane 0
expect_pass 0
check "$build/dfx_outputs/rank0/d0" '
assert load("args_dump/args_dump.json")["dump_args_level"] == 3 and not os.path.exists("chip_swimlane_records.json")
'
run "$L3REPLAY" run "$build" --swimlane-level 5
expect_usage 'swimlane-level' '5'
run "$L3REPLAY" run "$build" --pmu 3
expect_usage 'pmu' '3'
run "$L3REPLAY" run "$build" --dump-args 4
expect_usage 'dump-args' '4'

# A saved plan says the same.
run "$L3REPLAY" plan "$build" --format json
cp "$work/out" "$work/plan.json"
run "$L3REPLAY" run "$build" -n 1 --plan "$work/plan.json" --swimlane
expect_pass 0
check "$build/dfx_outputs/rank2/d1" '
assert load("dispatch_program.json") == {"program": "reduce"} and load("name_map.json")["callable_id_to_name"]
'

# A directory that cannot be written is INFRA before any kernel runs.
touch "$work/file"
run "$L3REPLAY" run "$build" -n 1 --swimlane --dfx-dir "$work/file"
expect_status 3

# A run that dies leaves whole files of the dispatches that were over.
replace_text "$(echo "$build"/next_levels/reduce/kernels/aiv/*.cpp)" "    // Unpack tensor: partial
" "    __builtin_trap();
"
run "$L3REPLAY" run "$build" -n 1 --swimlane --dump-args 2 --scope-stats
expect_status 1
card=$(sed -n 's/.*a kernel on card \([0-9]*\) was ended.*/\1/p' "$work/err" | head -n 1)
check "$build/dfx_outputs/rank$card" '
assert load("d0/dispatch_program.json")["program"] == "publish"
assert load("d0/chip_swimlane_records.json")["aicore_tasks"] and load("d0/deps.json")["tasks"]
assert load("d0/args_dump/args_dump.json")["total_args"] > 0
assert not os.path.exists("d1/chip_swimlane_records.json") and not os.path.exists("d1/args_dump/args.bin")
'
check "$build/dfx_outputs" '
for top, _, names in os.walk("."):
    [load(os.path.join(top, name)) for name in names if name.endswith(".json")]
'
expect_nothing_left
conclude
