#!/bin/bash
# `l3replay report` on made-up profiles: what can be worked out by hand, what is missing, and the page in a browser.
. "$(dirname "$0")/lib_replay.sh"
. "$(dirname "$0")/lib_profiles.sh"

profiles=$work/made/dfx_outputs
make_profiles "$profiles"

# A value of the JSON report, by a path of keys and indices.
value() { # PATH
    python3 - "$work/out" "$1" <<'PYTHON'
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    value = value[int(key)] if isinstance(value, list) else value[key]
print(json.dumps(value))
PYTHON
}

expect_value() { # PATH VALUE
    local found
    found=$(value "$1") && [ "$found" = "$2" ] || complain "$1 should be $2, not ${found:-absent}"
}

# --- everything is there: see the picture in lib_profiles.sh ------------------------------------------------------------

run "$L3REPLAY" report "$work/made" --format json
expect_status 0
expect_value notes '[]'
expect_value run.span_ns 1000000
expect_value critical_path.total_ns 1000000
expect_value critical_path.gaps_ns 50000
for step in 0:0:first 1:2:edge 2:4:edge 3:7:edge; do
    IFS=: read -r i node reason <<<"$step"
    expect_value "critical_path.steps.$i.node" "$node"
    expect_value "critical_path.steps.$i.reason" "\"$reason\""
done
# Card 1's scale is on it: its tasks take 235 and 230 us.
expect_value critical_path.steps.1.kernels '[{"name": "scale_matmul", "ns": 235000, "tasks": 1}, {"name": "scale_add", "ns": 230000, "tasks": 1}]'
# Card 0 waits 0-100 for the host, 400-600 for card 1, and is launched 600-620.
expect_value ranks.0.computing_ns 580000
expect_value ranks.0.waiting_on_ranks_ns 200000
expect_value ranks.0.waiting_on_host_ns 100000
expect_value ranks.0.launch_ns 20000
expect_value ranks.0.writing_profiles_ns 0
expect_value ranks.0.after_last_ns 100000
expect_value ranks.0.waits.0 '{"lane": 1, "name": "card 1", "ns": 200000}'
expect_value ranks.1.waiting_on_ranks_ns 0
expect_value straggler 1
expect_value ranks.1.behind_fastest_ns 205000
expect_value slots.0.slowest_rank 1
expect_value slots.0.start_spread_ns 10000
expect_value slots.0.end_spread_ns 200000
# (300 - 20) / 2 us, (490 - 20) / 2, (315 - 20) / 2: the counter of card 2 ticks every 20 ns.
expect_value kernels.0.name '"scale_matmul"'
expect_value kernels.0.tasks.total_ns 522000
expect_value kernels.0.longest '{"rank": 1, "k": 0, "ns": 235000}'

run "$L3REPLAY" report "$profiles"
expect_status 0
expect_out 'straggler: rank 1: 205 us more than the fastest in all, over 2 dispatches that ranks share \(slowest in 1\)' 'critical path through the plan: 4 nodes, 1\.00 ms' 'scale_matmul of scale'

run "$L3REPLAY" report "$profiles" -o "$work/whole.html" --timeline
expect_status 0
for file in "$profiles/l3_timeline.json" "$profiles"/rank[012]/d[01]/merged_swimlane_d[01].json; do
    python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
slices = {}
for e in events:
    assert e["ph"] in "MXCsf", e
    assert isinstance(e["pid"], int) and isinstance(e["name"], str), e
    if e["ph"] == "X":
        assert e["ts"] >= 0 and e["dur"] >= 0 and isinstance(e["args"], dict), e
        slices.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"]))
flows = {}
for e in events:
    if e["ph"] in "sf":
        flows.setdefault(e["id"], {})[e["ph"]] = e
        assert any(a <= e["ts"] <= b for a, b in slices[e["pid"], e["tid"]]), e
for flow in flows.values():
    assert flow["s"]["ts"] <= flow["f"]["ts"] and flow["s"]["name"] == flow["f"]["name"], flow
for row in slices.values():
    row.sort()
    for (a, b), (c, d) in zip(row, row[1:]):
        assert c >= b or d <= b, "slices of one row overlap in part"
' "$file" || complain "$file is not a sound trace"
done

# The l3 timeline has what each level records, in each of the six dispatches.
for want in 'orchestrator 6' 'scheduler 6' 'task 12' 'dispatch 6' 'copy 1' 'sub-worker 1'; do
    set -- $want
    found=$(grep -c "\"ph\": \"X\".*\"cat\": \"$1\"" "$profiles/l3_timeline.json")
    [ "$found" -eq "$2" ] || complain "$found slices of category $1, not $2"
done
# Three edges from the copy, two of each reduce to the other cards, one to the sub-worker.
[ "$(grep -c '"ph": "s".*"cat": "plan"' "$profiles/l3_timeline.json")" -eq 10 ] || complain "10 arrows between lanes were expected"

# --- halves are missing ---------------------------------------------------------------------------------------------------

