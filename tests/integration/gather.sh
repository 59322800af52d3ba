#!/bin/bash
# Profiles of processes that do not see the directory of profiles: sent to process 0 while the run goes on.
. "$(dirname "$0")/lib_replay.sh"

files() { # DIRECTORY; what the timelines add comes from process 0
    (cd "$1" && find . -type f ! -name 'merged_swimlane_*' | sort)
}

# Every JSON file is whole, dumps have the bytes that they list, and nothing is half done.
check_whole() { # DIRECTORY [killed: executors that process 0 could not wait for have left parts]
    python3 - "$@" <<'PYTHON' || complain "files in $1 are not whole"
import json, os, sys
for top, _, names in os.walk(sys.argv[1]):
    for name in names:
        assert not name.endswith(".part") or sys.argv[2:], name
        assert not name.startswith(".l3replay"), name
        if name.endswith(".json"):
            json.load(open(os.path.join(top, name)))
        if name == "args_dump.json":
            dump = json.load(open(os.path.join(top, name)))
            listed = sum(a.get("bin_size") or 0 for a in dump["args"])
            if os.path.exists(top + "/args.bin"):
                assert os.path.getsize(top + "/args.bin") == listed > 0, top
PYTHON
}

# As root, mounts of one process only; else the parts that need them are left out.
own_mounts=
unshare --mount true 2>/dev/null && own_mounts="unshare --mount"

everything="--swimlane --pmu 2 --scope-stats --dump-args 2"

# --- the same files, however they come -------------------------------------------------------------------------
copy_example allreduce
run "$L3REPLAY" run "$build" -n 4 $everything
expect_pass 0
refuse_err 'gathered'
files "$build/dfx_outputs" >"$work/direct"
run "$L3REPLAY" run "$build" -n 4 $everything --gather stream
expect_pass 0
expect_err 'from 3 processes'
files "$build/dfx_outputs" >"$work/streamed"
cmp "$work/direct" "$work/streamed" || complain "other files came than are written in place"
check_whole "$build/dfx_outputs"
expect_nothing_left

# More processes than cards; a job of one.
run "$L3REPLAY" run "$build" -n 6 $everything --gather stream
expect_pass 0
files "$build/dfx_outputs" | cmp "$work/direct" - || complain "with idle processes other files came"
run "$L3REPLAY" run "$build" -n 1 $everything --gather stream
expect_pass 0
files "$build/dfx_outputs" | cmp "$work/direct" - || complain "with one process other files came"
run "$L3REPLAY" run "$build" --gather always
expect_usage 'gather' 'always'

# --- no common file system ---------------------------------------------------------------------------------------
if [ -n "$own_mounts" ]; then
    mkdir "$work/own"
    run mpirun -np 1 "$L3REPLAY" run "$build" $everything --dfx-dir "$work/own/dfx" : \
        -np 1 "$L3REPLAY" run "$build" $everything --dfx-dir "$work/own/dfx" : \
        -np 2 $own_mounts sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$work/own" "$L3REPLAY" run "$build" $everything \
        --dfx-dir "$work/own/dfx"
    expect_pass 0
    expect_err 'from 2 processes' # the other one sees the directory
    files "$work/own/dfx" | cmp "$work/direct" - || complain "without a common file system other files came"
    check_whole "$work/own/dfx"
    expect_nothing_left
fi

# A process that sees the directory but may not write there sends.
if [ -n "$own_mounts" ]; then
    mkdir "$work/shut"
    run mpirun -np 1 "$L3REPLAY" run "$build" $everything --dfx-dir "$work/shut" : \
        -np 1 $own_mounts sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"' "$work/shut" \
        "$L3REPLAY" run "$build" $everything --dfx-dir "$work/shut"
    expect_pass 0
    expect_err 'from 1 process,'
    files "$work/shut" | cmp "$work/direct" - || complain "with a directory that is read-only for one other files came"
    check_whole "$work/shut"
    expect_nothing_left
fi

