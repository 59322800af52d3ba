#!/bin/bash
# Inputs and references in .pt and .safetensors files, a snapshot that a later run takes, inputs of other sizes.
. "$(dirname "$0")/lib_replay.sh"

json() { # PYTHON_EXPRESSION over `result`
    python3 -c 'import json, sys; result = json.load(open(sys.argv[1])); sys.exit(not (eval(sys.argv[2])))' \
        "$work/result.json" "$1" || complain "the result should satisfy: $1"
}

copy_example vector-add
same() {
    python3 - "$1" "$2" <<'PYTHON' || complain "$1 and $2 hold other elements"
import sys
one, other = (open(name, "rb").read() for name in sys.argv[1:])
sys.exit(0 if one[128:] in other else 1)  # the elements of a .npy file, behind its header
PYTHON
}

# What the build has as .npy is left as it is; the snapshot of another directory holds everything.
run "$L3REPLAY" run "$build" -n 1 --save-data="$work/snap" --save-outputs "$work/kept" --save-format safetensors
expect_pass 0
for name in in/a in/b out/out; do
    same "$build/data/$name.npy" "$work/snap/$name.pt"
done
same "$build/data/out/out.npy" "$work/kept/out.safetensors"
[ ! -e "$work/snap/in/out.pt" ] || complain "a pure output has no initial value"

# The snapshot as the data of the build: the same inputs, and a reference that is compared.
rm -r "$build/data"
cp -r "$work/snap" "$build/data"
run "$L3REPLAY" run "$build" -n 1 --result "$work/result.json"
expect_pass 0
json 'len(result["comparisons"]) == 1 and result["comparisons"][0]["file"].endswith("data/out/out.pt")'
run "$L3REPLAY" run "$build" -n 1 --input "b=$work/snap/in/a.pt" --validate
expect_fail 'out: .* elements differ'
run "$L3REPLAY" run "$build" -n 1 --expect "out=$work/kept/out.safetensors:out" --input "a=$work/snap/in/a.pt"
expect_pass 0
run "$L3REPLAY" run "$build" -n 1 --expect "out=$work/kept/out.safetensors:nobody"
expect_infra 'no tensor nobody'

# Inputs that are generated are saved, unless data/in holds others.
run "$L3REPLAY" run "$build" -n 1 --input "b=$work/snap/in/a.pt" --save-data
expect_infra 'data/in/b.pt is there and is not what'
rm -r "$build/data"
run "$L3REPLAY" run "$build" -n 1 --seed 5 --save-data
expect_pass 0
run "$L3REPLAY" run "$build" -n 1 --require-check
expect_pass 0

# What the real torch loads is what was saved.
if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
    /usr/bin/python3 -c "
import torch
a, b, out = (torch.load('$build/data/' + name + '.pt') for name in ('in/a', 'in/b', 'out/out'))
assert a.shape == (64, 16) and torch.equal(a + b, out)" || complain "torch does not load what was saved"
fi

# A scalar that nobody gave is saved as what the recording took for it.
copy_example l2-affine
rm "$build/data/in/factor.npy"
run "$L3REPLAY" run "$build" --save-data="$work/scalars"
expect_err "no value was given for the scalar 'factor'|factor.*taken as 1"
/usr/bin/python3 -c "
import torch
assert torch.load('$work/scalars/in/factor.pt').item() == 1" 2>"$work/torch.err" || grep -q "No module named 'torch'" "$work/torch.err" ||
    complain "the scalar that was saved is not 1"
conclude
