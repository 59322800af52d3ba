#!/usr/bin/env bash
# From a fresh checkout to a replay: installs packages where it may, builds into build/, and replays an example on
# four ranks. The last line is the result marker, the exit code agrees with it.
#
#     launch/quickstart.sh [BUILD_DIRECTORY]       (default: examples/vector-add)
set -u

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$top/launch/packages.sh"

infra() {
    echo "$*" >&2
    echo "PYPTO_EXEC_RESULT=INFRA"
    exit 3
}

example=${1:-$top/examples/vector-add}
example=$(cd "$example" 2>/dev/null && pwd) || infra "there is no directory ${1:-}"

packages_install $packages_build $packages_run || infra "packages are missing"

cmake -S "$top" -B "$top/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DL3R_TESTS=OFF >&2 || infra "cannot configure"
cmake --build "$top/build" >&2 || infra "cannot build"

if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
echo "mpirun -np 4 --oversubscribe build/orchestrator/l3replay run $example" >&2
mpirun -np 4 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
    "$top/build/orchestrator/l3replay" run "$example" |
    awk '/^PYPTO_EXEC_RESULT=/ { marker = $0; next } { print } END { if (marker) print marker }'
exit "${PIPESTATUS[0]}"
