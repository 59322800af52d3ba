#!/bin/bash
# The committed data of the examples is what the independent reference programs compute.
set -eu

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

status=0
for reference in "$source_dir"/tests/reference/*.c; do
    name=$(basename "$reference" .c)
    [ "$name" = npy_out ] && continue
    mkdir -p "$work/$name/in" "$work/$name/out"
    "${CC:-cc}" -std=gnu17 -O1 -o "$work/$name/reference" "$reference" "$source_dir/tests/reference/npy_out.c"
    "$work/$name/reference" "$work/$name/in" "$work/$name/out"
    for side in in out; do
        if ! diff -r "$work/$name/$side" "$source_dir/examples/$name/data/$side"; then
            echo "examples/$name/data/$side is not what tests/reference/$name.c computes"
            status=1
        fi
    done
done

for example in "$source_dir"/examples/*/; do
    if [ ! -e "$source_dir/tests/reference/$(basename "$example").c" ]; then
        echo "$example has no reference program"
        status=1
    fi
done
exit $status