cp -r "$work/made" "$work/halves"
halves=$work/halves/dfx_outputs
rm "$halves/rank0/d1/deps.json"
rm "$halves/rank1/d1/name_map.json" "$halves/rank1/d1/dispatch_program.json"
head -c 400 "$profiles/rank2/d0/chip_swimlane_records.json" >"$halves/rank2/d0/chip_swimlane_records.json"
rm -r "$halves/rank2/d1"
put_records "$halves/rank0/d0" 1000000000 1000 $((origin_us + 100)) $((origin_us + 400)) 5
run "$L3REPLAY" report "$halves"
expect_status 0
expect_out 'records without deps.json' 'no name_map.json' 'truncated' 'no directory of profiles' 'an older version' 'func_1 of rank1/d1' 'picture is not complete: of 5 of the 6'
run "$L3REPLAY" report "$halves" --timeline -o "$work/halves.html"
expect_status 0
grep -q 'records without deps.json' "$halves/l3_timeline.json" || complain "the timeline does not say what it lacks"
grep -q 'rank2/d1: it has no directory' "$halves/l3_timeline.json" || complain "the timeline hides a dispatch without profile"

cp -r "$work/made" "$work/alone"
rm "$work/alone/dfx_outputs/l3_run.json"
run "$L3REPLAY" report "$work/alone"
expect_status 0
expect_out 'ranks cannot be related in time' 'straggler: rank 1'
grep -q 'critical path through the plan:' "$work/out" && complain "a critical path without knowing the run"
head -c 700 "$profiles/l3_run.json" >"$work/alone/dfx_outputs/l3_run.json"
run "$L3REPLAY" report "$work/alone"
expect_status 0
expect_out 'l3_run.json: it is not valid JSON.*ranks cannot be related'

mkdir "$work/empty"
run "$L3REPLAY" report "$work/empty"
expect_status 3
expect_err 'no profiles' 'hint:'
run "$L3REPLAY" report
expect_usage 'which profiles'
run "$L3REPLAY" report "$profiles" --format pdf
expect_usage 'not a format'
run "$L3REPLAY" report "$profiles" -o "$work/report.pdf"
expect_usage 'report.pdf.* ends in none of .txt, .json and .html'
[ ! -e "$work/report.pdf" ] || complain "a file was written in spite of its ending"
run "$L3REPLAY" report "$profiles" -o ''
expect_usage 'names no file'
run "$L3REPLAY" report "$profiles" -o "$work/report.pdf" --format json
expect_status 0
python3 -m json.tool "$work/report.pdf" >/dev/null || complain "--format does not count before the ending"
run "$L3REPLAY" report "$profiles" -o "$work/report"
expect_status 0
grep -q '^profiles  ' "$work/report" || complain "a name without an ending is not text"

# --- one directory cannot be read: the rest is reported --------------------------------------------------------------------

cp -r "$work/made" "$work/shut"
shut=$work/shut/dfx_outputs
rm -r "$shut/rank1" "$shut/rank2/d1"
ln -s rank1 "$shut/rank1"
ln -s d1 "$shut/rank2/d1"
run "$L3REPLAY" report "$work/shut" --timeline
expect_status 0
expect_out '^! rank1: Too many levels of symbolic links' '^! rank2/d1: Too many levels' 'rank0/d1 .*reduce$'
grep -q 'rank1: Too many levels' "$shut/l3_timeline.json" || complain "the timeline does not say what could not be read"
if [ "$(id -u)" -ne 0 ]; then
    rm "$shut/rank1"
    mkdir -m 0 "$shut/rank1"
    run "$L3REPLAY" report "$work/shut"
    expect_status 0
    expect_out '^! rank1: Permission denied'
    chmod 700 "$shut/rank1"
fi

# --- the directory's own ranks come before those of its dfx_outputs ----------------------------------------------------------

cp -r "$profiles" "$work/both"
cp -r "$work/shut/dfx_outputs" "$work/both/dfx_outputs"
run "$L3REPLAY" report "$work/both" --format json
expect_status 0
expect_value profiles "\"$work/both\""
expect_value notes '[]'

# --- the page in a browser ------------------------------------------------------------------------------------------------

for page in whole halves; do
    grep -Eq '(src|href)="?(https?:)?//|@import|url\(|<script' "$work/$page.html" && complain "$page.html is not self-contained"
done

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || browser=
if [ -z "$browser" ]; then
    echo "the page was not opened: there is no Chromium"
    conclude
fi
limit=120
for page in whole halves; do
    for scheme in 0 1; do
        run "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/browser" --window-size=1200,1900 \
            --blink-settings=preferredColorScheme=$scheme --enable-logging=stderr --screenshot="$work/$page-$scheme.png" \
            "file://$work/$page.html"
        [ -s "$work/$page-$scheme.png" ] || complain "no screenshot of $page.html"
        refuse_err 'CONSOLE|Refused to|Uncaught'
    done
    # Dark and light differ.
    cmp -s "$work/$page-0.png" "$work/$page-1.png" && complain "$page.html looks the same in dark and light"
done
[ -z "${L3REPLAY_KEEP_SCREENSHOTS:-}" ] || cp "$work"/*.png "$L3REPLAY_KEEP_SCREENSHOTS"

conclude
