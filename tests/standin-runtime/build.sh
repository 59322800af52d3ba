#!/bin/bash
# Make a root of the stand-in runtime in the directory $1, with its libraries compiled.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cp -r "$here/simpler_setup" "$here/src" "$here/source" "$1"
lib=$1/build/lib/a2a3/sim/tensormap_and_ringbuffer
mkdir -p "$lib"
echo aicpu >"$lib/libaicpu_kernel.so"
echo aicore >"$lib/libaicore_kernel.so"
compile() { # SOURCE LIBRARY
    g++ -shared -fPIC -O1 -Wall -std=c++17 "-I$1/src/common" "-I$1/src/common/task_interface" \
        "-I$1/src/common/log/include" "$1/source/$2" -o "$3" -ldl
}
compile "$1" context.cpp "$1/build/lib/libcpu_sim_context.so"
compile "$1" runtime.cpp "$lib/libhost_runtime.so"
