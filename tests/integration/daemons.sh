#!/bin/bash
# What kernels, sub-workers, compilers and host_orch.py start in sessions of their own does not outlive the run, and what
# the parent of l3replay left ignored does not change it.
. "$(dirname "$0")/lib_replay.sh"

kernel=next_levels/add_rows/kernels/aiv/vector_add.cpp

# vector-add whose card 1 of 4 starts a daemon: its rows begin with element 256 of a, which is 256 % 23 - 11 = -8. The daemon
# holds stdout and stderr of its executor.
with_daemon() { # COPY_NAME [CODE_AFTER]
    copy_example vector-add "$1"
    replace_call "$build/$kernel" vector_add \
        "    if (a[0] == -8.0f) {
        pid_t child = fork();
        if (child == 0) {
            setsid();
            if (fork() != 0) {
                _exit(0);
            }
            for (;;) {
                pause();
            }
        }
        waitpid(child, nullptr, 0);
        ${2:-}
    }
    vector_add(a, b, out, rows * 16);"
    sed -i 's|^#include <cstdint>|&\n#include <fcntl.h>\n#include <sys/wait.h>\n#include <unistd.h>|' "$build/$kernel"
}

with_daemon kernel
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-3
expect_pass 0
expect_nothing_left
run "$L3REPLAY" run "$build" -n 1 --device-ids 0-3
expect_pass 0
expect_nothing_left

# A signal ends what the kernel started as well.
fifo=$work/events
mkfifo "$fifo"
exec 9<>"$fifo"
with_daemon interrupted "int events = open(\"$fifo\", O_WRONLY);
        if (write(events, \"running\\n\", 8) == 8) {
            pause();
        }"
start "$L3REPLAY" run "$build" -n 1 --device-ids 0-3
read -r -t 60 -u 9 _ || complain "the kernel never ran"
kill -TERM "$started"
finish_run
expect_status 3
expect_out '^PYPTO_EXEC_RESULT=INFRA$'
expect_nothing_left
exec 9>&-

copy_example vector-add sub-worker
mkdir "$build/sub_workers"
replace_text "$build/orchestration/host_orch.py" '    rows = ' '    _ta_a = TaskArgs()
    _ta_a.add_tensor(make_tensor_arg(orch._worker, tensors["a"]), TensorArgType.INPUT)
    orch.submit_sub(sub_ids["starts"], _ta_a)
    rows = '
cat >"$build/sub_workers/starts.py" <<'PYTHON'
import subprocess


def starts(args):
    subprocess.run(["setsid", "sh", "-c", "sleep 1000 &"])
PYTHON
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_nothing_left

# While it is recorded; it holds the stderr that host_orch.py has.
copy_example vector-add recorded
replace_text "$build/orchestration/host_orch.py" '    rows = ' '    import subprocess
    subprocess.run(["setsid", "sh", "-c", "sleep 1000 &"])
    rows = '
run bash -c 'set -o pipefail; "$@" 2>&1 | cat' - "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_nothing_left
run "$L3REPLAY" plan "$build"
expect_status 0
expect_nothing_left

# A compiler, which also holds its output.
copy_example vector-add compiled
printf '#!/bin/bash\n(setsid sleep 1000 &)\nexec g++ "$@"\n' >"$work/c++"
chmod +x "$work/c++"
run env L3REPLAY_ORCH_CXX="$work/c++" L3REPLAY_CACHE_DIR="$work/own-store" "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_nothing_left

# One that does not end.
printf '#!/bin/bash\n[[ " $* " == *" -o "* ]] && exec sleep 1000\nexec g++ "$@"\n' >"$work/c++"
run env L3REPLAY_ORCH_CXX="$work/c++" L3REPLAY_CACHE_DIR="$work/own-store" "$L3REPLAY" run "$build" -n 1 --compile-timeout 2
expect_infra "$work/c\+\+ did not end within 2 s" 'add_rows' 'compile-timeout'
expect_nothing_left
run "$L3REPLAY" run "$build" --compile-timeout 0
expect_usage 'compile-timeout'

copy_example vector-add ignored
run python3 -c 'import os, signal, sys
for number in signal.SIGCHLD, signal.SIGPIPE, signal.SIGUSR1:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGCHLD])
os.execvp(sys.argv[1], sys.argv[1:])' "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_nothing_left

conclude
