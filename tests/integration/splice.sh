#!/bin/bash
# `l3replay splice` on whole builds, with a stand-in for ptoas: exit codes, kills, locks, disks that refuse.
. "$(dirname "$0")/lib_replay.sh"

standin=$source_dir/tests/integration/standin-ptoas
export PTOAS_ROOT=$work/ptoas-root
unset PYPTO_REBUILD_FROM_PTO
mkdir "$PTOAS_ROOT"
ln -s "$standin" "$PTOAS_ROOT/ptoas"

begin_mark='// --- ptoas-generated code ---'
end_mark='// --- Kernel entry point ---'

# A build with COUNT kernels k0, k1, ... in program p, whose .pto files put the line `WORD<number>();` in.
make_build() { # DIRECTORY COUNT WORD
    local i
    mkdir -p "$1/orchestration" "$1/next_levels/p/kernels/aiv" "$1/next_levels/p/ptoas"
    : >"$1/orchestration/host_orch.py"
    for ((i = 0; i < $2; i++)); do
        printf '%s\nstatic __aicore__ void k%d(int a) {\n  old();\n}\n%s\nvoid kernel_entry() { k%d(1); }\n' \
            "$begin_mark" $i "$end_mark" $i >"$1/next_levels/p/kernels/aiv/k$i.cpp"
        edit "$1" $i "$3"
    done
}

edit() { # DIRECTORY NUMBER WORD
    printf 'func k%d int a\n%s%d();\nend\n' "$2" "$3" "$2" >"$1/next_levels/p/ptoas/k$2.pto"
}

# Every kernel holds the line of its .pto and is whole; nothing of ours but the lock is left.
expect_spliced() { # DIRECTORY COUNT WORD
    local i file
    for ((i = 0; i < $2; i++)); do
        file=$1/next_levels/p/kernels/aiv/k$i.cpp
        grep -qx "  $3$i();" "$file" && [ "$(head -n 1 "$file")" = "$begin_mark" ] &&
            [ "$(tail -n 1 "$file")" = "void kernel_entry() { k$i(1); }" ] || complain "k$i.cpp is not spliced: $(cat "$file")"
    done
    expect_no_leftovers "$1" "$2"
}

expect_no_leftovers() { # DIRECTORY COUNT
    local left
    left=$(find "$1" -type f ! -name 'k[0-9]*.cpp' ! -name 'k[0-9]*.pto' ! -name host_orch.py ! -name .l3replay.lock)
    [ -z "$left" ] || complain "left behind: $left"
}

# --- from an edit to a result ----------------------------------------------

# The .pto holds the example's own function, so the result stays right; then one that computes something else.
copy_example vector-add
program=$build/next_levels/add_rows
mkdir -p "$program/ptoas"
python3 - "$program/kernels/aiv/vector_add.cpp" "$program/ptoas/vector_add.pto" <<'PYTHON'
import sys
kernel, pto = sys.argv[1:]
body = open(kernel).read().split("// --- ptoas-generated code ---")[1].split("// --- Kernel entry point ---")[0]
body = body.replace("static __aicore__ void", "AICORE void").replace("__aicore__", "AICORE")
open(pto, "w").write("".join("raw " + line + "\n" for line in body.strip("\n").split("\n")))
PYTHON
run "$L3REPLAY" splice "$build"
expect_status 0
expect_out '^\[pto->cpp\] regenerating from next_levels/add_rows/ptoas/vector_add\.pto$' \
    '^\[pto->cpp\]   spliced -> next_levels/add_rows/kernels/aiv/vector_add\.cpp$' '^\[pto->cpp\] updated 1 kernel cpp\(s\)$'
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
sed -i 's/ + / - /' "$program/ptoas/vector_add.pto"
run "$L3REPLAY" splice "$build"
expect_status 0
run "$L3REPLAY" run "$build" -n 1
expect_status 1
run "$L3REPLAY" splice "$build"
expect_out '^\[pto->cpp\] no \.pto changes detected$'

# --- the command line ------------------------------------------------------

