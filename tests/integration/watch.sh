#!/bin/bash
# l3replay watch: each edit is a replay and a line; what is broken leaves it standing; q and signals end it.
. "$(dirname "$0")/lib_replay.sh"

copy_example l2-affine
kernel=$build/kernels/aiv/scale_shift.cpp
mkfifo "$work/keys"

watching() { # OPTION...
    : >"$work/out"
    env --default-signal=INT L3R_TEST_TAG="$tag" TMPDIR="$work/tmp" "$L3REPLAY" watch "$build" "$@" \
        >"$work/out" 2>"$work/err" <"$work/keys" &
    started=$!
    ran="watch $*"
    exec 7>"$work/keys"
}

# The N-th line of a replay appears within 30 s and matches.
line() { # N PATTERN
    local waited=0
    while [ "$(grep -cE '^([0-9:]{8} |\{)' "$work/out")" -lt "$1" ] && [ "$waited" -lt 300 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    grep -E '^([0-9:]{8} |\{)' "$work/out" | sed -n "$1p" | grep -Eq -- "$2" || complain "line $1 should match: $2"
}

watching
line 1 '  PASS  .* s  dispatches .* ms'
echo '// edited' >>"$kernel"
line 2 '  PASS  .*kernel l2-affine/scale_shift\.cpp'
echo >&7
line 3 '  PASS  .*nothing changed'
echo 'no C++' >>"$kernel"
line 4 '  INFRA .*does not compile'
sed -i '$d' "$kernel"
line 5 '  PASS '
cp "$kernel" "$work/kept"
replace_text "$kernel" '+ b[j]' '- b[j]'
line 6 '  FAIL .*scale_shift.*differ'
expect_err 'expected -?[0-9]'
cp "$work/kept" "$kernel.new"
mv "$kernel.new" "$kernel"
line 7 '  PASS '
echo 'text' >"$build/notes.txt" # concerns no replay
echo q >&7
finish_run
expect_status 0
[ "$(grep -c '^[0-9:]* *[A-Z]' "$work/out")" -eq 7 ] || complain "seven replays were expected"
exec 7>&-
expect_nothing_left

# Lines of JSON; a signal in the middle of a replay; the end of the input ends nothing.
watching --json --timeout 50
line 1 '"result":"PASS"'
exec 7>&-
echo '// again' >>"$kernel"
line 2 '"changed":\["kernel l2-affine/scale_shift\.cpp"\]'
kill -INT "$started"
finish_run
expect_status 0
expect_nothing_left

run "$L3REPLAY" watch "$build" --rtol nothing
expect_usage 'rtol'
run "$L3REPLAY" watch "$build" --result "$work/x.json"
expect_usage 'json'
run "$L3REPLAY" watch "$work/none"
expect_status 3
expect_err 'cannot find it'
conclude
