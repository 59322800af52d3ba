#!/usr/bin/env bash
# How fast inputs are read into the segment, compared with `cp` of the same file to /dev/shm.
#
#     tests/bench/bench_read.sh BUILD_DIR [MEGABYTES]      BUILD_DIR: of CMake, without sanitizers
#
# Makes files of MEGABYTES (1024) in $TMPDIR, and reads each from the page cache: best of five.
set -euo pipefail

bench=$1/tests/bench_read
megabytes=${2:-1024}
work=$(mktemp -d "${TMPDIR:-/tmp}/l3r-bench.XXXXXX")
copy=/dev/shm/${work##*/}
trap 'rm -rf "$work" "$copy"' EXIT

"$bench" --make "$work" "$megabytes"
best=0
for _ in 1 2 3 4 5; do
    rm -f "$copy"
    begin=$(date +%s%N)
    cp "$work/x.npy" "$copy"
    end=$(date +%s%N)
    rate=$((megabytes * 1000000000 / (end - begin)))
    [ "$rate" -gt "$best" ] && best=$rate
done
rm -f "$copy"
printf '%-14s %8d MB/s\n' cp "$best"
for file in x.npy x.pt x.safetensors; do
    "$bench" "$work/$file" "$best"
done
