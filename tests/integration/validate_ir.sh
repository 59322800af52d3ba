#!/bin/bash
# l3replay validate-ir: what an installed compiler says of each pass is passed on. The compiler is a stand-in here, which
# executes a file of a pass and compares as the real one does.
. "$(dirname "$0")/lib_replay.sh"

/usr/bin/python3 -c 'import torch, numpy' 2>/dev/null || { echo "skipped: /usr/bin/python3 has no torch and numpy"; exit 77; }
export L3REPLAY_PYTHON=/usr/bin/python3
copy_example vector-add
dump=$build/passes_dump

run "$L3REPLAY" validate-ir "$build"
expect_status 3
expect_err 'no programs of the compiler'

mkdir "$dump"
printf 'def main(t):\n    t["out"].copy_(t["a"] + t["b"])\n' >"$dump/00_frontend.py"
printf 'def main(t):\n    t["out"].copy_((t["a"] + t["b"]) * 1.01)\n' >"$dump/01_after_Round.py"
cp "$dump/00_frontend.py" "$dump/02_after_Simplify.py"

run env -u PYTHONPATH "$L3REPLAY" validate-ir "$build"
if [ "$status" -ne 0 ]; then # this machine has no compiler
    expect_status 3
    expect_err 'hint: install the compiler, pypto.*--python'
fi

mkdir -p "$work/compiler/pypto/debug"
: >"$work/compiler/pypto/__init__.py"
cat >"$work/compiler/pypto/debug/__init__.py" <<'PYTHON'
import torch


def validate_pass_ir_codegen_results(path, tensors, expected, *, rtol=5e-2, atol=5e-2):
    program = {}
    exec(open(path).read(), program)
    values = {name: value.clone() for name, value in tensors.items()}
    program["main"](values)
    for name, value in expected.items():
        print("checked", name)
        assert torch.allclose(values[name], value, rtol=rtol, atol=atol), name + " is not close"
PYTHON
export PYTHONPATH=$work/compiler

# 1 % off is within the compiler's own tolerance, and not within another one.
run "$L3REPLAY" validate-ir "$build"
expect_status 0
expect_out '^match +01_after_Round: checked out'
expect_out '^3 passes: 3 match, 0 differ, 0 could not be checked'
run "$L3REPLAY" validate-ir "$build" --rtol 1e-4 --atol 1e-6 --json
expect_status 1
python3 -c 'import json, sys
found = json.load(sys.stdin)
assert found["first_that_differs"] == "01_after_Round" and found["complete"]
assert [each["verdict"] for each in found["passes"]] == ["match", "DIFFER", "match"]' <"$work/out" || complain "wrong JSON"

# A pass that cannot be executed is no mismatch, and not passed over.
printf 'raise NotImplementedError("no such operation")\n' >"$dump/02_after_Simplify.py"
run "$L3REPLAY" validate-ir "$build"
expect_status 3
expect_out '^not checked +02_after_Simplify: NotImplementedError: no such operation'

# References come from golden.py where there are none in data/out; without either nothing is claimed.
rm -r "$build/data" "$dump/02_after_Simplify.py"
run "$L3REPLAY" validate-ir "$build"
expect_status 3
expect_err 'nothing gives the input a'
cat >"$build/golden.py" <<'PYTHON'
import torch

RTOL = 1e-3
ATOL = 1e-5
__outputs__ = ["out"]


def generate_inputs(params):
    return [("a", torch.ones(64, 16)), ("b", torch.full((64, 16), 2.0)), ("out", torch.zeros(64, 16))]


def compute_golden(tensors, params):
    tensors["out"][:] = tensors["a"] + tensors["b"]
PYTHON
run "$L3REPLAY" validate-ir "$build"
expect_status 1
expect_out '^DIFFER +01_after_Round: .*out is not close'
expect_out '^the first that differs: 01_after_Round'
conclude
