# Helpers for the tests that run l3replay on builds. Sourced, not run.
#
# L3REPLAY names the program (default: build/orchestrator/l3replay). Each test works in a directory of its own, on
# copies of the examples, and removes it; the object store is shared between tests, below the program's build tree,
# so that an example is compiled once.

set -u

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${L3REPLAY:=$source_dir/build/orchestrator/l3replay}"
work=$(mktemp -d "${TMPDIR:-/tmp}/l3replay-test.XXXXXX")
mkdir "$work/tmp"
failures=0

# Everything that a replay starts inherits the tag, so that what is left of it can be found.
tag="l3replay-test-$$-$RANDOM"

if [ -z "${L3REPLAY_CACHE_DIR:-}" ]; then
    L3REPLAY_CACHE_DIR=$(dirname "$L3REPLAY")/test-store
    mkdir -p "$L3REPLAY_CACHE_DIR" 2>/dev/null || L3REPLAY_CACHE_DIR=$work/store
fi
export L3REPLAY_CACHE_DIR
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}

if [ ! -x "$L3REPLAY" ]; then
    echo "skipped: $L3REPLAY is not there; set L3REPLAY"
    rm -rf "$work"
    exit 77
fi

# Processes that carry the tag, one id a line.
tagged() {
    local environ
    for environ in /proc/[0-9]*/environ; do
        if grep -qz "^L3R_TEST_TAG=$tag\$" "$environ" 2>/dev/null; then
            environ=${environ#/proc/}
            echo "${environ%/environ}"
        fi
    done
}

clean_up() {
    local pid
    for pid in $(tagged); do
        kill -KILL "$pid" 2>/dev/null
    done
    chmod -R u+w "$work" 2>/dev/null
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# A copy of an example to spoil: its path in $build.
copy_example() { # NAME [COPY_NAME]
    build=$work/builds/${2:-$1}
    mkdir -p "$(dirname "$build")"
    rm -rf "$build"
    cp -r "$source_dir/examples/$1" "$build"
    # What a replay of the example itself left there.
    rm -rf "$build"/cache "$build"/next_levels/*/cache "$build"/.l3replay.*
    find "$build" -name '*.so' -delete
}

# Have host_orch.py of the build wait without end once it runs; await_recording returns when it does. In descriptor 8 the
# fifo that it reads is open for writing.
hold_recording() {
    mkfifo "$work/held.$$" && exec 8<>"$work/held.$$"
    printf "open('%s', 'w').close()\nopen('%s').read()\n" "$work/begun" "$work/held.$$" >>"$build/orchestration/host_orch.py"
}

await_recording() {
    local waited=0
    until [ -e "$work/begun" ] || [ "$waited" -ge 600 ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    [ -e "$work/begun" ] || complain "the recording never began"
    rm -f "$work/begun"
}

# Run a command to its end: $status, $work/out and $work/err show how it went. No test may hang: 60 s is far more
# than any takes.
limit=60
run() {
    ran="$*"
    env L3R_TEST_TAG="$tag" TMPDIR="$work/tmp" timeout -k 10 "$limit" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# The same in the background; `finish_run` waits for it. Its process id is in $started (that of the command itself,
# which takes interrupts although the shell makes background commands ignore them).
start() {
    ran="$*"
    : >"$work/out" # the command's own shell does that later: who waits for a text must not find the last run's
    : >"$work/err"
    env --default-signal=INT,QUIT L3R_TEST_TAG="$tag" TMPDIR="$work/tmp" "$@" >"$work/out" 2>"$work/err" </dev/null &
    started=$!
}

finish_run() {
    local waited=0
    while kill -0 "$started" 2>/dev/null && [ "$waited" -lt $((limit * 10)) ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    kill -KILL "$started" 2>/dev/null && complain "did not end within $limit s"
    wait "$started" 2>/dev/null
    status=$?
}

complain() {
    failures=$((failures + 1))
    {
        echo "FAILED: $*"
        echo "  ran: $ran"
        echo "  exit: ${status:-?}"
        sed 's/^/  out: /' "$work/out" 2>/dev/null | head -n 40
        sed 's/^/  err: /' "$work/err" 2>/dev/null | head -n 60
    } >&2
}

# No process of l3replay's own may crash, whatever the kernels do; an executor's crash is reported by its parent, in
# other words than MPI's and the sanitizers'.
expect_status() {
    [ "$status" -eq "$1" ] || complain "exit $1 was expected"
    grep -Ev '^(card [0-9]+|host lane|sub-workers( [0-9]+)?)\| |^l3replay: error:   \| ' "$work/err" |
        grep -Eq 'Process received signal|AddressSanitizer|runtime error:' && complain "l3replay itself crashed"
    return 0
}

# The one marker line, whole and last, and before it the line that says how much was compared.
expect_marker() {
    local markers
    markers=$(grep '^PYPTO_EXEC_RESULT=' "$work/out")
    [ "$markers" = "PYPTO_EXEC_RESULT=$1" ] || complain "the one marker PYPTO_EXEC_RESULT=$1 was expected"
    [ "$(tail -n 1 "$work/out")" = "PYPTO_EXEC_RESULT=$1" ] || complain "the marker should be the last line of stdout"
    tail -n 2 "$work/out" | head -n 1 | grep -Eq '^PYPTO_EXEC_CHECKED=[0-9]+/[0-9]+ outputs$' ||
        complain "a line that says how many outputs were compared should come before the marker"
}

expect_out() {
    local pattern
    for pattern in "$@"; do
        grep -Eq -- "$pattern" "$work/out" || complain "stdout should match: $pattern"
    done
}

expect_err() {
    local pattern
    for pattern in "$@"; do
        grep -Eiq -- "$pattern" "$work/err" || complain "stderr should match: $pattern"
    done
}

refuse_err() {
    grep -Eiq -- "$1" "$work/err" && complain "stderr should not match: $1"
    return 0
}

expect_pass() { # FIRST_DEVICE
    expect_status 0
    expect_marker "PASS device=${1:-0}"
}

expect_fail() {
    expect_status 1
    expect_marker FAIL
    expect_err "$@"
}

expect_infra() {
    expect_status 3
    expect_marker INFRA
    expect_err "$@"
}

expect_usage() {
    expect_status 2
    expect_err "$@"
}

# Within 5 s no process of the run is left, and nothing of ours in the temporary directories.
patience=50 # tenths of a second
expect_nothing_left() {
    local waited=0 left
    while left=$(tagged) && [ -n "$left" ] && [ "$waited" -lt "$patience" ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    if [ -n "$left" ]; then
        complain "processes left after $((patience / 10)) s: $(for pid in $left; do tr '\0' ' ' <"/proc/$pid/cmdline"; echo "($pid);"; done)"
        for pid in $left; do
            kill -KILL "$pid" 2>/dev/null
        done
    fi
    left=$(find "$work/tmp" -mindepth 1 -maxdepth 1 ! -name 'ompi.*' ! -name 'openmpi-sessions*' 2>/dev/null)
    [ -z "$left" ] || complain "left in the temporary directory: $left"
    waited=0
    while left=$(left_in_shm) && [ -n "$left" ] && [ "$waited" -lt "$patience" ]; do
        sleep 0.1
        waited=$((waited + 1))
    done
    [ -z "$left" ] || complain "left in /dev/shm: $left"
}

# What nobody uses any more: runs of other tests hold the locks of theirs, and remove what was left by one that was killed.
left_in_shm() {
    local entry
    for entry in $(find /dev/shm -maxdepth 1 -iname '*l3r*' -newer "$L3REPLAY" -user "$(id -u)" 2>/dev/null); do
        [ -e "$entry/lock" ] && ! flock -n "$entry/lock" true 2>/dev/null && continue
        [ ! -e "$entry" ] || echo "$entry"
    done
}

# Put code in place of the call of a kernel's function. The file keeps its arguments.
replace_call() { # KERNEL_FILE FUNCTION CODE
    python3 - "$@" <<'PYTHON'
import re, sys
path, function, code = sys.argv[1:]
head, mark, entry = open(path).read().partition("// --- Kernel entry point ---")
entry, count = re.subn(r"    %s\([^;]*\);" % function, lambda _: code, entry)
assert count == 1, path
open(path, "w").write(head + mark + entry)
PYTHON
}

# Replace text that must occur.
replace_text() { # FILE OLD NEW
    python3 - "$@" <<'PYTHON'
import sys
path, old, new = sys.argv[1:]
text = open(path).read()
assert old in text, (path, old)
open(path, "w").write(text.replace(old, new))
PYTHON
}

# Change a build's metadata: python statements over `meta`.
edit_meta() { # BUILD STATEMENTS
    python3 - "$@" <<'PYTHON'
import json, sys
path = sys.argv[1] + "/distributed_meta.json"
meta = json.load(open(path))
config = meta["distributed_config"]
exec(sys.argv[2])
json.dump(meta, open(path, "w"))
PYTHON
}

# Write a .npy file of one value repeated: FILE DESCR SHAPE COUNT STRUCT_CODE VALUE
make_npy() {
    python3 - "$@" <<'PYTHON'
import struct, sys
path, descr, shape, count, code, value = sys.argv[1:]
header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (descr, shape)
header = header.ljust(117) + "\n"
value = float(value) if code in "efd" else int(value)
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<%d%s" % (int(count), code), *[value] * int(count)))
PYTHON
}

conclude() {
    if [ "$failures" -ne 0 ]; then
        echo "$failures check(s) failed" >&2
        exit 1
    fi
    exit 0
}
