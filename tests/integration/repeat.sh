#!/bin/bash
# --repeat: which runs give the same bits, and where the others depart from them.
#
# Kernels learn the number of their run from a file that they make one byte longer each time, so what differs, and in
# which runs, is known beforehand.
. "$(dirname "$0")/lib_replay.sh"

headers='#include <cstdint>\n#include <ctime>\n#include <fcntl.h>\n#include <sys/stat.h>\n#include <unistd.h>'
counter=$work/counter

# A statement that makes `number` the number of the run.
count_run="struct stat st;
        int fd = open(\"$counter\", O_WRONLY | O_APPEND | O_CREAT, 0600);
        if (write(fd, \"x\", 1) != 1 || fstat(fd, &st) != 0) {
            return;
        }
        close(fd);
        int number = (int)st.st_size;"

# The pipeline without references, and with x[i] = i everywhere. Of its scale dispatches, the one of row 3 is node 3, d1
# of card 1.
copy_pipeline() { # NAME
    copy_example pipeline "$1"
    rm -rf "$build/data/out"
    python3 - "$build/data/in/x__ssa_v0.npy" <<'PYTHON'
import struct, sys
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 64), }".ljust(117) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(b"".join(struct.pack("<f", i) * 64 for i in range(8)))
PYTHON
    scale=$build/next_levels/scale/kernels/aiv/scale_row.cpp
    accumulate=$build/next_levels/accumulate/kernels/aiv/add_row.cpp
    finish=$build/next_levels/finish/kernels/aiv/shift_row.cpp
    sed -i "s|^#include <cstdint>|$headers|" "$scale" "$finish"
    rm -f "$counter"
}

# Row 3 of scale, with code after it.
spoil_row_3() { # CODE
    replace_call "$scale" scale_row "    scale_row(x, scaled, n);
    if (x[0] == 3.0f) {
        $1
    }"
}

check() { # PYTHON_STATEMENTS
    python3 - "$work/result.json" "$1" <<'PYTHON' || complain "the result file should hold: $1"
import json, sys
result = json.load(open(sys.argv[1]))
repeat = result["repeat"]
exec(sys.argv[2])
PYTHON
}

# Lines about the runs: all but those of the verdict, and the lines about binaries.
expect_lines() { # COUNT
    [ "$(grep -Ecv '^(PYPTO_EXEC_|\[cpp->)' "$work/out")" -eq "$1" ] || complain "$1 lines about runs were expected"
}

repeat() { # RUNS BUILD [OPTION...]
    run "$L3REPLAY" run "$2" -n 2 --repeat "$1" --result "$work/result.json" "${@:3}"
}

# --- runs that are all alike ----------------------------------------------

for np in 1 3; do
    copy_example pipeline
    run mpirun -np "$np" "$L3REPLAY" run "$build" --repeat 5 --result "$work/result.json"
    expect_pass 0
    expect_out '^5 of 5 runs gave the same bits$'
    expect_lines 1
    check '
assert result["rounds"] == 5 and {d["round"] for d in result["dispatches"]} == {4}
assert repeat == {"wanted": 5, "runs": 5, "same": 5, "groups": [{"runs": [1, 2, 3, 4, 5], "matches": True}],
                  "failed_runs": [], "differences": []}, repeat
assert [c["mismatched"] for c in result["comparisons"]] == [0, 0]
'
    expect_nothing_left
done

# Cards that write into each other's windows.
copy_example allreduce
repeat 4 "$build"
expect_pass 0
expect_out '^4 of 4 runs gave the same bits$'

# One run is a run like any other.
copy_example vector-add
repeat 1 "$build"
expect_pass 0
expect_lines 0
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["rounds"] == 1 and "repeat" not in r' \
    "$work/result.json" || complain "a single run compares nothing"

# --- other bits in known runs, from a known dispatch on --------------------

# scaled[3, 5] is 103 instead of 3. Column 5 of the sums goes to column 37 of out, and rows 3 to 7 have it in theirs;
# out[3, 37] is 0 + 1 + 2 + 3 and the weight 5.
copy_pipeline other
spoil_row_3 "$count_run
        if (number == 3 || number == 5) {
            scaled[5] += 100.0f;
        }"
repeat 6 "$build" --scalar n=1
expect_pass 0
expect_out '^4 of 6 runs gave the same bits \(runs 1, 2, 4, 6\); runs 3, 5 gave others$' \
    '^run 3 against run 1: out__ssa_v0\(3, 37\) is 111 \(0x42de0000\) and was 11 \(0x41300000\); 5 of 512 elements differ$' \
    '^  other bits from here on: dispatch 3 \(scale on card 1, host_orch.py:[0-9]+\), rank1/d1: argument 1, scaled__tmp_v0\[3, :\]$'
expect_lines 3
check '
assert (repeat["runs"], repeat["same"], repeat["failed_runs"]) == (6, 4, [])
assert [g["runs"] for g in repeat["groups"]] == [[1, 2, 4, 6], [3, 5]]
assert [d["run"] for d in repeat["differences"]] == [3, 5]
for d in repeat["differences"]:
    [out] = d["outputs"]
    assert (out["parameter"], out["count"], out["differing"], out["index"]) == ("out__ssa_v0", 512, 5, [3, 37])
    assert (out["run_1"], out["value"], out["bits"], out["node"]) == (11, 111, ["0x41300000", "0x42de0000"], 21)
    first = d["first"]
    assert (first["node"], first["kind"], first["program"], first["card"]) == (3, "dispatch", "scale", 1)
    assert (first["k"], first["argument"], first["tensor"]) == (1, 1, "scaled__tmp_v0[3, :]")
    assert "window" not in d
