#!/bin/bash
# A batch: a marker for each entry in order, whatever becomes of the others; resumed after an interrupt; its summaries.
. "$(dirname "$0")/lib_replay.sh"

kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp
copy_example vector-add good
good=$build
copy_example vector-add crashing
crashing=$build
replace_call "$build/$kernel" vector_add '    __builtin_trap();'
copy_example vector-add held
held=$build
hold_recording

cat >"$work/batch.json" <<END
[{"work_dir": "$good", "platform": "a2a3sim"},
 17,
 {"work_dir": "$work/nowhere", "platform": "a2a3sim"},
 {"work_dir": "$crashing", "platform": "a2a3sim", "device_ids": [3]},
 {"work_dir": "$good", "device_ids": [2, 5]}]
END
markers() { grep '^PYPTO_EXEC_RESULT=' "$work/out"; }
expect_markers() { # LINES
    [ "$(markers)" = "$1" ] || complain "the markers should be: $1"
}

run "$L3REPLAY" batch "$work/batch.json" --summary "$work/summary.json" --junit "$work/junit.xml" --timeout 30
expect_status 1
expect_markers "PYPTO_EXEC_RESULT=PASS work_dir=$good device=0
PYPTO_EXEC_RESULT=INFRA work_dir=entry-1
PYPTO_EXEC_RESULT=INFRA work_dir=$work/nowhere
PYPTO_EXEC_RESULT=FAIL work_dir=$crashing
PYPTO_EXEC_RESULT=PASS work_dir=$good device=2"
expect_err 'batch: 2 PASS, 1 FAIL, 2 INFRA; all entries ended'
[ -e "$work/batch.json.journal" ] && complain "a batch that ended leaves no journal"
python3 - "$work" <<'END' || complain "the summaries are not right"
import json, sys, xml.etree.ElementTree as xml
s = json.load(open(sys.argv[1] + "/summary.json"))
assert (s["entries"], s["pass"], s["fail"], s["infra"], s["not_run"]) == (5, 2, 1, 2, 0), s
assert "object" in s["results"][1]["what"] and "nowhere" in s["results"][2]["what"], s
assert "signal" in s["results"][3]["what"] and s["results"][4]["device"] == 2, s
suite = xml.parse(sys.argv[1] + "/junit.xml").getroot()
assert [len(case) for case in suite] == [0, 1, 1, 1, 0] and suite.get("errors") == "2"
assert suite[3][0].tag == "failure" and suite[1][0].tag == "error"
END
expect_nothing_left

# Killed in the second entry: the journal has the first, and the rest goes on there.
cat >"$work/two.json" <<END
[{"work_dir": "$good"}, {"work_dir": "$held"}, {"work_dir": "$good"}]
END
start "$L3REPLAY" batch "$work/two.json"
await_recording
kill -9 "$started" # its directory is removed by the next one
finish_run
[ -s "$work/two.json.journal" ] || complain "a killed batch leaves its journal"
start "$L3REPLAY" batch "$work/two.json" --resume --summary "$work/summary.json"
await_recording
kill -INT "$started"
finish_run
expect_status 3
expect_markers "PYPTO_EXEC_RESULT=INFRA work_dir=$held"
expect_err 'note: 1 of 3 entries had ended before' '1 entry was not run; --resume goes on there'
python3 - "$work" <<'END' || complain "the summary should have what ended earlier, and what did not run"
import json, sys
s = json.load(open(sys.argv[1] + "/summary.json"))
assert [r["result"] for r in s["results"]] == ["PASS", "INFRA", "not run"] and s["results"][0]["earlier"], s
END
run "$L3REPLAY" batch "$work/two.json" --resume
expect_status 3
expect_markers "PYPTO_EXEC_RESULT=PASS work_dir=$good device=0"
expect_nothing_left

# An entry that takes too long costs itself.
cat >"$work/slow.json" <<END
[{"work_dir": "$held"}, {"work_dir": "$good"}]
END
run "$L3REPLAY" batch --batch-manifest "$work/slow.json" --entry-timeout 3 --no-recompile
expect_status 3
expect_markers "PYPTO_EXEC_RESULT=INFRA work_dir=$held
PYPTO_EXEC_RESULT=PASS work_dir=$good device=0"
expect_nothing_left

run "$L3REPLAY" batch --work-dir "$good" --platform a5sim -- --log-level error
expect_status 0
expect_markers "PYPTO_EXEC_RESULT=PASS work_dir=$good device=0"
run "$L3REPLAY" batch "$work/none.json"
expect_status 3
expect_markers "PYPTO_EXEC_RESULT=INFRA"
echo '{"work_dir": "a"}' >"$work/object.json"
run "$L3REPLAY" batch "$work/object.json"
expect_status 3
expect_markers "PYPTO_EXEC_RESULT=INFRA"
expect_err 'hint: give a JSON list'
run "$L3REPLAY" batch "$work/two.json" --resume --journal "$work/batch.json"
expect_status 3
expect_err 'hint: leave --resume out'
run "$L3REPLAY" batch
expect_usage 'which builds'
run "$L3REPLAY" batch "$work/two.json" --work-dir "$good"
expect_usage 'not both'
run "$L3REPLAY" batch "$work/two.json" --result "$work/r.json"
expect_usage -- '--summary'
conclude
