#!/bin/bash
# golden.py, an edited debug/run.py and comparators: when they are run, what they are given, what they make of the verdict.
. "$(dirname "$0")/lib_replay.sh"
export L3REPLAY_CACHE_DIR=$work/golden-store # what an earlier test kept must not be found
unset L3REPLAY_SUBWORKER_PYTHON L3REPLAY_PYTHON VIRTUAL_ENV

json() { # PYTHON_EXPRESSION over `result`
    python3 -c 'import json, sys; result = json.load(open(sys.argv[1])); sys.exit(not (eval(sys.argv[2])))' \
        "$work/result.json" "$1" || complain "the result should satisfy: $1"
}

expect_checked() { # "COMPARED/OUTPUTS"
    expect_out "^PYPTO_EXEC_CHECKED=$1 outputs\$"
}

# How often the files of the build were executed.
expect_calls() { # NUMBER
    [ "$(cat "$build/calls" 2>/dev/null | wc -l)" -eq "$1" ] || complain "Python should have run $1 times"
}

write_golden() { # vector-add with a golden.py in place of data; out is an in-out that starts with ones
    copy_example vector-add "$1"
    rm -r "$build/data"
    edit_meta "$build" 'meta["params"][2]["direction"] = "InOut"'
    echo 'OFF = 1.001' >"$build/helper.py"
    cat >"$build/golden.py" <<'PYTHON'
import os
import torch
from helper import OFF

__outputs__ = ["out"]
RTOL = 1e-2
ATOL = 1e-6
print("PYPTO_EXEC_RESULT=PASS device=99")
open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "calls"), "a").write("run\n")


def generate_inputs(params):
    return [("a", torch.randn(64, 16)), ("b", torch.randn(64, 16)), ("out", torch.ones(64, 16))]


def compute_golden(tensors, params):
    assert params["name"] == "Default" and (tensors["out"] == 1).all(), "not the initial values"
    tensors["out"] *= (tensors["a"] + tensors["b"]) * OFF
    tensors["a"].zero_()
    tensors["out"][0, 0] = float("nan")
PYTHON
}

# --- without torch ---------------------------------------------------------------

# With data in the build neither file is run.
copy_example vector-add
echo 'raise SystemExit("golden.py was run")' >"$build/golden.py"
run "$L3REPLAY" run "$build" -n 1 --result "$work/result.json"
expect_pass 0
expect_checked 1/1
# RTOL and ATOL count all the same, where they are plain numbers.
printf 'RTOL = 0.25  # wide\nATOL = 5e-1\n' >>"$build/golden.py"
run "$L3REPLAY" run "$build" -n 1 --atol 0.125 --result "$work/result.json"
expect_pass 0
json 'result["rtol"] == 0.25 and result["atol"] == 0.125'

# A Python without torch is named, with what to install; nothing has run.
bare=$work/bare-python
printf '#!/bin/sh\nexec %s -S "$@"\n' "$(command -v python3)" >"$bare"
chmod +x "$bare"
write_golden none
if ! "$bare" -c 'import torch' 2>/dev/null; then
    run "$L3REPLAY" run "$build" -n 1 --python "$bare"
    expect_infra "golden.py cannot be run by .*bare-python: .*No module named .torch" 'python3-torch'
    expect_calls 0
fi
run "$L3REPLAY" run "$build" -n 1 --no-golden
expect_pass 0
expect_checked 0/1

# --validate insists on something to validate with.
rm "$build/golden.py"
run "$L3REPLAY" run "$build" -n 1 --validate
expect_infra 'nothing to validate with: the build has no golden.py'
grep -q 'dispatch' "$work/err" && complain "nothing should have run"
run "$L3REPLAY" run "$build" -n 1 --compare out
expect_usage '--compare wants NAME=FILE.py:FUNC'

if ! /usr/bin/python3 -c 'import torch' 2>/dev/null && ! python3 -c 'import torch' 2>/dev/null; then
    [ "$failures" -ne 0 ] && conclude
    echo "skipped: no torch (python3-torch)"
    exit 77
