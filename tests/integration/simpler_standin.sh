#!/bin/bash
# The simpler device over the stand-in runtime: its calls, what it hands over, and how its failures are reported.
. "$(dirname "$0")/lib_replay.sh"

if ! command -v g++ >/dev/null; then
    echo "skipped: there is no g++"
    exit 77
fi
root=$work/runtime
bash "$source_dir/tests/standin-runtime/build.sh" "$root" || exit 1
export L3REPLAY_CACHE_DIR=$work/store
unset PTO_ISA_ROOT SIMPLER_ROOT

copy_example vector-add
cat >"$build/next_levels/add_rows/orchestration/add_rows.cpp" <<'EOF'
#include "task_args.h"
extern "C" int standin_shared(void);
extern "C" void aicpu_orchestration_entry(const ChipStorageTaskArgs *args, void (*const *kernels)(int64_t *))
{
    const ChipTensor *t = args->tensors;
    int64_t list[] = {(int64_t)t[0].addr, (int64_t)t[1].addr, (int64_t)t[2].addr, t[2].shapes[0] * t[2].shapes[1]};
    if (standin_shared()) {
        kernels[0](list);
    }
}
EOF
kernel=$build/next_levels/add_rows/kernels/aiv/vector_add.cpp
cat >"$kernel" <<'EOF'
#include <cstdint>
#include "task_interface/task_args.h"
#ifndef CORE_AIV
#error the kernel is one of a vector core
#endif
extern "C" void kernel_entry(int64_t *args)
{
    for (int64_t i = 0; i < args[3]; i++) {
        ((float *)args[2])[i] = ((float *)args[0])[i] + ((float *)args[1])[i];
    }
}
EOF
replay() { # OPTION...
    rm -f "$work/trace" "$work/config"
    run env STANDIN_TRACE="$work/trace" STANDIN_CONFIG="$work/config" "${fault[@]}" "$L3REPLAY" run "$build" \
        --device simpler --simpler-root "$root" --device-ids 2,5 "$@"
}
fault=()

# All calls of each card, in the order that the runtime wants.
replay --ring-task-window 8,16,32,64 --ring-heap 2048 --ring-dep-pool 5,6,7,8 --aicpu-thread-num 3 --result "$work/result.json"
expect_pass 2
calls="simpler_init simpler_register_callable simpler_prepare_run simpler_launch_run simpler_wait_run simpler_finalize_run
simpler_unregister_callable finalize_device destroy_device_context"
for device in 2 5; do
    diff <(tr -s ' \n' '\n' <<<"$calls") <(sed -n "s/^$device //p" "$work/trace") >"$work/out" ||
        complain "device $device was called otherwise"
    grep -q "^$device window 64 heap 2048 pool 6 threads 3 swimlane 0 in $" "$work/config" ||
        complain "the settings of device $device are others: $(cat "$work/config")"
done
grep -q '"device":.*"simpler"' "$work/result.json" || complain "the result should name the device"
expect_err 'revision of the simpler runtime at .* is not known'
refuse_err 'no effect'

# Nothing is compiled again, nor asked again, until the runtime changes; objects are those that its own commands make.
package=$root/simpler_setup/environment.py
cp -p "$package" "$work/kept.py"
sed -i 's/^from/FROM/' "$package"
touch -r "$work/kept.py" "$package"
replay --log-level timing
expect_pass 2
expect_err 'compile .* 0 built, 2 reused'
cp -p "$work/kept.py" "$package"
(cd "$root" && g++ -shared -fPIC -O1 -std=c++17 -DCORE_AIV -Isrc/common \
    -I"$root/src/a2a3/runtime/tensormap_and_ringbuffer/common" -I"$root/src/common" -I"$root/src/common/task_interface" \
    -o "$work/own.so" "$kernel")
cmp -n "$(stat -c %s "$work/own.so")" "$work/own.so" "$build"/next_levels/add_rows/kernels/aiv/vector_add.so ||
    complain "the kernel's bytes are not those that the runtime's own command makes"

# Of clean checkouts the revisions are known: the stamp has them, and binaries that bear it run as they are.
revision() { # DIR: commits it
    git -C "$1" init -q && echo build >"$1/.gitignore" && git -C "$1" add -A &&
        git -C "$1" -c user.name=test -c user.email=test@localhost commit -qm "as it is" && git -C "$1" rev-parse HEAD
}
mkdir -p "$work/isa/include/pto"
touch "$work/isa/include/pto/pto-inst.hpp"
isa=$(revision "$work/isa")
runtime=$(revision "$root")
export PTO_ISA_ROOT=$work/isa
replay
expect_pass 2
refuse_err 'revision of the simpler runtime'
stamp=$build/next_levels/add_rows/cache/binary_context.json
for field in "platform a2a3sim" "runtime_name tensormap_and_ringbuffer" "runtime_revision $runtime" "pto_isa_revision $isa"; do
    grep -Eq "\"${field% *}\":[[:space:]]*\"${field#* }\"" "$stamp" || complain "the stamp lacks $field: $(cat "$stamp")"
done
replay --no-recompile --log-level timing
expect_pass 2
expect_err 'compile .* 0 built, 0 reused'

# Profiles are written by the runtime, into the directory of the dispatch.
replay --swimlane
grep -q "^5 .* swimlane 4 in $build/dfx_outputs/rank1/d0$" "$work/config" || complain "no directory: $(cat "$work/config")"

# A name that the installed runtime does not have: the build may be made for another version of the stack.
kept=$(cat "$kernel")
echo 'static int newer = NewerThing();' >>"$kernel"
replay
expect_infra "another version of the stack than the installed simpler runtime .${runtime:0:12}., which has no NewerThing"
echo "$kept" >"$kernel"

# What fails is reported with its function and code, and nothing stays.
fault=(STANDIN_FAIL=simpler_init=-7@5)
replay
expect_infra 'device 5 cannot be opened: simpler_init returned -7'
grep -q launch "$work/trace" && complain "a card ran although another one could not be opened"
fault=(STANDIN_FAIL=simpler_prepare_run=-3)
replay
expect_infra 'cannot prepare program add_rows: simpler_prepare_run returned -3'
fault=(STANDIN_FAIL=simpler_finalize_run=-2)
replay
expect_fail 'simpler_finalize_run returned -2 \(HEAP_RING_DEADLOCK: no task can get memory\)'
fault=(STANDIN_HANG=simpler_wait_run)
replay --timeout 0.5
expect_fail 'no dispatch ended|no progress|nothing ended' 'program add_rows, in the simpler runtime'
fault=()

# A runtime that lacks something is named, as is one that is not there or was not built for this.
run "$L3REPLAY" run "$build" --device simpler --simpler-root "$work/nowhere"
expect_infra '--simpler-root|no .*nowhere'
run "$L3REPLAY" run "$build" --device simpler --simpler-root "$root" --platform a5sim
expect_infra 'was not built for a5sim .* it has: a2a3sim/tensormap_and_ringbuffer'
sed -i 's/simpler_wait_run/simpler_await_run/' "$root/src/common/worker/pto_runtime_c_api.h"
replay
expect_infra 'simpler_wait_run' 'lacks what l3replay needs'
expect_nothing_left
conclude
