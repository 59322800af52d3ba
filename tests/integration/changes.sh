#!/bin/bash
# What a run says has changed since the last one: each thing that decides what a replay does, edited and put back.
. "$(dirname "$0")/lib_replay.sh"

copy_example vector-add
program=$build/next_levels/add_rows
kernel=$program/kernels/aiv/vector_add.cpp
echo '#define OFFSET 0.0f' >"$program/kernels/tile.h"
echo '#include "../tile.h"' >"$program/kernels/aiv/own.h"
sed -i '1i #include "own.h"' "$kernel"
echo 'ROWS = 1' >"$build/orchestration/helper.py"
sed -i '1i import helper' "$build/orchestration/host_orch.py"
mkdir "$build/sub_workers"
printf 'def check(args):\n    import part\n' >"$build/sub_workers/check.py"
echo 'PART = 1' >"$build/sub_workers/part.py"
replace_text "$build/orchestration/host_orch.py" '

host_orch._pypto' '
    _ta_s = TaskArgs()
    _ta_s.add_tensor(make_tensor_arg(orch._worker, tensors["out"]), TensorArgType.INPUT)
    orch.submit_sub(sub_ids["check"], _ta_s)


host_orch._pypto'

replay() {
    run "$L3REPLAY" run "$build" -n 1 "$@"
    [ "$status" -le 1 ] || complain "it should have run"
}

said() { # REGEX...: exactly these were reported as changed
    local line lines
    mapfile -t lines < <(sed -n 's/^l3replay: changed since the last replay: //p' "$work/err")
    [ "${#lines[@]}" -eq "$#" ] || complain "$# changes were expected"
    for line in "$@"; do
        expect_err "changed since the last replay: $line\$"
    done
    [ "$#" -eq 0 ] && expect_err 'no source changed since the last replay, nor'
    [ "$#" -ne 0 ] && refuse_err 'no source changed'
    return 0
}

# Edit a file by a command, run, put it back with its old time, run: each time the change is named.
edit() { # FILE COMMAND REGEX
    cp -p "$1" "$work/kept"
    eval "$2"
    replay
    said "$3"
    cp -p "$work/kept" "$1"
    replay
    said "$3"
}

replay
expect_pass 0
refuse_err 'since the last replay'
replay
said

edit "$kernel" 'echo "// edited" >>"$kernel"' 'kernel add_rows/vector_add\.cpp'
edit "$program/orchestration/add_rows.cpp" 'echo "// edited" >>"$program/orchestration/add_rows.cpp"' \
    'orchestration add_rows/add_rows\.cpp'
edit "$program/kernels/tile.h" 'sed -i s/0.0f/1.0f/ "$program/kernels/tile.h"' \
    'kernel add_rows/vector_add\.cpp, through its header tile\.h'
edit "$build/orchestration/host_orch.py" 'echo "# edited" >>"$build/orchestration/host_orch.py"' \
    'orchestration/host_orch\.py'
edit "$build/orchestration/helper.py" 'echo "ROWS = 2" >"$build/orchestration/helper.py"' 'orchestration/helper\.py'
edit "$program/kernel_config.py" 'echo "# edited" >>"$program/kernel_config.py"' \
    'next_levels/add_rows/kernel_config\.py'
edit "$build/distributed_meta.json" 'echo >>"$build/distributed_meta.json"' 'distributed_meta\.json'
edit "$build/sub_workers/part.py" 'echo "PART = 2" >"$build/sub_workers/part.py"' 'sub_workers/part\.py'
edit "$build/data/in/b.npy" 'cp "$build/data/in/a.npy" "$build/data/in/b.npy"' 'input b'
edit "$build/data/out/out.npy" 'cp "$build/data/in/a.npy" "$build/data/out/out.npy"' 'reference out'

# The file of a sub-worker is named as such and as what lies there.
echo '# edited' >>"$build/sub_workers/check.py"
replay
said 'sub-worker check' 'sub_workers/check\.py'

# A header that another one comes to stand before, and that goes away again.
printf '#define OFFSET 0.0f\n' >"$program/kernels/aiv/tile2.h"
replay
said
sed -i 's|"../tile.h"|"tile2.h"|' "$program/kernels/aiv/own.h"
replay
said 'kernel add_rows/vector_add\.cpp, through its header own\.h and 1 more'

# Options that change what a replay means, and back; others do not count.
option() { # REGEX BACK OPTION...
    replay "${@:3}"
    said "$1"
    replay "${@:3}"
    said
    replay
    said "$2"
}
option 'other options: --seed 3' 'other options: --seed 0' --seed 3
option 'other options: --pace free' 'other options: --pace domain' --pace free
option 'other options: --deps full' 'other options: --deps exact' --deps full
option 'other options: --device-ids 4,5,6,7' 'other options: no --device-ids' --device-ids 4-7
replay --log-level timing --timeout 50
said

# A compiler is another one.
mkdir "$work/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v g++)" >"$work/bin/g++"
chmod +x "$work/bin/g++"
export L3REPLAY_ORCH_CXX=$work/bin/g++
replay
said 'the compiler of orchestrations'
unset L3REPLAY_ORCH_CXX
replay
said 'the compiler of orchestrations'

# A --no-recompile run that had to rebuild is a replay like any other.
cp -p "$kernel" "$work/kept"
echo '// another' >>"$kernel"
rm "$program/cache/binary_context.json"
replay --no-recompile
said 'kernel add_rows/vector_add\.cpp'
cp -p "$work/kept" "$kernel"
replay --no-recompile
expect_err 'vector_add\.cpp of program add_rows was edited after'
expect_err 'the binaries, Python files, data and options of the last replay ran again'
replay
said 'kernel add_rows/vector_add\.cpp'

# A saved plan instead of host_orch.py.
run "$L3REPLAY" plan "$build" --format json
cp "$work/out" "$work/plan.json"
replay --plan "$work/plan.json"
expect_err 'changed since the last replay: --plan \(new\)' \
    'changed since the last replay: orchestration/host_orch\.py \(no longer used\)'
replay
expect_err 'changed since the last replay: --plan \(no longer used\)'

# What an older version left, and what is no list at all: nothing is compared, and that is said.
for text in '0123456789abcdef0123456789abcdef add_rows/vector_add.cpp' 'l3replay-last 3' 'l3replay-last 2' ''; do
    printf '%s\n' "$text" >"$build/.l3replay.last"
    replay
    expect_err 'not compared with the last replay: anything'
    refuse_err 'no source changed|changed since'
    replay
    said
done

# An edit while a run goes on is a change for the next one.
sed -i '1i #include <fcntl.h>\n#include <unistd.h>' "$kernel"
replace_call "$kernel" vector_add 'close(open("'"$work"'/started", O_CREAT | O_WRONLY, 0600));
    while (access("'"$work"'/go", F_OK) != 0) usleep(10000);'
start "$L3REPLAY" run "$build" -n 1
while [ ! -e "$work/started" ] && kill -0 "$started" 2>/dev/null; do
    sleep 0.05
done
echo '# during the run' >>"$build/orchestration/host_orch.py"
sed -i 's/0\.0f/2.0f/' "$program/kernels/aiv/tile2.h"
touch "$work/go"
finish_run
said 'kernel add_rows/vector_add\.cpp'
replay
said 'kernel add_rows/vector_add\.cpp, through its header tile2\.h' 'orchestration/host_orch\.py'

conclude
