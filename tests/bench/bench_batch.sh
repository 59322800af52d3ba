#!/usr/bin/env bash
# What an entry of a batch costs beyond its kernels, when the binaries are there.
#
#     tests/bench/bench_batch.sh BUILD_DIR [ENTRIES]      BUILD_DIR: of CMake, without sanitizers
#
# Copies of examples/l2-affine; the second of two batches is measured, beside as many starts of `l3replay --version`.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
l3replay=$1/orchestrator/l3replay
entries=${2:-500}
work=$(mktemp -d "${TMPDIR:-/tmp}/l3r-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export L3REPLAY_CACHE_DIR=$work/store

for ((i = 0; i < entries; i++)); do
    cp -r "$top/examples/l2-affine" "$work/build$i"
    printf '%s{"work_dir": "%s/build%d"}' "$([ "$i" -eq 0 ] && echo '[' || echo ', ')" "$work" "$i"
done >"$work/manifest.json"
echo ']' >>"$work/manifest.json"

milliseconds() { # COMMAND...: of one entry
    local begin end
    begin=$(date +%s%N)
    "$@" >"$work/out" 2>"$work/err"
    end=$(date +%s%N)
    echo $(((end - begin) / entries / 10000)) | sed 's/..$/.&/'
}
start_only() {
    for ((i = 0; i < entries; i++)); do
        "$l3replay" --version
    done
}

printf 'first batch:  %s ms an entry\n' "$(milliseconds "$l3replay" batch "$work/manifest.json")"
printf 'second batch: %s ms an entry, %d of %d PASS\n' "$(milliseconds "$l3replay" batch "$work/manifest.json" --no-recompile)" \
    "$(grep -c PASS "$work/out")" "$entries"
printf 'starting the program alone: %s ms\n' "$(milliseconds start_only)"