fi

# --- golden.py --------------------------------------------------------------------

write_golden main
run "$L3REPLAY" run "$build" -n 1 --result "$work/result.json"
expect_pass 0
expect_checked 1/1
expect_calls 1
expect_err 'PASS device=99' 'out: 1 of 1024 expected elements are NaN'
json 'result["rtol"] == 1e-2 and result["comparisons"][0]["file"] == "golden.py"'
# Kept: with tolerances of the options as well.
run "$L3REPLAY" run "$build" -n 1 --rtol 1e-5
expect_fail 'out: 10[0-9]+ of 1024 elements differ'
expect_calls 1
refuse_err 'changed since the last replay: golden.py'

# What it imports is edited: it runs again, and that is said. A comparator takes the place of the comparison.
echo 'OFF = 2' >"$build/helper.py"
make_npy "$work/a.npy" '<f4' '64, 16' 1024 f 3
cat >"$work/checks.py" <<'PYTHON'
def double(actual, expected, *, actual_outputs, expected_outputs, inputs, rtol, atol):
    assert list(actual_outputs) == list(expected_outputs) == ["out"] and sorted(inputs) == ["a", "b"]
    assert (actual_outputs["out"] == actual).all() and expected[0, 0] != expected[0, 0]
    assert (rtol, atol) == (1e-2, 0.5) and (inputs["a"] == 3).all()
    assert ((inputs["a"] + inputs["b"]) == actual).all()
    actual += 1
    return bool(((actual - 1) * 2 - expected)[1:].abs().max() < 1e-5), "not the double"
PYTHON
run "$L3REPLAY" run "$build" -n 1 --input "a=$work/a.npy" --atol 0.5 --compare "out=$work/checks.py:double" --save-outputs "$work/saved" --result "$work/result.json"
expect_pass 0
expect_checked 1/1
expect_calls 2
expect_err 'changed since the last replay: helper.py'
json 'result["comparisons"][0]["matches"] is True and result["comparisons"][0]["comparator"].endswith("checks.py:double")'
run "$L3REPLAY" run "$build" -n 1 --compare "out=$work/checks.py:nowhere"
expect_usage 'there is no function nowhere'

# A raise is INFRA; --no-validate does not get so far.
replace_text "$build/golden.py" 'tensors["a"].zero_()' 'raise ValueError("of mine")'
run "$L3REPLAY" run "$build" -n 1
expect_infra 'compute_golden of golden.py raised ValueError: of mine' 'golden.py", line [0-9]+, in compute_golden'
run "$L3REPLAY" run "$build" -n 1 --no-validate
expect_pass 0
expect_checked 0/1

# --- debug/run.py --------------------------------------------------------------------

copy_example vector-add script
rm -r "$build/data"
mkdir "$build/debug"
cat >"$build/debug/run.py" <<'PYTHON'
import os
import torch

from pypto.runtime.debug.replay import _main


def _inline_inputs():
    a = torch.full((64, 16), 2.0, dtype=torch.float32)
    b = torch.randn((64, 16), dtype=torch.float32)
    out = torch.zeros((64, 16), dtype=torch.float32)
    return [a, b, out]


def _user_compare(a, b, out):
    assert (out == 2 + b).all() and not os.environ.get("L3R_TEST_RAISE"), "max diff = 5"
    return


if __name__ == "__main__":
    raise SystemExit(1)
PYTHON
run "$L3REPLAY" run "$build" -n 1 --result "$work/result.json"
expect_pass 0
expect_checked 1/1
json 'result["comparisons"][0]["comparator"] == "debug/run.py:_user_compare" and "unchecked" not in result'
L3R_TEST_RAISE=1 run "$L3REPLAY" run "$build/debug/run.py" -n 1
expect_fail 'debug/run.py:_user_compare raised AssertionError: max diff = 5' 'inputs as kept'
expect_checked 1/1
expect_nothing_left

conclude