'
expect_nothing_left

# Nothing that is repeated: the time, in 48 bits of nanoseconds.
copy_pipeline clock
spoil_row_3 "struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        scaled[0] = (float)(ns & 0xffffff);
        scaled[1] = (float)(ns >> 24 & 0xffffff);"
repeat 3 "$build" --scalar n=1
expect_pass 0
expect_out '^no two of 3 runs gave the same bits$' '^run 2 against run 1: out__ssa_v0\(3, 3[23]\)' \
    '^run 3 against run 1: out__ssa_v0\(3, 3[23]\)'
[ "$(grep -c 'from here on: dispatch 3 (scale on card 1' "$work/out")" -eq 2 ] || complain "both depart at dispatch 3"

# What nobody reads does not count as a result, but is reported.
copy_pipeline hidden
spoil_row_3 "$count_run
        if (number == 2) {
            scaled[5] += 100.0f;
        }"
replace_text "$accumulate" 'carry[j] + scaled[j]' 'carry[j] + (scaled[j] > 50.0f ? 3.0f : scaled[j])'
repeat 3 "$build" --scalar n=1
expect_pass 0
expect_out '^3 of 3 runs gave the same bits$' '^run 2 gave the outputs of run 1, but other bits on the way:$' \
    '^  other bits from here on: dispatch 3 \(scale on card 1,'
check '
assert repeat["same"] == 3
[d] = repeat["differences"]
assert d["run"] == 2 and "outputs" not in d and d["first"]["node"] == 3
'

# --- wrong in some runs ----------------------------------------------------

# finish of row 3 has weight 5, which no other row has.
copy_example pipeline wrong
finish=$build/next_levels/finish/kernels/aiv/shift_row.cpp
sed -i "s|^#include <cstdint>|$headers|" "$finish"
rm -f "$counter"
replace_call "$finish" shift_row "    shift_row(turned, out, weight);
    if (weight == 5) {
        $count_run
        if (number == 2 || number == 4) {
            out[9] += 1000.0f;
        }
    }"
repeat 5 "$build"
expect_fail 'out__ssa_v0: 1 of 512 elements differ' 'in run 2 of 5: .*data/out/out__ssa_v0.npy'
expect_out '^3 of 5 runs gave the same bits \(runs 1, 3, 5\); runs 2, 4 gave others$' \
    '^2 of 5 runs did not match what was expected: runs 2, 4$' '^run 2 against run 1: out__ssa_v0\(3, 9\)' \
    '^  other bits from here on: dispatch 21 \(finish on card 3,.*argument 2, out__ssa_v0\[3, :\]'
[ "$(grep -c 'actual .*, expected' "$work/err")" -eq 1 ] || complain "the one mismatch of run 2 is reported once"
check '
assert result["result"] == "FAIL" and result["rounds"] == 5 and repeat["failed_runs"] == [2, 4]
assert [(g["runs"], g["matches"]) for g in repeat["groups"]] == [([1, 3, 5], True), ([2, 4], False)]
assert {c["parameter"]: c["mismatched"] for c in result["comparisons"]} == {"out__ssa_v0": 1, "count__ssa_v0": 0}
'
expect_nothing_left

# --- runs that do not come to their end ------------------------------------

copy_pipeline crash
spoil_row_3 "$count_run
        if (number == 3) {
            *(volatile int *)8 = 0;
        }"
run mpirun -np 2 "$L3REPLAY" run "$build" --repeat 4 --result "$work/result.json"
expect_fail 'in run 3 of 4: .*dispatch 3 \(scale on card 1'
expect_out '^2 of 4 runs came to their end$' '^2 of 2 runs gave the same bits$'
check 'assert (repeat["wanted"], repeat["runs"]) == (4, 2) and result["error"]["where"].startswith("run 3 of 4: ")
assert {d["round"] for d in result["dispatches"]} == {2}'
expect_nothing_left

copy_pipeline hang
spoil_row_3 "$count_run
        while (number == 2) {
            pause();
        }"
repeat 3 "$build" --timeout 5
expect_fail 'no progress' 'in run 2 of 3: .*dispatch 3 \(scale on card 1'
expect_nothing_left

# The same, ended by hand once its second run is in dispatch 3.
rm -f "$counter"
start "$L3REPLAY" run "$build" -n 2 --repeat 3 --result "$work/result.json"
waited=0
until [ "$(stat -c %s "$counter" 2>/dev/null)" = 2 ]; do
    sleep 0.1
    waited=$((waited + 1))
    [ "$waited" -lt 600 ] || { complain "the second run did not begin"; break; }
done
kill -INT "$started"
finish_run
expect_infra 'interrupted' 'in run 2 of 3'
expect_out '^1 of 3 runs came to their end$'
grep -q 'gave the same bits' "$work/out" && complain "one run is not compared with anything"
expect_nothing_left

# --- the command line ------------------------------------------------------

copy_example vector-add
for wrong in 0 1001 two -1; do
    run "$L3REPLAY" run "$build" --repeat="$wrong"
    expect_usage '--repeat wants a whole number from 1 to 1000'
done
run "$L3REPLAY" run "$build" --repeat 2 --swimlane
expect_usage '--repeat takes no profiles'
run "$L3REPLAY" run "$build" -n 1 --repeat 1 --swimlane
expect_pass 0

conclude
