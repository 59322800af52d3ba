#!/usr/bin/env bash
# Where the time of one edit goes, from the command to the verdict: one process, without MPI.
#
#     tests/bench/bench_edit.sh BUILD_DIR [BUILD]      BUILD_DIR: of CMake, without sanitizers; BUILD: examples/vector-add
#
# A comment is appended to the first kernel of a copy of BUILD, nine times. Prints medians of a replay in which nothing changed, of
# one after an edit, of the compiler's own time in it (through a wrapper, which costs some ms itself), and the stages of the last
# edit as its result file has them.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
l3replay=$1/orchestrator/l3replay
build=${2:-$top/examples/vector-add}
work=$(mktemp -d "${TMPDIR:-/tmp}/l3r-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export L3REPLAY_CACHE_DIR=$work/store

cp -r "$build" "$work/build"
compiler=$(command -v "${L3REPLAY_KERNEL_CXX:-clang++-19}")
mkdir "$work/bin"
cat >"$work/bin/${compiler##*/}" <<WRAPPER
#!/bin/bash
begin=\$(date +%s%N)
"$compiler" "\$@"
code=\$?
case "\$*" in
*--version*) ;;
*) echo \$(((\$(date +%s%N) - begin) / 1000)) >>"$work/compiler" ;;
esac
exit \$code
WRAPPER
chmod +x "$work/bin/${compiler##*/}"
kernel=$(find "$work/build" -path '*/kernels/*' -name '*.cpp' | sort | head -n 1)

median() { # FILE of numbers, microseconds: as milliseconds
    sort -n "$1" | awk '{ all[NR] = $1 } END { printf "%.0f", all[int((NR + 1) / 2)] / 1000 }'
}
replay() { # FILE: append the microseconds that it took
    local begin=${EPOCHREALTIME/[.,]/}
    "$l3replay" run "$work/build" --no-ccache --result "$work/result.json" "${options[@]}" >"$work/out" 2>&1 ||
        { cat "$work/out"; exit 1; }
    echo $((${EPOCHREALTIME/[.,]/} - begin)) >>"$1"
}
options=()
[ ! -e "$work/build/l3replay.args" ] || read -ra options <"$work/build/l3replay.args"

replay "$work/first"
printf 'first replay, empty store:  %6s ms\n' "$(median "$work/first")"
"$l3replay" cache --make-headers >"$work/out" 2>&1 || true
for turn in 1 2 3 4 5 6 7 8 9; do
    replay "$work/same"
    echo "// $turn" >>"$kernel"
    replay "$work/edit"
done
export L3REPLAY_KERNEL_CXX=$work/bin/${compiler##*/}
replay "$work/warm"
"$l3replay" cache --make-headers >"$work/out" 2>&1 || true
for turn in 1 2 3 4 5 6 7 8 9; do
    echo "// wrapped $turn" >>"$kernel"
    rm -f "$work/compiler"
    replay "$work/wrapped"
    awk '{ sum += $1 } END { print sum }' "$work/compiler" >>"$work/bare"
done
printf 'nothing changed:            %6s ms\n' "$(median "$work/same")"
printf 'an edit, to the verdict:    %6s ms\n' "$(median "$work/edit")"
printf 'the compiler alone:         %6s ms, of %s ms with the wrapper\n' "$(median "$work/bare")" "$(median "$work/wrapped")"
python3 - "$work/result.json" <<'PYTHON'
import json
import sys

stages = json.load(open(sys.argv[1]))["stages"]
end = stages[-1]["end_ms"]
for stage in stages:
    begin, length = stage["begin_ms"], stage["end_ms"] - stage["begin_ms"]
    left = round(60 * begin / end)
    print("%-9s %8.1f %8.1f ms  %s%s" % (stage["name"], begin, length, " " * left, "#" * max(1, round(60 * length / end))))
PYTHON
