#!/bin/bash
# Every example gives the same bits on the cpu device and on an installed simpler runtime. Takes a runtime that was built for
# a2a3sim: SIMPLER_ROOT.
. "$(dirname "$0")/lib_replay.sh"

if [ -z "${SIMPLER_ROOT:-}" ]; then
    echo "skipped: SIMPLER_ROOT names no simpler runtime"
    exit 77
fi
run "$L3REPLAY" inspect --device
expect_status 0
if ! grep -q 'a2a3sim/tensormap_and_ringbuffer' "$work/out"; then
    echo "skipped: the simpler runtime at $SIMPLER_ROOT was not built for a2a3sim"
    exit 77
fi
: "${L3R_TEST_EXAMPLES:=vector-add l2-affine pipeline allreduce tensor-parallel per-rank}"
for example in $L3R_TEST_EXAMPLES; do
    copy_example "$example"
    for device in cpu simpler; do
        run "$L3REPLAY" run "$build" --device $device --save-outputs "$work/$example.$device"
        expect_pass 0
    done
    diff -r "$work/$example.cpu" "$work/$example.simpler" >"$work/out" || complain "$example gives other bits"
done

# A kernel that crashes is named, as the runtime names its file: by its id.
copy_example vector-add
sed -i 's/out\[i\] = a\[i\] + b\[i\];/*(volatile int *)8 = 1;/' "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp"
run "$L3REPLAY" run "$build" --device simpler --device-ids 0
expect_fail 'Segmentation fault at address 0x8, .* of /memfd:kernel_0_' 'a kernel on card 0 was ended by signal 11'

# Nothing of the runtime stays when a run is killed.
copy_example vector-add
sed -i 's/out\[i\] = a\[i\] + b\[i\];/for (;;) {}/' "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp"
run "$L3REPLAY" run "$build" --device simpler --device-ids 0 --timeout 3
expect_fail 'in the simpler runtime'
left=$(find /tmp /usr/lib64 /var/tmp -maxdepth 1 -newer "$build/distributed_meta.json" \( -name 'kernel_*' -o \
    -name '*_sim_*' -o -name 'libdevice_orch_*' \) 2>/dev/null)
[ -z "$left" ] || complain "files of the runtime were left: $left"
expect_nothing_left
conclude
