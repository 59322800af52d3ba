#!/bin/bash
# `l3replay ab`: two builds in one job; that their outputs agree, and what is refused. Which is faster is for unit tests.
. "$(dirname "$0")/lib_replay.sh"

copy_example l2-affine first
first=$build
copy_example l2-affine second
second=$build
run "$L3REPLAY" ab "$first" "$second" --rounds 40 --precision 0.001 --result "$work/ab.json"
expect_pass
expect_out '^40 pairs of rounds in 2 passes; the interval of whole rounds is wider than 0\.001 %$' \
    '^  effective ' '^    slot 0 \(first\) ' '^outputs of both: the same bits$' '^PYPTO_EXEC_CHECKED=2/2 outputs$'
python3 - "$work/ab.json" "$second" <<'PYTHON' || complain "the result says something else"
import json, statistics, sys
ab = json.load(open(sys.argv[1]))["ab"]
assert ab["second"] == sys.argv[2] and ab["pairs"] == 40 and ab["passes"] == 2 and ab["dropped"] == 0
assert [r["of"] for r in ab["rows"]] == ["round", "round", "rank", "slot"]
for row in ab["rows"]:
    assert len(row["first"]) == len(row["second"]) == 40
    assert abs(statistics.median(row["first"]) - row["median_first"]) < 1e-9
    assert row["ratio_95"][0] <= row["ratio"] <= row["ratio_95"][1]
PYTHON

# What the second build computes is compared with what the first one does, whose references match.
replace_text "$second/kernels/aiv/scale_shift.cpp" "+ b[j];" "+ b[j] + 1;"
run "$L3REPLAY" ab "$first" "$second" --rounds 2
expect_fail 'elements differ between the builds, by up to' 'in (y|total)'

copy_example vector-add
run "$L3REPLAY" ab "$first" "$build" --rounds 2
expect_usage 'has no parameter|platform|cards'
run "$L3REPLAY" ab "$first"
expect_usage 'give two directories'
run "$L3REPLAY" ab "$first" "$second" "$build"
expect_usage 'one too many'

expect_nothing_left
conclude
