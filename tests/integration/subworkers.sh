#!/bin/bash
# Sub-workers: what they are given, what they may write, what their failures are called, how names are bound.
. "$(dirname "$0")/lib_replay.sh"

# The first Python that can import torch, else nothing.
torch_python() {
    local candidate
    for candidate in "${TORCH_PYTHON:-}" python3 /usr/bin/python3; do
        if [ -n "$candidate" ] && "$candidate" -c 'import torch' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

# vector-add, where `before` fills `a` with twos before any card reads it, and `after` adds 1 to rows 8..15 of columns
# 4..11 of `out` when all have written it: out = 2 + b, and one more there.
with_subs() { # COPY_NAME
    copy_example vector-add "$1"
    edit_meta "$build" 'meta["params"][0]["direction"] = "InOut"'
    mkdir "$build/sub_workers"
    replace_text "$build/orchestration/host_orch.py" '    rows = ' '    _ta_a = TaskArgs()
    _ta_a.add_tensor(make_tensor_arg(orch._worker, tensors["a"]), TensorArgType.OUTPUT_EXISTING)
    orch.submit_sub(sub_ids["before"], _ta_a)
    rows = '
    replace_text "$build/orchestration/host_orch.py" '

host_orch._pypto' '
    tensors["part"] = tensors["out"][8:16, 4:12]
    _ta_b = TaskArgs()
    _ta_b.add_tensor(make_tensor_arg(orch._worker, tensors["part"]), TensorArgType.INOUT)
    _ta_b.add_scalar(18446744073709551615)
    _ta_b.add_scalar(7)
    orch.submit_sub(sub_ids["after"], _ta_b)


host_orch._pypto'
    cat >"$build/sub_workers/before.py" <<'PYTHON'
def before(args):
    values = args[0].buffer.cast("f")
    assert len(values) == 64 * 16 and args[0].shapes == (64, 16) and args[0].strides == (16, 1)
    for i in range(len(values)):
        values[i] = 2.0
PYTHON
    cat >"$build/sub_workers/after.py" <<'PYTHON'
def after(args):
    part, = args
    assert len(args) == args.tensor_count() == 1 and args.scalar_count() == 2
    assert args.scalar(0) == 2 ** 64 - 1 and args.scalar(1) == 7
    assert str(part.dtype) == "DataType.FLOAT32" and part.shapes == (8, 8) and part.strides == (16, 1)
    values = part.buffer.cast("f")
    assert len(values) == (64 - 8) * 16 - 4
    for row in range(8):
        for column in range(8):
            values[row * 16 + column] += 1
PYTHON
    python3 - "$build" <<'PYTHON'
import struct, sys
data, path = sys.argv[1] + "/data", sys.argv[1] + "/data/out/out.npy"
b = struct.unpack("<1024f", open(data + "/in/b.npy", "rb").read()[-4096:])
head = open(path, "rb").read()[:-4096]
out = [2 + value + (8 <= i // 16 < 16 and 4 <= i % 16 < 12) for i, value in enumerate(b)]
open(path, "wb").write(head + struct.pack("<1024f", *out))
PYTHON
}

with_subs plain
run "$L3REPLAY" run "$build" -n 2
expect_pass 0
run "$L3REPLAY" run "$build" -n 1 --device-ids 0
expect_pass 0
run "$L3REPLAY" inspect "$build"
expect_status 0
expect_out 'before +sub_workers/before\.py' 'after +sub_workers/after\.py'

# A saved plan calls them too.
run "$L3REPLAY" plan "$build" --format json
expect_status 0
cp "$work/out" "$work/plan.json"
run "$L3REPLAY" run "$build" -n 1 --plan "$work/plan.json"
expect_pass 0

# What they print is relayed and keeps out of the result and of the pipe that the calls go through.
with_subs prints
cat >>"$build/sub_workers/before.py" <<'PYTHON'
    import os, sys
    print("printed by print")
    os.write(1, b"{\"ok\":false}\n")
    sys.stderr.write("printed to stderr\n")
    assert sys.stdin.read() == ""
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_err 'sub-workers\| printed by print' 'sub-workers\| \{"ok":false\}' 'sub-workers\| printed to stderr'
[ "$(grep -vEc '^PYPTO_EXEC_|^\[(pto->cpp|cpp->\.so)\] ' "$work/out")" -eq 0 ] || complain "stdout should hold the result only"

# One that closes what it prints on has done no harm, and its next call can still raise.
with_subs closes
cat >>"$build/sub_workers/before.py" <<'PYTHON'
    import os, sys
    sys.stdout.close()
    sys.stderr.close()
    os.close(1)
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
echo '    raise ValueError("after the streams were closed")' >>"$build/sub_workers/after.py"
run "$L3REPLAY" run "$build" -n 1
expect_fail 'the sub-worker after raised ValueError: after the streams were closed' 'sub-workers 2\| Traceback'

# One that writes to descriptors which are not its own has spoiled the answer, and only that.
with_subs scribbles
cat >>"$build/sub_workers/after.py" <<'PYTHON'
    import os
    for fd in range(3, 64):
        try:
            os.write(fd, b"garbage\n{}\n")
        except OSError:
            pass
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_fail "the sub-worker after wrote to the pipe on which its Python answers: 'garbage'" 'sub-worker call 5 \(after'
refuse_err 'fault of l3replay'

# One module each for the whole run: what a call leaves behind is there in the next one.
with_subs twice
replace_text "$build/orchestration/host_orch.py" '    orch.submit_sub(sub_ids["before"], _ta_a)' \
    '    orch.submit_sub(sub_ids["before"], _ta_a)
    orch.submit_sub(sub_ids["before"], _ta_a)'
cat >>"$build/sub_workers/before.py" <<'PYTHON'
    global calls
    calls += 1
    print("call", calls)
calls = 0
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_err 'call 1$' 'call 2$'

# Two calls that wait for each other: in one lane the first one waits in vain, in two lanes they meet.
copy_example vector-add meet
mkdir "$build/sub_workers"
replace_text "$build/orchestration/host_orch.py" '

host_orch._pypto' '
    for half in range(2):
        _ta_h = TaskArgs()
        tensors["half"] = tensors["b"][half * 32:half * 32 + 32]
        _ta_h.add_tensor(make_tensor_arg(orch._worker, tensors["half"]), TensorArgType.INPUT)
        _ta_h.add_scalar(half)
        orch.submit_sub(sub_ids["meet"], _ta_h)


host_orch._pypto'
cat >"$build/sub_workers/meet.py" <<PYTHON
import os, time


def meet(args):
    half = args.scalar(0)
    open("$work/met.%d" % half, "w").close()
    for _ in range(int(os.environ["MEET_SECONDS"]) * 100):
        if os.path.exists("$work/met.%d" % (1 - half)):
            return
        time.sleep(0.01)
    raise RuntimeError("nobody came")
PYTHON
run env MEET_SECONDS=1 "$L3REPLAY" run "$build"
expect_fail 'the sub-worker meet raised RuntimeError: nobody came' 'it waited for nothing'
rm "$work"/met.*
run env MEET_SECONDS=50 "$L3REPLAY" run "$build" --num-sub-workers 2
expect_pass 0
rm "$work"/met.*
edit_meta "$build" 'config["num_sub_workers"] = 2'
run env MEET_SECONDS=50 "$L3REPLAY" run "$build" --swimlane-level 1
expect_pass 0
run "$L3REPLAY" report "$build"
expect_out 'meet'
grep -q '"sub-workers 2"' "$build/dfx_outputs/l3_timeline.json" || complain "the timeline should have a row for each lane"
run "$L3REPLAY" run "$build" --num-sub-workers 0
expect_usage 'num-sub-workers'

# One that raises is wrong: FAIL with its line, its call, and a traceback that begins in its file.
fails() { # STATEMENT PATTERN...
    local statement=$1
    shift
    with_subs fails
    printf '    %s\n' "$statement" >>"$build/sub_workers/after.py"
    run "$L3REPLAY" run "$build" -n 2
    expect_fail "$@"
    expect_nothing_left
}
fails 'raise ValueError("not\n what I want")' 'error: the sub-worker after raised ValueError: not what I want' \
    'in sub-worker call 5 \(after, host_orch\.py:[0-9]+\), .*/sub_workers/after\.py:11' \
    'sub-workers 2\| Traceback' 'sub-workers 2\|   File .*sub_workers/after\.py", line 11, in after' \
    'it waited for dispatch [0-9]+ \(add_rows on card [0-9]+, host_orch\.py:[0-9]+\)'
refuse_err 'recorder/sub_worker\.py'
fails 'assert part.shapes == (1, 1)' 'the sub-worker after raised AssertionError'
# Text that is in no encoding, as that of a file name that is not UTF-8.
fails 'raise ValueError("caf\udce9")' 'the sub-worker after raised ValueError: caf\\udce9'
fails 'raise SystemExit(0)' 'the sub-worker after called sys\.exit\(0\)'
fails 'import os; os._exit(0)' 'the sub-worker after ended its process with exit status 0'
fails 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)' 'the sub-worker after was ended by signal 11'
fails 'x = 1
    del x
    x.y' 'the sub-worker after raised UnboundLocalError'

# Ended from outside says nothing about it.
with_subs killed
echo '    import os, signal; os.kill(os.getpid(), signal.SIGKILL)' >>"$build/sub_workers/after.py"
run "$L3REPLAY" run "$build" -n 1
expect_infra 'signal 9' 'after, host_orch'

# One that hangs is seen by --timeout, and nothing of it is left.
with_subs hangs
cat >>"$build/sub_workers/after.py" <<'PYTHON'
    import signal
    signal.pause()
PYTHON
run "$L3REPLAY" run "$build" -n 1 --timeout 3
expect_fail 'sub-workers 2: running sub-worker call 5 \(after'
expect_nothing_left

# A process that it starts and that outlives it does not keep the run from ending.
with_subs forks
cat >>"$build/sub_workers/after.py" <<'PYTHON'
    import os, signal
    if os.fork() == 0:
        signal.pause()
    os._exit(5)
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_fail 'the sub-worker after ended its process with exit status 5'
expect_nothing_left

# What cannot be loaded is found before any kernel runs.
unloadable() { # TEXT PATTERN...
    with_subs unloadable
    printf '%s\n' "$1" >"$build/sub_workers/after.py"
    shift
    run "$L3REPLAY" run "$build" -n 2
    expect_infra "$@"
    refuse_err 'dispatches on'
    expect_nothing_left
}
unloadable 'def after(args:' 'sub-worker after cannot be loaded: SyntaxError' 'sub_workers/after\.py:1'
unloadable 'def other(args): pass' 'sub-worker after cannot be loaded: .*defines no function after\(args\)'
unloadable 'after = 1 / 0' 'sub-worker after cannot be loaded: ZeroDivisionError' 'sub_workers/after\.py:1'
unloadable 'import no_such_module_here' 'sub-worker after cannot be loaded by .*no_such_module_here' \
    'L3REPLAY_SUBWORKER_PYTHON'
unloadable 'import os; os._exit(4)' 'loading the sub-workers, ended its process with exit status 4'
with_subs interpreter
run env L3REPLAY_SUBWORKER_PYTHON="$work/no-python" "$L3REPLAY" run "$build" -n 1
expect_infra 'no-python' 'L3REPLAY_SUBWORKER_PYTHON'

# Names without a body have to be bound; a typed one comes before the build's own.
with_subs bound
echo '["after"]' >"$build/sub_workers/__required__.json"
cp "$build/sub_workers/after.py" "$work/mine.py"
printf 'def after(args):\n    raise RuntimeError("has no body")\n' >"$build/sub_workers/after.py"
run "$L3REPLAY" inspect "$build"
expect_status 0
expect_out 'after +has no body: --sub-worker after=FILE\.py'
run "$L3REPLAY" inspect --json "$build"
python3 - "$work/out" <<'PYTHON' || complain "the JSON should list both sub-workers"
import json, sys
listed = json.load(open(sys.argv[1]))["sub_workers"]
sys.exit([(s["name"], s["required"]) for s in listed] != [("after", True), ("before", False)])
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_infra 'sub-worker after.*no body' '--sub-worker after=FILE\.py'
run "$L3REPLAY" run "$build" -n 2 --sub-worker "after=$work/mine.py"
expect_pass 0
sed 's/^def after/def count/' "$work/mine.py" >"$work/other.py"
run "$L3REPLAY" run "$build" -n 1 --sub-worker "after=$work/other.py:count"
expect_pass 0
run "$L3REPLAY" run "$build" -n 1 --sub-worker "after=$work/other.py"
expect_infra 'defines no function after'
run "$L3REPLAY" run "$build" -n 1 --sub-worker "after=$work/none.py"
expect_infra 'none\.py' '--sub-worker after'
run "$L3REPLAY" run "$build" -n 1 --sub-worker "afterwards=$work/mine.py" --sub-worker "after=$work/mine.py"
expect_usage 'no sub-worker afterwards; there are: after, before'
run "$L3REPLAY" run "$build" -n 1 --sub-worker after
expect_usage 'NAME='

# A call that the build knows nothing of can be bound as well.
rm "$build/sub_workers/__required__.json" "$build/sub_workers/after.py"
run "$L3REPLAY" run "$build" -n 1
expect_infra "sub-worker 'after'"
run "$L3REPLAY" run "$build" -n 1 --sub-worker "after=$work/mine.py"
expect_pass 0

echo '{"after": 1' >"$build/sub_workers/__required__.json"
run "$L3REPLAY" run "$build" -n 1
expect_infra '__required__\.json'

# With torch, as the compiler writes them; no pypto is installed, or the installed one is used.
python=$(torch_python)
if [ -z "$python" ]; then
    with_subs no-torch
    printf 'import torch\ndef after(args): pass\n' >"$build/sub_workers/after.py"
    run "$L3REPLAY" run "$build" -n 1
    expect_infra "torch" 'L3REPLAY_SUBWORKER_PYTHON'
    if [ "$failures" -eq 0 ]; then
        echo "skipped: the part with torch, which no Python here has; the rest passed"
        exit 77
    fi
    conclude
fi
export L3REPLAY_SUBWORKER_PYTHON=$python
with_subs torch
cat >"$build/sub_workers/after.py" <<'PYTHON'
import torch

from pypto.runtime.distributed_runner import _tensor_from_continuous


def _user_after(part):
    assert part.shape == (8, 8) and part.dtype == torch.float32
    part[:] = torch.add(part, 1.0)


def after(args):
    part = _tensor_from_continuous(args[0])
    _user_after(part)
PYTHON
run "$L3REPLAY" run "$build" -n 2
expect_pass 0

# Every element type that torch has: the tensor has the right values, and shares the memory.
run env PYTHONPATH="$source_dir/orchestrator/record" "$python" -B - <<'PYTHON'
import struct
import torch
from recorder import dtypes, mapped

convert = mapped.tensor_function(torch)
bits = {"FLOAT32": struct.pack("<f", 1.5), "FLOAT16": struct.pack("<e", 1.5), "BFLOAT16": b"\xc0\x3f", "BOOL": b"\x01",
        "INT8": b"\xfe", "INT16": struct.pack("<h", -2), "INT32": struct.pack("<i", -2), "INT64": struct.pack("<q", -2),
        "UINT8": b"\xfe"}
value = {"BOOL": True, "UINT8": 254}
for name, element in bits.items():
    memory = bytearray(element * 16)
    arg = mapped.MappedArg(memoryview(memory)[len(element) * 2:], (2, 3), (4, 1), mapped.runtime_dtype(name), "inout")
    tensor = convert(arg)
    wanted = value.get(name, 1.5 if name.endswith(("16", "32")) and "INT" not in name else -2)
    assert tensor.shape == (2, 3) and tensor.stride() == (4, 1), name
    assert all(v == wanted for v in tensor.flatten().tolist()), (name, tensor)
    tensor[1, 2] = 0
    at = (2 + 4 + 2) * len(element)
    assert memory[at:at + len(element)] == bytes(len(element)), name
    assert memory[:at] == element * 8 and memory[at + len(element):] == element * 7, name
PYTHON
expect_status 0
conclude
