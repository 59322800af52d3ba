#!/bin/bash
# What a sub-worker or a kernel leaves behind when all work is done: it neither holds the run nor makes it fail, however
# short --timeout is.
. "$(dirname "$0")/lib_replay.sh"

# vector-add with a sub-worker that is called last: NAME BODY
with_sub() {
    copy_example vector-add "$1"
    mkdir "$build/sub_workers"
    replace_text "$build/orchestration/host_orch.py" '

host_orch._pypto' '
    orch.submit_sub(sub_ids["last"], TaskArgs())


host_orch._pypto'
    printf 'import atexit, multiprocessing, subprocess, threading, time\nfrom concurrent.futures import ThreadPoolExecutor\n\n\ndef last(args):\n%s\n' \
        "$2" >"$build/sub_workers/last.py"
}

left_by_python() {
    run "$L3REPLAY" run "$build" -n 2 --timeout 1
    expect_pass
    expect_err "warning: sub-workers: all its work was done, but a thread, a child process or an exit handler" \
        'its last: sub-worker call .*last' "$@"
    expect_nothing_left
}

with_sub thread '    threading.Thread(target=lambda: time.sleep(1000), name="mine").start()'
left_by_python 'left running by sub-workers: thread mine'

with_sub pool '    ThreadPoolExecutor(2, "pool").submit(time.sleep, 1000)'
left_by_python 'left running by sub-workers: thread pool_0'

with_sub process '    multiprocessing.get_context("fork").Process(target=time.sleep, args=(1000,), name="child").start()'
left_by_python 'left running by sub-workers: process child'

with_sub handler '    atexit.register(time.sleep, 1000)'
left_by_python

# Nothing that Python would wait for.
with_sub daemon '    threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()'
run "$L3REPLAY" run "$build" -n 2 --timeout 1
expect_pass
refuse_err 'warning: sub-workers'

kernel_leaves() { # NAME CODE
    copy_example vector-add "$1"
    file=$(find "$build/next_levels" -path '*/kernels/aiv/*.cpp' | head -n 1)
    { printf '#include <stdlib.h>\n#include <unistd.h>\n%s\n' "$2"; cat "$file"; } >"$file.new"
    mv "$file.new" "$file"
    run "$L3REPLAY" run "$build" -n 2 --timeout 1
    expect_pass
    expect_nothing_left
}

kernel_leaves handler 'static void bye() { sleep(1000); }
static struct Leaves { Leaves() { atexit(bye); } } leaves;'
expect_err 'warning: card 1: all its work was done, but an exit handler or a destructor of a kernel kept the process' \
    'its last: dispatch [0-9]+ \(.* on card 1'

kernel_leaves destructor 'static struct Aborts { ~Aborts() { abort(); } } aborts;'
expect_err 'warning: card 1: all its work was done; then an exit handler or a destructor of a kernel was ended by signal 6'

# The warning is of process 1, and in the result of process 0, also where it is not printed.
run "$L3REPLAY" run "$build" -n 2 --timeout 1 --log-level error --result "$work/result.json"
expect_pass
refuse_err 'warning'
python3 - "$work/result.json" <<'END' || complain "the warnings of both processes should be in the result"
import json, sys
warnings = json.load(open(sys.argv[1]))["warnings"]
assert any(w.startswith("card 0: ") for w in warnings) and any(w.startswith("card 3: ") for w in warnings), warnings
END
conclude
