#!/bin/bash
# A recording of host_orch.py is kept and taken again as long as nothing that decides it has changed; what may come out
# another way is recorded each time.
. "$(dirname "$0")/lib_replay.sh"

export L3REPLAY_CACHE_DIR=$work/store
copy_example vector-add
orch=$build/orchestration/host_orch.py

plan() { # kept|made [OPTION...]: record, and see whether host_orch.py was run
    local how=$1
    shift
    run "$L3REPLAY" plan "$build" --format json --log-level info "$@"
    expect_status 0
    if [ "$how" = kept ]; then
        expect_err 'host_orch.py is not run'
    else
        refuse_err 'host_orch.py is not run'
    fi
}

# The same plan, to the byte.
plan made
cp "$work/out" "$work/first"
plan kept
cmp "$work/first" "$work/out" || complain "the kept recording gives another plan"
plan made --fresh-recording
cmp "$work/first" "$work/out" || complain "the recordings differ"
run "$L3REPLAY" run "$build" --result "$work/result.json"
expect_pass 0
python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1]))["recording"] != "kept")' "$work/result.json" ||
    complain "the result file should say that the recording was kept"

# What decides it: each edit is seen; a touched file is the same file.
touch "$orch"
plan kept
for file in "$orch" "$build/next_levels/add_rows/kernel_config.py"; do
    echo '# edited' >>"$file"
    plan made
    plan kept
done
replace_text "$build/distributed_meta.json" '"out", "direction": "Out"' '"out", "direction": "InOut"'
plan made
plan kept
plan made --device-ids 0,1
plan kept --device-ids 0,1
plan made --sub-worker "check=$orch"
mkdir "$build/sub_workers"
echo 'def check(args): pass' >"$build/sub_workers/check.py"
plan made
plan kept

# Modules of the build count with their content.
echo 'ROWS = 1' >"$build/orchestration/helper.py"
sed -i '1i import helper' "$orch"
plan made
plan kept
echo 'ROWS = 2' >"$build/orchestration/helper.py"
plan made
plan kept
cp -p "$orch" "$work/plain"

# Recorded each time, with the reason.
for line in 'import time' 'from os import path' 'open("/dev/null").close()' 'import json' 'hash("x")'; do
    cp -p "$work/plain" "$orch"
    sed -i "1i $line" "$orch"
    plan made
    plan made
    expect_err 'not kept: .*orchestration/host_orch.py (imports|uses)'
done
cp -p "$work/plain" "$orch"
echo 'print("from host_orch")' >>"$orch"
plan made
plan made
expect_err 'from host_orch'
cp -p "$work/plain" "$orch"
echo 'import os' >"$build/orchestration/helper.py"
plan made
plan made
expect_err 'helper.py imports os'

# A link out of the build: no list of the build's files has what it leads to.
echo 'ROWS = 2' >"$build/orchestration/helper.py"
mv "$orch" "$work/outside.py"
ln -s "$work/outside.py" "$orch"
echo '# outside' >>"$work/outside.py"
plan made
plan made
expect_err 'not kept: .*host_orch.py lies outside of the build'
rm "$orch"
cp -p "$work/plain" "$orch"

# A module of Python's own stands before one of the build with its name.
echo 'ROWS = 2' >"$build/orchestration/helper.py"
echo 'import random' >>"$orch"
echo 'VALUE = 1' >"$build/orchestration/random.py"
plan made
plan made
rm "$build/orchestration/random.py"

# An entry that is damaged is none; that of the file as it was is still there.
cp -p "$work/plain" "$orch"
plan kept
for entry in "$L3REPLAY_CACHE_DIR"/v1/recordings/*/*; do
    chmod u+w "$entry"
    sed -i 's/add_rows/add_r0ws/' "$entry"
done
plan made
plan kept
cp "$work/out" "$work/first"
run "$L3REPLAY" cache --clear
expect_status 0
expect_out ' 0 recordings'
plan made
conclude