make_build "$work/b" 3 first
run "$L3REPLAY" splice --help
expect_status 0
expect_out 'Examples:' 'l3replay splice build_output' 'Exit status'
run "$L3REPLAY" splice
expect_usage 'which build'
run "$L3REPLAY" splice "$work/b" "$work/b"
expect_usage 'one too many'
run "$L3REPLAY" splice --ptoas-timeout 0 "$work/b"
expect_usage 'ptoas-timeout'
run "$L3REPLAY" splice -j many "$work/b"
expect_usage 'many'
run "$L3REPLAY" splice "$work/nothing"
expect_status 3
expect_err "$work/nothing" 'hint:'
run "$L3REPLAY" splice "$work/b/next_levels"
expect_status 3
expect_err 'not a build directory'
run "$L3REPLAY" splice --no-rebuild-from-pto "$work/b"
expect_status 0
expect_out '^\[pto->cpp\] skipped \(rebuild_from_pto=False\)$'
run env PYPTO_REBUILD_FROM_PTO=False "$L3REPLAY" splice "$work/b"
expect_out '^\[pto->cpp\] skipped \(PYPTO_REBUILD_FROM_PTO=0\)$'
run env PTOAS_ROOT="$work" PATH="$PTOAS_ROOT:$PATH" "$L3REPLAY" splice "$work/b"
expect_status 0
expect_out '^\[pto->cpp\] skipped: ptoas binary not found \(set PTOAS_ROOT or PATH\)$'
expect_err 'note: 3 \.pto file\(s\) are newer'
run "$L3REPLAY" splice -j 2 "$work/b"
expect_status 0
expect_spliced "$work/b" 3 first

echo 'fail 9' >"$work/b/next_levels/p/ptoas/k1.pto"
edit "$work/b" 2 second
run "$L3REPLAY" splice "$work/b"
expect_status 3
expect_err 'exit code 9' 'this op is not known' 'k1\.pto' 'hint:'
grep -q second2 "$work/b/next_levels/p/kernels/aiv/k2.cpp" || complain "k2 is good and was not spliced"
grep -q first1 "$work/b/next_levels/p/kernels/aiv/k1.cpp" || complain "k1 was touched"
echo hang >"$work/b/next_levels/p/ptoas/k1.pto"
run "$L3REPLAY" splice --ptoas-timeout 1 "$work/b"
expect_status 3
expect_err 'within 1 s'
expect_nothing_left
expect_no_leftovers "$work/b"

# A kernel as Windows editors leave it, without a final newline: only the middle changes.
printf 'head\r\n%s\r\nvoid k0(int a) {}\r\n%s\r\ntail' "$begin_mark" "$end_mark" >"$work/b/next_levels/p/kernels/aiv/k0.cpp"
rm "$work/b/next_levels/p/ptoas/k1.pto"
edit "$work/b" 0 third
run "$L3REPLAY" splice "$work/b"
expect_status 0
kept_head=$(printf 'head\r\n%s\n.' "$begin_mark")
kept_tail=$(printf '%s\r\ntail.' "$end_mark")
[ "$(head -c $((${#kept_head} - 1)) "$work/b/next_levels/p/kernels/aiv/k0.cpp"; echo .)" = "$kept_head" ] &&
    [ "$(tail -c $((${#kept_tail} - 1)) "$work/b/next_levels/p/kernels/aiv/k0.cpp"; echo .)" = "$kept_tail" ] ||
    complain "bytes around the marks changed: $(od -c "$work/b/next_levels/p/kernels/aiv/k0.cpp" | head -n 5)"

# --- two at once -----------------------------------------------------------

make_build "$work/two" 12 both
start "$L3REPLAY" splice -j 2 "$work/two"
timeout 100 "$L3REPLAY" splice -j 2 "$work/two" >"$work/out2" 2>&1 || complain "the second splice failed: $(cat "$work/out2")"
finish_run
expect_status 0
expect_spliced "$work/two" 12 both

exec 9>"$work/two/.l3replay.lock"
flock 9
edit "$work/two" 0 later
run "$L3REPLAY" splice --lock-timeout 1 "$work/two"
expect_status 3
expect_err 'another process holds .*\.l3replay\.lock; waiting' 'more than 1 s'
edit "$work/two" 0 both
touch "$work/two/next_levels/p/ptoas/k0.cpp"
run "$L3REPLAY" splice --lock-timeout 1 "$work/two" # nothing to do: the lock does not matter
expect_status 0
exec 9>&-
[ -e "$work/two/.l3replay.lock" ] || complain "the lock's file is gone"

# --- killed at any point ---------------------------------------------------