# --- disk full ---------------------------------------------------------------------------------------------------
# Every process has its profiles on a disk that is far too small; the verdict and what fits stand.
if [ -n "$own_mounts" ]; then
    mkdir "$work/small"
    for how in stream auto; do
        run $own_mounts sh -c 'mount -t tmpfs -o size=256k none "$0" || exit 9
            shift
            "$@"; code=$?
            cp -r "$0/dfx" "$1.found"; exit $code' "$work/small" - \
            "$L3REPLAY" run "$build" -n 4 $everything --dfx-dir "$work/small/dfx" --gather $how
        expect_pass 0
        expect_err 'no space left on device' 'lost|not complete'
    done
fi

# --- a kernel that crashes -----------------------------------------------------------------------------------------
# What the dispatches before it wrote has come, whole; the verdict is that of the crash.
copy_example allreduce crashing
replace_text "$(echo "$build"/next_levels/reduce/kernels/aiv/*.cpp)" "    // Unpack tensor: partial
" "    __builtin_trap();
"
run "$L3REPLAY" run "$build" -n 4 $everything --gather stream
expect_fail 'a kernel on card'
python3 - "$build/dfx_outputs" <<'PYTHON' || complain "a dispatch that had finished has lost its files"
import json, os, sys
os.chdir(sys.argv[1])
ran = [n for n in json.load(open("l3_run.json"))["nodes"] if n["kind"] == "dispatch" and "end_ns" in n and n["name"] == "publish"]
assert ran # others may have been stopped before they began
for n in ran:
    for name in ("chip_swimlane_records.json", "deps.json", "pmu.csv", "args_dump/args_dump.json", "args_dump/args.bin"):
        assert os.path.getsize("rank%d/d%d/%s" % (n["lane"], n["k"], name)) > 0
PYTHON
check_whole "$build/dfx_outputs"
expect_nothing_left

# --- killed and interrupted ------------------------------------------------------------------------------------------
fifo=$work/events
mkfifo "$fifo"
exec 9<>"$fifo"
copy_example allreduce sleeping
replace_text "$(echo "$build"/next_levels/reduce/kernels/aiv/*.cpp)" "    // Unpack tensor: partial
" "    int events = open(\"$fifo\", O_WRONLY);
    if (write(events, \"running\\n\", 8) != 8) {
        return;
    }
    for (;;) {
        pause();
    }
"
sed -i 's|^#include <cstdint>|&\n#include <fcntl.h>\n#include <unistd.h>|' "$build"/next_levels/reduce/kernels/aiv/*.cpp

await_running() {
    local card line
    for card in 0 1 2 3; do
        read -r -t 60 -u 9 line || complain "card $card never ran its kernel"
    done
}

# Files come while the run goes on, not at its end.
await_files() {
    local rank waited=0
    for rank in 1 2 3; do
        while [ ! -s "$build/dfx_outputs/rank$rank/d0/args_dump/args_dump.json" ] && [ "$waited" -lt 300 ]; do
            sleep 0.1
            waited=$((waited + 1))
        done
    done
    [ "$waited" -lt 300 ] || complain "finished dispatches were not sent while the run went on"
}

start "$L3REPLAY" run "$build" -n 4 $everything --gather stream
await_running
await_files
kill -INT "$started"
finish_run
expect_status 3
check_whole "$build/dfx_outputs" killed
expect_nothing_left

start "$L3REPLAY" run "$build" -n 4 $everything --gather stream
await_running
await_files
for pid in $(tagged); do
    kill -KILL "$pid" 2>/dev/null
done
finish_run
[ -n "$(find "$work/tmp" -maxdepth 1 -name 'l3replay-outbox.*')" ] || complain "no outbox was there to be left behind"
# The next run removes what the killed one left: outboxes, the token, and parts of files.
copy_example allreduce after
rm -rf "$build/dfx_outputs"
cp -r "$work/builds/sleeping/dfx_outputs" "$build/dfx_outputs"
run "$L3REPLAY" run "$build" -n 4 $everything --gather stream
expect_pass 0
check_whole "$build/dfx_outputs"
files "$build/dfx_outputs" | cmp "$work/direct" - || complain "after a killed run other files came"
expect_nothing_left
conclude
