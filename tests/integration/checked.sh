#!/bin/bash
# What the last lines of stdout and the result file say of the comparison: how much was compared, and why not more.
. "$(dirname "$0")/lib_replay.sh"

json() { # PYTHON_EXPRESSION over `result`
    python3 -c 'import json, sys; result = json.load(open(sys.argv[1])); sys.exit(not (eval(sys.argv[2])))' \
        "$work/result.json" "$1" || complain "the result should satisfy: $1"
}

expect_checked() { # "COMPARED/OUTPUTS"
    expect_out "^PYPTO_EXEC_CHECKED=$1 outputs\$"
}

copy_example pipeline
run "$L3REPLAY" run "$build" -n 2 --result "$work/result.json"
expect_pass 0
expect_checked 2/2
json 'result["compared"] == 2 and result["outputs"] == 2 and "unchecked" not in result'

# One reference is missing: that is in the result file, with its reason, and enough for --require-check.
rm "$build/data/out/count__ssa_v0.npy"
run "$L3REPLAY" run "$build" -n 1 --result "$work/result.json"
expect_pass 0
expect_checked 1/2
json 'result["unchecked"] == [{"parameter": "count__ssa_v0", "why": "no --expect, no data/out/count.npy or .pt"}]'
run "$L3REPLAY" run "$build" -n 1 --require-check
expect_infra '1 of 2 outputs would not be compared, the first is count__ssa_v0'
expect_checked 0/2

# Nothing is compared: the notes are in the result file, whatever is printed.
rm -r "$build/data/out"
run "$L3REPLAY" run "$build" -n 1 --log-level error --device-id 5 --result "$work/result.json"
expect_pass 0
expect_checked 0/2
[ -s "$work/err" ] && complain "nothing should be printed"
json 'any(note.startswith("nothing to compare with") for note in result["notes"])'
json 'any(note.startswith("--device-id 5 has no effect") for note in result["notes"])'
run "$L3REPLAY" run "$build" -n 1 --log-level error --enable-l2-swimlane --result "$work/result.json"
expect_pass 0
json 'any("--enable-l2-swimlane is deprecated" in warning for warning in result["warnings"])'

# A wrong kernel that removes the references on its way, or puts its own in their place: it was they that it began with.
for act in 'std::remove(path)' 'std::rename(other, path)'; do
    copy_example vector-add
    make_npy "$work/other.npy" '<f4' '64, 16' 1024 f 0
    replace_call "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp" vector_add \
        "static const char path[] = \"$build/data/out/out.npy\", other[] = \"$work/other.npy\"; (void)other; (void)path; $act;"
    sed -i '1i #include <cstdio>' "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp"
    run "$L3REPLAY" run "$build" -n 1
    expect_fail 'out: [0-9]+ of 1024 elements differ'
    expect_checked 1/1
done

# The same while the build is recorded.
copy_example vector-add
replace_call "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp" vector_add ""
printf '\nimport shutil\nshutil.rmtree(%s, ignore_errors=True)\n' "'$build/data'" >>"$build/orchestration/host_orch.py"
run "$L3REPLAY" run "$build" -n 1
expect_fail 'out: [0-9]+ of 1024 elements differ'

# A wrong kernel stays FAIL when the result file can no longer be written; PASS does not.
for wrong in yes no; do
    copy_example vector-add
    [ "$wrong" = no ] || replace_call "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp" vector_add ""
    mkdir -p "$work/results"
    printf '\nimport shutil\nshutil.rmtree(%s, ignore_errors=True)\n' "'$work/results'" >>"$build/orchestration/host_orch.py"
    run "$L3REPLAY" run "$build" -n 1 --result "$work/results/result.json"
    if [ "$wrong" = yes ]; then
        expect_fail 'elements differ' 'results/result.json'
    else
        expect_infra 'results/result.json'
    fi
done

# References can be left out, or insisted on.
copy_example vector-add
run "$L3REPLAY" run "$build" -n 1 --no-validate --result "$work/result.json"
expect_pass 0
expect_checked 0/1
json 'result["unchecked"] == [{"parameter": "out", "why": "--no-validate"}]'
run "$L3REPLAY" run "$build" -n 1 --no-validate --validate
expect_usage '--no-validate compares nothing; leave --validate out'
# A seed is no other input where nothing is generated; the file of data/in itself is none either.
run "$L3REPLAY" run "$build" -n 1 --seed 3 --input "a=$build/data/in/a.npy"
expect_pass 0
expect_checked 1/1
# What data/in does not hold is generated, and references are not of that.
rm "$build/data/in/b.npy"
run "$L3REPLAY" run "$build" -n 1 --input "a=$build/data/out/out.npy"
expect_pass 0
expect_checked 0/1
expect_err 'references in data/out belong to other inputs: --input a, b is not in data/in;'
run "$L3REPLAY" run "$build" -n 1 --validate
expect_fail 'elements differ'
run "$L3REPLAY" run "$build" -n 1 --expect "out=$build/data/out/out.npy"
expect_fail 'elements differ'

# Paths are found unusable before the run; the directory of outputs is made before the result in it is looked at.
copy_example vector-add
run "$L3REPLAY" run "$build" -n 1 --save-outputs /proc/l3replay-none
expect_infra '/proc/l3replay-none'
grep -q 'dispatch' "$work/err" && complain "nothing should have run"
run "$L3REPLAY" run "$build" -n 1 --result /proc/l3replay-none.json
expect_infra '/proc/l3replay-none.json'
grep -q 'dispatch' "$work/err" && complain "nothing should have run"
run "$L3REPLAY" run "$build" -n 1 --save-outputs "$work/kept" --result "$work/kept/result.json"
expect_pass 0
[ -s "$work/kept/result.json" ] && [ -s "$work/kept/out.npy" ] || complain "outputs and result should both be there"

# The compiler's re-runner stands for its build; what was written into it is not run, and that is said.
mkdir "$build/debug"
cat >"$build/debug/run.py" <<'PYTHON'
import torch


def _inline_inputs():
    """Inputs."""
    a = torch.randn((64, 16), dtype=torch.float32)
    b = torch.randn((64, 16), dtype=torch.float32)
    out = torch.zeros((64, 16), dtype=torch.float32)
    return [a, b, out]


def _user_compare(a, b, out):
    """Edit me."""
    return  # nothing yet


if __name__ == "__main__":
    pass
PYTHON
run "$L3REPLAY" run "$build/debug/run.py" -n 1
expect_pass 0
refuse_err 'run\.py'
replace_text "$build/debug/run.py" 'return  # nothing yet' 'assert (out == a + b).all()'
run "$L3REPLAY" run "$build/debug/run.py" -n 1 --log-level error --result "$work/result.json"
expect_pass 0
json 'result["warnings"] == [text for text in result["warnings"] if "_user_compare of debug/run.py was edited" in text] != []'

# What is noted after the verdict is in the result file too.
run "$L3REPLAY" run "$build" -n 1 --log-level error --swimlane --dfx-dir "$work/dfx" --result "$work/result.json"
expect_pass 0
json 'any("l3replay report" in note for note in result["notes"])'

conclude