make_build "$work/kill" 6 round0
begun=${EPOCHREALTIME/[.,]/}
run "$L3REPLAY" splice -j 2 "$work/kill"
took=$((${EPOCHREALTIME/[.,]/} - begun)) # microseconds
for round in $(seq 1 20); do
    for i in 0 1 2 3 4 5; do
        edit "$work/kill" $i "round$round"
    done
    start "$L3REPLAY" splice -j 2 "$work/kill"
    # Anywhere from before its first step to after its last one.
    point=$((took * (RANDOM % 120) / 100))
    sleep "$(printf '%d.%06d' $((point / 1000000)) $((point % 1000000)))"
    kill -KILL "$started" 2>/dev/null
    wait "$started" 2>/dev/null
    for i in 0 1 2 3 4 5; do
        file=$work/kill/next_levels/p/kernels/aiv/k$i.cpp
        grep -Eqx "  round($round|$((round - 1)))$i\(\);" "$file" && [ "$(tail -n 1 "$file")" = "void kernel_entry() { k$i(1); }" ] ||
            complain "after a kill k$i.cpp is neither old nor new: $(cat "$file")"
    done
    run "$L3REPLAY" splice "$work/kill"
    expect_status 0
    expect_spliced "$work/kill" 6 "round$round"
done
expect_nothing_left

# --- disks that refuse -----------------------------------------------------

# As a user for whom the directory is read-only: root may write anywhere.
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    chmod 755 "$work"
fi
make_build "$work/fixed" 1 one
run "$L3REPLAY" splice "$work/fixed"
chmod -R a-w "$work/fixed"
if run "${as_user[@]}" test -r "$work/fixed" -a ! -w "$work/fixed" && [ "$status" -eq 0 ] &&
    run "${as_user[@]}" "$L3REPLAY" --version && [ "$status" -eq 0 ]; then
    run "${as_user[@]}" "$L3REPLAY" splice "$work/fixed"
    expect_status 0
    expect_out 'no \.pto changes'
    chmod -R u+w "$work/fixed"
    edit "$work/fixed" 0 two
    rm "$work/fixed/.l3replay.lock"
    chmod -R a-w "$work/fixed"
    run "${as_user[@]}" "$L3REPLAY" splice "$work/fixed"
    expect_status 3
    expect_err 'k0\.pto is newer .* cannot be written to' 'hint:.*--no-rebuild-from-pto'
    # Only the kernels are read-only.
    chmod -R a+w "$work/fixed"
    chmod a-w "$work/fixed/next_levels/p/kernels/aiv"
    run "${as_user[@]}" "$L3REPLAY" splice "$work/fixed"
    expect_status 3
    expect_err 'cannot write .*kernels/aiv/k0\.cpp'
    grep -q one0 "$work/fixed/next_levels/p/kernels/aiv/k0.cpp" || complain "the kernel changed"
    chmod -R u+w "$work/fixed"
    run "$L3REPLAY" splice "$work/fixed"
    expect_spliced "$work/fixed" 1 two
else
    echo "not tried: read-only directories (no user for whom they are)"
fi

# A full disk, where one can be mounted: the kernel and the unit stay as they were, and room heals it.
mkdir "$work/small"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=512k tmpfs "$work/small" 2>/dev/null; then
    trap 'umount "$work/small"; clean_up' EXIT
    make_build "$work/small/b" 2 one
    run "$L3REPLAY" splice "$work/small/b"
    expect_status 0
    cp -r "$work/small/b" "$work/before"
    edit "$work/small/b" 0 two
    edit "$work/small/b" 1 two
    for spare in 0 1 2 3 4 5; do # pages that are left: each step of the work fails once
        head -c 10M /dev/zero >"$work/small/filler" 2>/dev/null
        truncate -s $((($(stat -c %s "$work/small/filler") / 4096 - spare) * 4096)) "$work/small/filler"
        run "$L3REPLAY" splice -j 1 "$work/small/b"
        if [ "$status" -ne 0 ]; then
            expect_status 3
            expect_err 'no space left|ptoas .*k[01]\.pto'
            for file in kernels/aiv/k0.cpp kernels/aiv/k1.cpp; do
                cmp -s "$work/before/next_levels/p/$file" "$work/small/b/next_levels/p/$file" ||
                    grep -q '  two[01]();' "$work/small/b/next_levels/p/$file" || complain "$file is neither old nor new"
            done
        fi
        rm "$work/small/filler"
        expect_no_leftovers "$work/small/b"
    done
    run "$L3REPLAY" splice "$work/small/b"
    expect_status 0
    expect_spliced "$work/small/b" 2 two
    umount "$work/small"
    trap clean_up EXIT
else
    echo "not tried: a full disk (nothing can be mounted here)"
fi
conclude
