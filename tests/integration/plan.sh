#!/bin/bash
# A recorded plan: shown in three forms, saved, and replayed without Python.
. "$(dirname "$0")/lib_replay.sh"

copy_example pipeline

run "$L3REPLAY" plan "$build" --device-ids 0-3
expect_status 0
# 8 rows scaled, 8 accumulated, 8 finished, and 2 host copies.
expect_out '24 dispatches' '3 programs' '2 host copies' 'scale' 'accumulate' 'finish'

run "$L3REPLAY" plan "$build" --device-ids 0-3 --format dot
expect_status 0
expect_out '^digraph' '->' '^}'

run "$L3REPLAY" plan "$build" --device-ids 0-3 --format json
expect_status 0
cp "$work/out" "$work/plan.json"
python3 - "$work/plan.json" <<'PYTHON' || complain "the JSON plan is not what the example says"
import json, sys
records = [json.loads(line) for line in open(sys.argv[1])]
header, = [r for r in records if "plan" in r]
assert header["plan"] == 1 and header["world_size"] == 4
assert records[-1] == {"end": 26}
dispatches = [r for r in records if "dispatch" in r]
copies = [r for r in records if "copy" in r]
assert len(dispatches) == 24 and [c["copy"] for c in copies] == [16, 17]
# Rows 0..7 lie on cards 0,0,1,1,2,2,3,3; the eight that name no card are dealt round-robin.
assert [d["card"] for d in dispatches] == [0, 0, 1, 1, 2, 2, 3, 3] * 2 + [0, 1, 2, 3] * 2
# Each card counts its own: 2 + 2 + 2.
assert all(sorted(d["k"] for d in dispatches if d["card"] == c) == list(range(6)) for c in range(4))
edges = {r["edges"]: {p[0] for p in r["preds"]} for r in records if "edges" in r}
# Accumulating row 2 (node 10, card 1) needs row 1's sum of card 0 (node 9).
assert 9 in edges[10]
# The copies read what the last accumulation of each card wrote.
assert 15 in edges[16]
PYTHON

run "$L3REPLAY" run "$build" -n 2 --plan "$work/plan.json"
expect_pass 0
expect_out '^PYPTO_EXEC_DEVICES=0,1,2,3$'

# The same where there is no python3: a PATH of links to everything that the first run used but that.
mkdir "$work/bin"
IFS=: read -ra directories <<<"$PATH"
for directory in "${directories[@]}"; do
    for file in "$directory"/*; do
        name=$(basename "$file")
        case $name in
        python* | pypy* | '*') ;;
        *) [ -e "$work/bin/$name" ] || ln -s "$file" "$work/bin/$name" 2>/dev/null ;;
        esac
    done
done
run env PATH="$work/bin" "$L3REPLAY" run "$build" -n 1 --device-ids 0
expect_infra 'python'
run env PATH="$work/bin" "$L3REPLAY" run "$build" -n 2 --plan "$work/plan.json"
expect_pass 0

# A plan is for its number of cards.
run "$L3REPLAY" run "$build" --plan "$work/plan.json" --device-ids 0-1
expect_usage '\b4 cards' '\b2\b' 'plan\.json'
run "$L3REPLAY" run "$build" --plan "$work/plan.json" --device-ids 4-7
expect_pass 4

# Files that are no plan.
sed 's/^{"plan":1,/{"plan":99,/' "$work/plan.json" >"$work/other.json"
run "$L3REPLAY" run "$build" --plan "$work/other.json"
expect_infra '99' 'other\.json' 'record|l3replay plan'
head -n 10 "$work/plan.json" >"$work/cut.json"
run "$L3REPLAY" run "$build" --plan "$work/cut.json"
expect_infra 'cut\.json'
echo 'no plan' >"$work/text.json"
run "$L3REPLAY" run "$build" --plan "$work/text.json"
expect_infra 'text\.json'
run "$L3REPLAY" run "$build" --plan "$work/missing.json"
expect_infra 'missing\.json'

# The second program's line, and the eighth line of the file: three programs, the header, storages.
sed '2s/"func_id"/"func"/' "$work/plan.json" >"$work/program.json"
run "$L3REPLAY" run "$build" --plan "$work/program.json"
expect_infra 'program\.json, line 2' 'func_id' 'record the plan again'
sed '8s/"shape":\[/&-/' "$work/plan.json" >"$work/shape.json"
run "$L3REPLAY" run "$build" --plan "$work/shape.json"
expect_infra 'shape\.json, line 8' 'shape\[0\].: -8 is out of range' 'record the plan again'
sed '2s/"core":"ai./"core":"aix/' "$work/plan.json" >"$work/core.json"
run "$L3REPLAY" run "$build" --plan "$work/core.json"
expect_infra 'core\.json, line 2' 'aix'
sed '2{p}' "$work/plan.json" >"$work/twice.json"
run "$L3REPLAY" run "$build" --plan "$work/twice.json"
expect_infra 'twice\.json, line 3' 'twice'
: >"$work/empty.json"
run "$L3REPLAY" run "$build" --plan "$work/empty.json"
expect_infra 'the plan is empty' 'empty\.json'
run "$L3REPLAY" run "$build" -n 2 --plan /dev/stdin <"$work/plan.json"
expect_infra 'plan is empty' '/dev/stdin' 'standard input'

# inspect says what the build is, without running it.
run "$L3REPLAY" inspect "$build"
expect_status 0
expect_out 'a2a3sim' 'x__ssa_v0' 'accumulate' 'shift_row' 'count_positive'
expect_nothing_left
conclude
