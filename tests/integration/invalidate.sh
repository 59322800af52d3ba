#!/bin/bash
# `l3replay invalidate`: what the user sees, and that it minds other tools' locks.
. "$(dirname "$0")/lib_replay.sh"

copy_example vector-add
program=$build/next_levels/add_rows
find "$build" -type f | sort >"$work/sources"
run "$L3REPLAY" invalidate "$build"
expect_status 0
expect_out '^\[cpp->\.so\] no cached binaries to invalidate$'
find "$build" -type f | sort | cmp -s - "$work/sources" || complain "a build without binaries was changed"

mkdir "$program/cache"
touch "$program/cache/"{incore_0_aiv_vector_add_a2a3sim,orch_add_rows}.bin "$program/cache/binary_context.json" \
    "$program/kernels/aiv/vector_add.so" "$program/orchestration/add_rows.so"
run "$L3REPLAY" invalidate "$build"
expect_status 0
expect_out '^\[cpp->\.so\] invalidated 4 cached binary file\(s\); cpp will rebuild$'
find "$build" -type f ! -name .binary_context.lock | sort | cmp -s - "$work/sources" || complain "other files than binaries went"
run "$L3REPLAY" run "$build" -n 1
expect_pass 0

# Another tool compiles in this program.
"$L3REPLAY" invalidate "$build" >"$work/out" 2>&1
touch "$program/cache/x.bin"
exec 9>>"$program/cache/.binary_context.lock"
flock 9
run "$L3REPLAY" invalidate --lock-timeout 1 "$build"
expect_status 3
expect_err 'another process holds .*add_rows/cache/\.binary_context\.lock; waiting' 'more than 1 s'
[ -e "$program/cache/x.bin" ] || complain "deleted under another tool's lock"
start "$L3REPLAY" invalidate "$build" 9>&- # it must not inherit the lock
until grep -q waiting "$work/err" || ! kill -0 "$started" 2>/dev/null; do
    sleep 0.05
done
exec 9>&-
finish_run
expect_status 0
expect_out 'invalidated 1 cached'

run "$L3REPLAY" invalidate --help
expect_status 0
expect_out 'Examples:' 'l3replay invalidate build_output' 'Exit status'
run "$L3REPLAY" invalidate
expect_usage 'which build'
run "$L3REPLAY" invalidate "$build" more
expect_usage 'more'
run "$L3REPLAY" invalidate --lock-timeout -1 "$build"
expect_usage 'lock-timeout'
run "$L3REPLAY" invalidate "$work/nothing"
expect_status 3
expect_err "$work/nothing"
mkdir -p "$work/home/kernels"
touch "$work/home/kernels/precious.so"
run "$L3REPLAY" invalidate "$work/home"
expect_status 3
expect_err 'not a build directory'
[ -e "$work/home/kernels/precious.so" ] || complain "files of something that is no build were deleted"

# What cannot be deleted is named.
if [ "$(id -u)" -ne 0 ]; then
    touch "$program/kernels/aiv/vector_add.so"
    chmod a-w "$program/kernels/aiv"
    run "$L3REPLAY" invalidate "$build"
    expect_status 3
    expect_err 'cannot delete .*vector_add\.so' 'hint:'
    chmod u+w "$program/kernels/aiv"
fi
conclude
