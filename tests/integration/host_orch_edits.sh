#!/bin/bash
# Edits of host_orch.py and of shapes by hand, and the options that change how dispatches are ordered.
. "$(dirname "$0")/lib_replay.sh"

# Every way of ordering gives the same outputs; none may deadlock kernels that signal each other.
for example in allreduce pipeline tensor-parallel; do
    copy_example "$example"
    for deps in exact full upstream; do
        # "upstream" keeps no write-after-read edges; the examples reuse no tensor, so it changes nothing.
        run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-3 --deps "$deps" --timeout 30
        expect_pass 0
    done
done
run "$L3REPLAY" run "$build" --deps some
expect_usage 'some'

# Views with strides: the columns of one matrix instead of two matrices. The kernels of allreduce read the strides.
copy_example allreduce
edit_meta "$build" 'meta["params"][0]["shape"] = meta["params"][1]["shape"] = [64, 16]'
replace_text "$build/orchestration/host_orch.py" 'tensors["x"].shape[1]' 'tensors["x"].shape[0]'
for name in x out; do
    replace_text "$build/orchestration/host_orch.py" "tensors[\"$name\"][t, (r * rows):(r * rows) + rows, 0:8]" \
        "tensors[\"$name\"][(r * rows):(r * rows) + rows, (t * 8):(t * 8) + 8]"
done
rm -r "$build/data"
python3 - "$work" <<'PYTHON'
import struct, sys
def npy(name, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 16), }".ljust(117) + "\n"
    with open("%s/%s.npy" % (sys.argv[1], name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<1024f", *values))
npy("x", [float(j + i % 2) for i in range(64) for j in range(16)])
npy("out", [64.0 * j + 32.0 for i in range(64) for j in range(16)])
PYTHON
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-7 --input "x=$work/x.npy" --expect "out=$work/out.npy"
expect_pass 0
expect_err 'stride'

# Dynamic dimensions: an input file gives one, --shape another; without it the message names the parameter and --shape.
copy_example vector-add
edit_meta "$build" 'for p in meta["params"]: p["shape"] = [-1, 16]'
run "$L3REPLAY" run "$build" -n 1 --shape out=64x16
expect_pass 0
expect_out '^PYPTO_EXEC_CHECKED=1/1 outputs$' # the shape of an output is no input
run "$L3REPLAY" run "$build" -n 1 --shape out=63x16
expect_status 3
run "$L3REPLAY" run "$build" -n 1 --shape out=64x17
expect_usage '\bout\b' '64.*17' '16'
run "$L3REPLAY" run "$build" -n 1 --shape out=64
expect_usage 'shape \(64,\) does not fit parameter out, whose shape is \(-1, 16\)' 'in --shape'
run "$L3REPLAY" run "$build" -n 1 --shape a=64x
expect_usage 'sizes like 4x128'

# Most dynamic dimensions are the number of cards: indexed by card, that is what is taken, and it is said.
copy_example per-rank
edit_meta "$build" 'for p in meta["params"]: p["shape"] = [-1, 32]'
rm -r "$build/data"
replace_text "$build/orchestration/host_orch.py" 'world_size, _domain_provider=None):' 'world_size, _domain_provider=None):
    for r in range(world_size):
        tensors["x_r"] = tensors["x"][r, 0:32]'
run "$L3REPLAY" run "$build" -n 1 --device-ids 0-7
expect_pass 0
expect_err '\bx\b.*\b8\b'

# One that closes its standard streams is recorded, and what it does wrong after that is still said.
copy_example vector-add
replace_text "$build/orchestration/host_orch.py" '    rows = ' '    import sys
    sys.stdout.close()
    sys.stderr.close()
    rows = '
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
replace_text "$build/orchestration/host_orch.py" 'sys.stderr.close()' 'sys.stderr.close(); raise ValueError("with closed streams")'
run "$L3REPLAY" run "$build" -n 1
expect_infra 'host_orch\.py raised ValueError: with closed streams'

# Plain Python: functions, comprehensions, printing. What it prints does not get among the results.
copy_example vector-add
cat >>"$build/orchestration/host_orch.py" <<'PYTHON'


def _announce(tensors):
    print("host_orch has", sorted(tensors), [t.shape for t in tensors.values()])


_recorded = host_orch


def edited(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):
    _announce(tensors)
    _recorded(orch, _args, config, tensors=tensors, callables=callables, sub_ids=sub_ids, _keep=_keep,
              world_size=world_size, _domain_provider=_domain_provider)


del host_orch._pypto_distributed_entry
edited._pypto_distributed_entry = True
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_err 'host_orch has'
[ "$(grep -vc '^\[cpp->' "$work/out")" -eq 3 ] || complain "three lines on stdout beside those on binaries were expected"

# What host_orch.py starts holds up neither the end of a replay nor is it left when the replay is killed.
begin_with() { # CODE
    copy_example vector-add
    replace_text "$build/orchestration/host_orch.py" '    rows = (tensors["a"]' "$1"'
    rows = (tensors["a"]'
}
begin_with '    import os, time
    if os.fork() == 0: time.sleep(1000)'
run "$L3REPLAY" run "$build" -n 2
expect_pass 0
expect_nothing_left
mkfifo "$work/forked"
begin_with '    import os, time
    if os.fork() == 0:
        os.setsid()
        open("'"$work/forked"'", "w").close()
    time.sleep(1000)'
start "$L3REPLAY" run "$build" -n 1
timeout "$limit" cat "$work/forked"
kill -KILL "$started"
finish_run
expect_nothing_left

# A recording ends in any case, and says where it was; one without dispatches is reported.
begin_with '    while True: pass'
run env L3REPLAY_RECORD_TIMEOUT=1 "$L3REPLAY" run "$build" -n 2
expect_infra 'stopped in line 12' 'host_orch\.py:12' 'endless loop'
begin_with '    return'
run "$L3REPLAY" plan "$build"
expect_status 0
expect_err 'submitted no dispatch'

# A reused intermediate: its second writer waits for the readers of the first, on other cards too.
copy_example pipeline
replace_text "$build/orchestration/host_orch.py" 'host_orch._pypto_distributed_entry = True' '
def twice(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):
    for _ in range(5):
        tensors["count__ssa_v0"][0:8] = tensors["before"]
        host_orch(orch, _args, config, tensors=tensors, callables=callables, sub_ids=sub_ids, _keep=_keep,
                  world_size=world_size, _domain_provider=_domain_provider)


twice._pypto_distributed_entry = True'
replace_text "$build/orchestration/host_orch.py" 'def _alloc_intermediates(tensors, world_size=1):' 'def _alloc_intermediates(tensors, world_size=1):
    tensors["before"] = torch.zeros((8,), dtype=torch.int32).share_memory_()'
python3 - "$build/data/out/count__ssa_v0.npy" <<'PYTHON'
import struct, sys
# The copies set the counts to zero first, and they begin at 100 * i.
data = bytearray(open(sys.argv[1], "rb").read())
counts = struct.unpack("<8i", data[-32:])
data[-32:] = struct.pack("<8i", *[c - 100 * i for i, c in enumerate(counts)])
open(sys.argv[1], "wb").write(data)
PYTHON
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-3
expect_pass 0
expect_nothing_left
conclude
