#!/bin/bash
# What `cmake --install` makes works, from a directory with a blank in its name.
. "$(dirname "$0")/lib_replay.sh"

built=$(cd "$(dirname "$L3REPLAY")/.." && pwd)
if [ ! -e "$built/cmake_install.cmake" ]; then
    echo "skipped: $built is no build tree"
    exit 77
fi
prefix="$work/an install"
run cmake --install "$built" --prefix "$prefix"
expect_status 0
for part in bin/l3replay libexec/l3replay/l3replay-executor libexec/l3replay/l3replay-simpler-executor \
    share/l3replay/fill/runtime_fill.cpp share/l3replay/fill/runtime_fill.h share/l3replay/include/pto_orchestration_api.h \
    share/l3replay/include/stdfloat-shim/stdfloat share/l3replay/recorder/__main__.py share/bash-completion/completions/l3replay \
    share/zsh/vendor-completions/_l3replay share/man/man1/l3replay.1; do
    [ -s "$prefix/$part" ] || complain "$part is not installed"
done

# The headers that were read are in the lists that the store keeps.
copy_example vector-add
export L3REPLAY_CACHE_DIR=$work/store
run "$prefix/bin/l3replay" run "$build" -n 2 --device-ids 0-1
expect_pass 0
grep -rqF "$prefix/share/l3replay/include/" "$work/store" || complain "the installed headers were not used"
grep -rqF "$source_dir/rank-worker" "$work/store/v1/headers" && complain "headers of the source tree were used"
expect_nothing_left
conclude
