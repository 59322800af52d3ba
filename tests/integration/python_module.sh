#!/bin/bash
# The Python module, from the source tree and as it is installed, over the real program; and the debug/run.py of ours.
. "$(dirname "$0")/lib_replay.sh"

mkdir "$work/python"
limit=120
run env L3REPLAY="$L3REPLAY" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -B "$source_dir/tests/python/test_module.py" \
    "$source_dir" "$work/python"
expect_status 0
expect_err '^OK'
limit=60

# Installed, it finds the program beside itself.
built=$(cd "$(dirname "$L3REPLAY")/.." && pwd)
if [ -e "$built/cmake_install.cmake" ]; then
    prefix="$work/an install"
    run cmake --install "$built" --prefix "$prefix"
    expect_status 0
    run env -u L3REPLAY PYTHONPATH="$prefix/lib/python3/dist-packages" /usr/bin/python3 -B -c \
        'import l3replay; print(l3replay.find_program())'
    expect_status 0
    expect_out "^$prefix/bin/l3replay\$"
fi

# Ctrl-C in Python ends the replay before Python goes on.
copy_example vector-add held
hold_recording
start env L3REPLAY="$L3REPLAY" PYTHONPATH="$source_dir/python" /usr/bin/python3 -B -c "
import l3replay
try:
    l3replay.replay('$build')
except KeyboardInterrupt:
    print('interrupted')"
await_recording
kill -INT "$started"
finish_run
expect_status 0
expect_out '^interrupted$'
expect_err 'interrupted in phase'
expect_nothing_left

# --- debug-runner -----------------------------------------------------------------------------------------------------

copy_example vector-add runner
rm -rf "$build/debug"
run "$L3REPLAY" debug-runner "$build"
expect_status 0
run env L3REPLAY="$L3REPLAY" "$build/debug/run.py" --device-ids 0-1
expect_pass 0
refuse_err 'debug/run.py'
run "$L3REPLAY" run "$build/debug/run.py" --device-ids 0
expect_pass 0
run "$L3REPLAY" debug-runner "$build" # the same again
expect_status 0
echo "# mine" >>"$build/debug/run.py"
run "$L3REPLAY" debug-runner "$build"
expect_status 3
expect_err 'may have been edited' 'hint: .*--force'
grep -q '^# mine' "$build/debug/run.py" || complain "an edited script should stay"
run "$L3REPLAY" debug-runner --force "$build"
expect_status 0
grep -q '^# mine' "$build/debug/run.py" && complain "--force should write it anew"
run "$L3REPLAY" debug-runner "$work/none"
expect_status 3
expect_nothing_left
conclude
