#!/bin/bash
# Rules of comparison on the command line: of all outputs and of one, and what the verdict and the result say.
. "$(dirname "$0")/lib_replay.sh"

# The first element of each card's rows is wrong: 4 of 1024, in rows 0, 16, 32 and 48 of 64.
copy_example vector-add off
kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp
replace_call "$build/$kernel" vector_add '    vector_add(a, b, out, rows * 16);
    out[0] += 1000.0f;'

run "$L3REPLAY" run "$build"
expect_fail 'out: 4 of 1024 elements differ'
run "$L3REPLAY" run "$build" --max-error-ratio 0.004 --result "$work/result.json" # round(4.096)
expect_pass 0
expect_err 'note: out: 4 of 1024 elements are off, and 4 may be'
python3 - "$work/result.json" <<'END' || complain "the result should have the rule"
import json, sys
c, = json.load(open(sys.argv[1]))["comparisons"]
assert (c["matches"], c["mismatched"], c["allowed"], c["max_error_ratio"]) == (True, 4, 4, 0.004), c
END
run "$L3REPLAY" run "$build" --max-error-ratio out=0.003 # round(3.072)
expect_fail 'out: 4 of 1024 elements differ .*, 3 may .*of which 0.003 may be off'
expect_err 'changed since the last replay: other options: .*--max-error-ratio out=0.003'
run "$L3REPLAY" run "$build" --max-error-ratio 0.9 --max-error-ratio out=0 # that of the output wins
expect_fail 'out: 4 of 1024'
run "$L3REPLAY" run "$build" --atol out=2000
expect_pass 0
run "$L3REPLAY" run "$build" --atol 2000 --atol out=1
expect_fail 'atol 1,'
run "$L3REPLAY" run "$build" --valid-rows 1
expect_fail 'out: 1 of 16 elements differ .*the first 1 row of axis 0'
run "$L3REPLAY" run "$build" --valid-rows out=0
expect_pass 0
run "$L3REPLAY" run "$build" --valid-rows 0 --zero-tail
expect_fail 'behind the valid rows are not zero'

# Relative differences, and where elements lie that differ.
run "$L3REPLAY" run "$build" --reldiff 0.01 --result "$work/result.json"
expect_pass 0
expect_err 'elements are off, and 51 may be' # 0.05 of 1024
run "$L3REPLAY" run "$build" --reldiff out=0.01 --max-error-ratio 0 --result "$work/result.json"
expect_fail 'out: they lie (in \[|all over)' 'relative difference 0.01' 'wrote last'
python3 - "$work/result.json" <<'PYTHON' || complain "the result should say where they lie"
import json, sys
found = json.load(open(sys.argv[1]))["comparisons"][0]
assert [writer["mismatched"] for writer in found["writers"]] == [1, 1, 1] and found["other_writers"] == 1  # one a card
assert sum(found["ulps"].values()) == found["mismatched"] and found["reldiff"] == 0.01
PYTHON

refused() { # PATTERN OPTION...
    local pattern=$1
    shift
    run "$L3REPLAY" run "$build" "$@"
    expect_usage "$pattern"
}
refused 'share, from 0 to 1' --max-error-ratio 1.5
refused 'not a number|finite|wants' --max-error-ratio out=many
refused 'whole number' --valid-rows 1.5
refused 'has 64 rows along axis 0, and 65 should count' --valid-rows 65
refused 'no axis 2' --valid-rows 1 --valid-axis 2
refused 'no tail' --zero-tail
refused 'no output|is not written|a .*is not written' --rtol a=1
refused 'nosuch' --rtol nosuch=1
refused 'not compared by relative difference' --max-reldiff 1
refused 'are not the values and the indices' --topk out=a
refused 'nosuch' --topk out=nosuch
expect_nothing_left
conclude
