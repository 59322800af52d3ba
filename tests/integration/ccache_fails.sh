#!/bin/bash
# A ccache that cannot keep anything: programs are compiled without it, and a note says so.
. "$(dirname "$0")/lib_replay.sh"

if ! command -v ccache >/dev/null; then
    echo "skipped: no ccache"
    exit 77
fi
copy_example vector-add
export L3REPLAY_CACHE_DIR="$work/store"
run env CCACHE_DIR=/proc/nope "$L3REPLAY" run "$build" -n 1
expect_pass
expect_err 'note: compiled without ccache, which does not work here: .*/proc/nope'
[ "$(grep -c 'compiled without ccache' "$work/err")" -eq 1 ] || complain "one note is enough"

# A source that is wrong is still one.
echo 'no code' >>"$(find "$build/next_levels" -path '*/orchestration/*.cpp' | head -n 1)"
run env CCACHE_DIR=/proc/nope "$L3REPLAY" run "$build" -n 1
expect_infra 'the orchestration of program .* does not compile' 'hint: correct the source'
conclude
