#!/bin/bash
# `l3replay bench`: rounds in one set of executors, what is put back between them, and what is written of their times.
. "$(dirname "$0")/lib_replay.sh"

# It adds to y, an in-out, and has references: what a second round finds is what the first one found.
copy_example l2-affine
run env PYPTO_BENCH_ROUNDS=7 PYPTO_BENCH_WARMUP=2 "$L3REPLAY" bench "$build" --result "$work/old.json" --csv "$work/old.csv" \
    --pypto-lines
expect_pass
expect_out '^7 rounds after 2 that are not counted; 128 bytes put back before each$' \
    '^\[RUN\]   effective_us \(7 rounds\) min=[0-9.]+ median=[0-9.]+ mean=[0-9.]+ max=[0-9.]+$' \
    '^\[RUN\] benchmark kernel=l2-affine l3=0 rounds=7 ranks=1 host_union_mean_us=[0-9.]+ host_mean_us=[0-9.]+$'
python3 - "$work/old.json" "$work/old.csv" <<'PYTHON' || complain "the files say something else"
import csv, json, statistics, sys
result = json.load(open(sys.argv[1]))
bench, rows = result["bench"], list(csv.DictReader(open(sys.argv[2])))
assert result["rounds"] == 9 and bench["rounds"] == 7 and bench["dropped"] == 0, bench
whole, slot = bench["round"]["effective"], bench["ranks"][0]["slots"][0]["effective"]
assert len(whole["samples"]) == 7 and whole["samples"] == slot["samples"]
assert abs(statistics.median(whole["samples"]) - whole["median"]) < 1e-9
assert whole["min"] <= whole["median"] <= whole["p95"] <= whole["max"]
assert [float(r["effective_us"]) for r in rows] == [round(s, 3) for s in slot["samples"]]
assert {r["rank"] for r in rows} == {"0"} and [int(r["round"]) for r in rows] == list(range(7))
PYTHON

# The state that is kept is another one in each round, so that nothing is compared.
run "$L3REPLAY" bench "$build" --rounds 2 --warmup 0 --keep-state --save-outputs "$work/kept" --baseline "$work/old.json"
expect_pass
expect_out '^PYPTO_EXEC_CHECKED=0/2 outputs$' '^against .*old.json:$' '^  effective +[+-][0-9.]+ %'
expect_err 'machine is in another state'
run "$L3REPLAY" bench "$build" --rounds 1 --warmup 0 --keep-state --save-outputs "$work/once"
expect_pass
diff -r "$work/kept" "$work/once" >/dev/null && complain "the second round should have found what the first one left"

run "$L3REPLAY" bench "$build" --rounds 0
expect_usage '--rounds wants a whole number from 1 to'
run "$L3REPLAY" bench "$build" --swimlane
expect_usage 'bench takes no profiles'

# Cards that signal to each other through windows, in two processes.
copy_example allreduce
run mpirun -np 2 "$L3REPLAY" bench "$build" --rounds 5 --warmup 1
expect_pass
expect_out '^5 rounds after 1 that is not counted; [0-9]+ bytes put back before each$' '^  start skew '

expect_nothing_left
conclude
