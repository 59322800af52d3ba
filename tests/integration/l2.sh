#!/bin/bash
# Builds for one chip (L2): the whole pipeline, without metadata, as programs of an L3 build, and what cannot run.
. "$(dirname "$0")/lib_replay.sh"

# One dispatch on the named card; the commands around it take the build too.
copy_example l2-affine
run "$L3REPLAY" run "$build" --device-id 5
expect_pass 5
expect_out '^PYPTO_EXEC_DEVICES=5$' '^PYPTO_EXEC_CHECKED=2/2 outputs$'
run mpirun -np 2 "$L3REPLAY" run "$build"
expect_pass 0
expect_err 'idle'
run "$L3REPLAY" inspect "$build"
expect_status 0
expect_out 'L2, one chip' 'factor +In +int32 +scalar' '1 +aiv +add_row_sums +kernels/aiv/add_row_sums.cpp'
run "$L3REPLAY" plan "$build" --format json
expect_status 0
cp "$work/out" "$work/plan.json"
run "$L3REPLAY" run "$build" --plan "$work/plan.json" --device-ids 7
expect_pass 7
run "$L3REPLAY" run "$build" --device-ids 0,1
expect_usage '2 devices' 'one chip'
run "$L3REPLAY" invalidate "$build"
expect_status 0
[ -z "$(find "$build/cache" -name '*.bin')" ] || complain "binaries were left"
run "$L3REPLAY" compile "$build"
expect_status 0
[ -e "$build/cache/orch_affine.bin" ] || complain "there is no binary"

# An edit of a kernel is seen, and its result too.
replace_text "$build/kernels/aiv/scale_shift.cpp" '+ b[j]' '- b[j]'
run "$L3REPLAY" run "$build"
expect_fail 'changed since the last replay: .*scale_shift' 'y.*differ|differ.*y|mismatch'

# Files beside it that were edited or cut short: what is wrong with them is said.
copy_example l2-affine
run "$L3REPLAY" run "$build"
expect_pass 0
stamp=$build/cache/binary_context.json
for text in "$(head -c 30 "$stamp")" "$(sed 's/a2a3sim/a5sim/' "$stamp")"; do
    printf '%s\n' "$text" >"$stamp"
    run "$L3REPLAY" run "$build" --no-recompile
    expect_pass 0
    expect_err 'is rebuilt: (the stamp is damaged: .*binary_context\.json.*JSON|platform a5sim -> a2a3sim)'
done
head -c 200 "$source_dir/examples/l2-affine/compiled_meta.json" >"$build/compiled_meta.json"
run "$L3REPLAY" run "$build"
expect_infra 'compiled_meta\.json.*not valid JSON' 'compile the program again'

# Profiles lie flat, as the stack has them, and older ones of either kind are gone.
copy_example l2-affine
mkdir -p "$build/dfx_outputs/rank0/d0" "$build/dfx_outputs/args_dump"
touch "$build/dfx_outputs/rank0/d0/pmu.csv" "$build/dfx_outputs/args_dump/args.bin"
run "$L3REPLAY" run "$build" --swimlane --pmu 2 --scope-stats
expect_pass 0
for name in chip_swimlane_records.json deps.json pmu.csv scope_stats/scope_stats.jsonl name_map_l2-affine.json; do
    [ -s "$build/dfx_outputs/$name" ] || complain "there is no dfx_outputs/$name"
done
[ ! -e "$build/dfx_outputs/rank0" ] || complain "profiles of an earlier run are left"
[ ! -e "$build/dfx_outputs/args_dump" ] || complain "profiles of an earlier run are left"
run "$L3REPLAY" report "$build"
expect_status 0
expect_out '1 on 1 rank' 'add_row_sums of l2-affine'

# Without metadata: shapes come from files, the scalar follows the tensors.
rm "$build/compiled_meta.json"
run "$L3REPLAY" run "$build"
expect_infra 'no compiled_meta\.json' 'arg0 \(In\), arg1 \(In\), arg2 \(InOut\), arg3 \(Out\)'
data=$build/data
run "$L3REPLAY" run "$build" --input "arg0=$data/in/x.npy" --input "arg1=$data/in/b.npy" \
    --input "arg2=$data/in/total.npy" --expect "arg2=$data/out/total.npy" --expect "arg3=$data/out/y.npy" --scalar arg4=-5
expect_pass 0
expect_out '^PYPTO_EXEC_CHECKED=2/2 outputs$'

# A program of an L3 build, by itself.
copy_example vector-add
run "$L3REPLAY" run "$build/next_levels/add_rows" --input "arg0=$build/data/in/a.npy" \
    --input "arg1=$build/data/in/b.npy" --expect "arg2=$build/data/out/out.npy" --device-id 2
expect_pass 2
expect_out '^PYPTO_EXEC_CHECKED=1/1 outputs$'

# The parent of several: it lists them. A left-over of an L2 compile in an L3 build: read as L2, and said.
rm "$build/orchestration/host_orch.py"
run "$L3REPLAY" run "$build"
expect_infra 'next_levels/add_rows' 'each can be replayed'
copy_example vector-add
cp -r "$source_dir"/examples/l2-affine/{kernel_config.py,compiled_meta.json,kernels,orchestration} "$build"
cp "$source_dir"/examples/l2-affine/data/in/*.npy "$build/data/in"
run "$L3REPLAY" run "$build"
expect_pass 0
expect_err 'left-over' 'read as a build for one chip \(L2\)'
expect_nothing_left
conclude
