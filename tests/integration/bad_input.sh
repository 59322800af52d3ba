#!/bin/bash
# Builds that are wrong: each is one INFRA (or usage) error that names the thing and the hint, before any kernel runs.
. "$(dirname "$0")/lib_replay.sh"

copy_kernel_path=next_levels/add_rows/kernels/aiv/vector_add.cpp

# A fresh vector-add whose kernels leave a mark when they run, so that "nothing ran" can be checked.
spoil() {
    copy_example vector-add bad
    replace_call "$build/$copy_kernel_path" vector_add \
        "    __builtin_trap();"
}

expect_refused() {
    expect_infra "$@" 'hint'
    refuse_err 'trap|SIGILL|illegal instruction'
}

# --- The directory ---------------------------------------------------------------------------------------------

run "$L3REPLAY" run "$work/no such build"
expect_infra 'no such build' 'build_output|build directory'

mkdir "$work/empty"
run "$L3REPLAY" run "$work/empty"
expect_refused 'host_orch\.py' 'kernel_config\.py' 'compile'

spoil
run "$L3REPLAY" run "$build/distributed_meta.json"
expect_infra 'distributed_meta\.json' 'not a build directory|directory'

spoil
mv "$build" "$build"$'\xff'
run "$L3REPLAY" run "$build"$'\xff'
expect_refused 'UTF-8' 'rename'

# Both markers: read as a build for one chip, and a warning says why.
spoil
cp "$build/next_levels/add_rows/kernel_config.py" "$build/kernel_config.py"
for meta in missing present; do
    if [ "$meta" = present ]; then
        edit_meta "$build" 'meta["schema"] = 1; del meta["distributed_config"]'
        mv "$build/distributed_meta.json" "$build/compiled_meta.json"
    fi
    run "$L3REPLAY" run "$build"
    expect_status 3
    expect_err 'kernel_config\.py' 'host_orch\.py' 'left-over' 'L2|one chip'
done

spoil
rm "$build/distributed_meta.json"
run "$L3REPLAY" run "$build"
expect_refused 'distributed_meta\.json' 'missing' 'compile'

# Compile-only builds: programs that ptoas never made.
spoil
rm "$build/next_levels/add_rows/kernel_config.py"
mv "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp" "$build/next_levels/add_rows/kernels/aiv/vector_add.pto"
run "$L3REPLAY" run "$build"
expect_refused 'add_rows' 'ptoas' 'PTOAS_ROOT'
# The compiler's own collectives have a configuration even then.
copy_example allreduce bad
for program in publish reduce; do
    rm "$build/next_levels/$program/kernel_config.py"
    for file in "$build/next_levels/$program"/kernels/aiv/*.cpp; do
        mv "$file" "${file%.cpp}.pto"
    done
done
run "$L3REPLAY" run "$build"
expect_refused 'publish' 'reduce' 'PTOAS_ROOT'
refuse_err 'builtin\.tensor\.barrier__int32.*(lack|no kernel_config)'

# --- distributed_meta.json -------------------------------------------------------------------------------------

spoil
printf '{"schema": 2, "params": [' >"$build/distributed_meta.json"
run "$L3REPLAY" run "$build"
expect_refused 'distributed_meta\.json' 'JSON' 'compile'
spoil
printf '{"schema": 2, "platform": "a2a3sim\xff"}' >"$build/distributed_meta.json"
run "$L3REPLAY" run "$build"
expect_refused 'distributed_meta\.json' 'UTF-8' 'compile'
spoil
printf '[1, 2]' >"$build/distributed_meta.json"
run "$L3REPLAY" run "$build"
expect_refused 'distributed_meta\.json' 'object' 'compile'

# Statement that spoils the metadata, then what the message must name.
while IFS='|' read -r statement names; do
    [ -n "$statement" ] || continue
    spoil
    edit_meta "$build" "$statement"
    run "$L3REPLAY" run "$build"
    expect_refused 'distributed_meta\.json' "$names" 'compile'
done <<'TABLE'
meta["schema"] = 3|schema.*3
meta["schema"] = True|schema
meta["schema"] = "2"|schema
del meta["schema"]|schema
meta["params"] = {}|params
meta["params"] = 5|params
meta["params"][0] = "a"|params\[0\]
del meta["params"][1]["name"]|params\[1\].*name
meta["params"][1]["name"] = 7|params\[1\].*name
meta["params"][1]["name"] = "a"|params\[1\].*"?a"?
meta["params"][0]["direction"] = "Inward"|direction.*Inward
meta["params"][0]["dtype"] = "fp33"|dtype.*fp33
meta["params"][0]["dtype"] = "fp64"|dtype.*fp64
meta["params"][0]["shape"] = [64, True]|shape
meta["params"][0]["shape"] = [64, -2]|shape.*-2
meta["params"][0]["shape"] = "64x16"|shape
meta["params"][0]["shape"] = [64, 1.5]|shape.*1\.5
meta["num_return_types"] = "1"|num_return_types
meta["platform"] = "a7sim"|platform.*a7sim
meta["platform"] = 3|platform
meta["backend_type"] = "Ascend1"|backend_type.*Ascend1
meta["distributed_config"] = []|distributed_config
config["colour"] = 1|distributed_config.*colour|colour
config["device_ids"] = []|device_ids
config["device_ids"] = [0, -1]|device_ids.*-1
config["device_ids"] = [0, 1, 0]|device_ids.*0
config["device_ids"] = [0, True]|device_ids
config["device_ids"] = "0,1"|device_ids
config["device_ids"] = [0, 1.5]|device_ids
config["num_sub_workers"] = -1|num_sub_workers.*-1
config["num_sub_workers"] = True|num_sub_workers
config["aicpu_thread_num"] = 1|aicpu_thread_num.*1
config["aicpu_thread_num"] = -4|aicpu_thread_num.*-4
config["runtime"] = 5|runtime
TABLE

# Absent fields have defaults: with one device the example still runs (kernels unspoilt).
copy_example vector-add bad
edit_meta "$build" 'del meta["platform"], meta["backend_type"], meta["num_return_types"], meta["distributed_config"]'
run "$L3REPLAY" run "$build"
expect_pass 0
expect_out '^PYPTO_EXEC_DEVICES=0$'

# --- data ------------------------------------------------------------------------------------------------------

for file in in/a out/out; do
    spoil
    mkdir -p "$build/data/${file%/*}"
    rm -f "$build/data/$file.npy"
    ln -s nothing "$build/data/$file.npy"
    run "$L3REPLAY" run "$build"
    expect_refused "data/$file\.npy" 'symlink'
    rm "$build/data/$file.npy"
    mkdir "$build/data/$file.npy"
    run "$L3REPLAY" run "$build"
    expect_refused "data/$file\.npy" 'not a regular file'
done

# --- host_orch.py ----------------------------------------------------------------------------------------------

spoil
sed -i '/_pypto_distributed_entry/d' "$build/orchestration/host_orch.py"
run "$L3REPLAY" run "$build"
expect_refused 'host_orch\.py' '_pypto_distributed_entry'

spoil
cat >>"$build/orchestration/host_orch.py" <<'PYTHON'


def second(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):
    pass


second._pypto_distributed_entry = True
PYTHON
run "$L3REPLAY" run "$build"
expect_refused 'host_orch\.py' 'host_orch' 'second' 'two|one entry|exactly one|more than one'

spoil
sed -i 's/^    for r in/    for r in in/' "$build/orchestration/host_orch.py"
run "$L3REPLAY" run "$build"
expect_infra 'host_orch\.py' 'syntax' '\b13\b'

spoil
replace_text "$build/orchestration/host_orch.py" 'callables["add_rows"]' 'callables["add_columns"]'
run "$L3REPLAY" run "$build"
expect_refused 'add_columns' 'next_levels' 'add_rows'

# The reverse, a program that nothing names, is worth a note and no more.
copy_example vector-add bad
cp -r "$build/next_levels/add_rows" "$build/next_levels/unused"
run "$L3REPLAY" run "$build"
expect_pass 0
expect_err 'unused'

spoil
replace_text "$build/orchestration/host_orch.py" 'config, r)' 'config, (r + 1))'
run "$L3REPLAY" run "$build" --device-ids 0-3
expect_refused 'card 4|\b4\b' 'world size|world_size|device' '0\.\.3|0 to 3|\b4 (cards|devices)'

spoil
replace_text "$build/orchestration/host_orch.py" '_ta_0 = TaskArgs()' '_ta_0 = TaskArgs()
        _ta_0.add_scalar(1)'
run "$L3REPLAY" run "$build"
expect_refused 'host_orch\.py' 'scalar' 'tensor'

spoil
replace_text "$build/orchestration/host_orch.py" 'rows = ' 'first = tensors["a"][0, 0].item()
    rows = '
run "$L3REPLAY" run "$build"
expect_refused 'host_orch\.py' 'element' '\ba\b'

spoil
replace_text "$build/orchestration/host_orch.py" 'import torch' 'import torch
import a_module_that_nobody_has'
run "$L3REPLAY" run "$build"
expect_infra 'host_orch\.py' 'a_module_that_nobody_has'

# A window smaller than its buffers; a buffer view larger than its buffer.
copy_example allreduce bad
replace_text "$build/orchestration/host_orch.py" 'window_size=((((8 * 4) + 31) // 32) * 32) +' 'window_size=0 *'
run "$L3REPLAY" run "$build"
expect_infra 'comm_d0' 'window'
copy_example allreduce bad
replace_text "$build/orchestration/host_orch.py" 'shapes=(8,)' 'shapes=(80,)'
run "$L3REPLAY" run "$build"
expect_infra 'partial' '\b320\b' '\b32\b'

# --- programs --------------------------------------------------------------------------------------------------

spoil
replace_text "$build/next_levels/add_rows/orchestration/add_rows.cpp" 'expected_arg_count = 3' 'expected_arg_count = 5'
run "$L3REPLAY" run "$build"
expect_refused 'add_rows' '\b5\b' '\b3\b'

# A scalar too few, while an ordering token makes up the count: the signature says how many of them are tensors.
copy_example allreduce bad
replace_text "$build/orchestration/host_orch.py" \
    '                _ta_0.add_scalar(__comm_d0[r].device_ctx)
                _ta_0.add_scalar(__comm_d0[r].device_ctx)
' '                _ta_0.add_scalar(__comm_d0[r].device_ctx)
'
run "$L3REPLAY" run "$build"
expect_infra 'publish' 'scalar' '\b2\b' '\b1\b'

copy_example pipeline bad
replace_text "$build/next_levels/finish/kernel_config.py" 'tensormap_and_ringbuffer' 'host_build_graph'
run "$L3REPLAY" run "$build"
expect_infra 'finish' 'host_build_graph' 'tensormap_and_ringbuffer'
copy_example vector-add bad
replace_text "$build/next_levels/add_rows/kernel_config.py" 'tensormap_and_ringbuffer' 'host_build_graph'
run "$L3REPLAY" run "$build"
expect_infra 'add_rows' 'host_build_graph'
copy_example vector-add bad
replace_text "$build/next_levels/add_rows/kernel_config.py" '"aicpu_thread_num": 0,' '"aicpu_thread_num": 0, "enable_sdma": True,'
run "$L3REPLAY" run "$build"
expect_infra 'add_rows' 'sdma'

spoil
echo 'raise RuntimeError("spoilt on purpose")' >>"$build/next_levels/add_rows/kernel_config.py"
run "$L3REPLAY" run "$build"
expect_infra 'add_rows' 'kernel_config\.py' 'spoilt on purpose'

spoil
rm "$build/$copy_kernel_path"
run "$L3REPLAY" run "$build"
expect_infra 'add_rows' 'vector_add'

# A kernel that does not compile: the compiler's own words, and no card starts.
copy_example allreduce bad
replace_text "$build/next_levels/reduce/kernels/aiv/reduce_partials.cpp" 'float sum[8] = {};' 'float sum[8] = nothing_like_this;'
replace_call "$build/next_levels/publish/kernels/aiv/publish_partial.cpp" publish_partial '    __builtin_trap();'
run mpirun -np 2 "$L3REPLAY" run "$build"
expect_infra 'nothing_like_this' 'reduce_partials\.cpp' '\breduce\b'
refuse_err 'trap|SIGILL|illegal instruction'

# --- data ------------------------------------------------------------------------------------------------------

spoil
make_npy "$work/shape.npy" '<f4' '64, 8' 512 f 1
run "$L3REPLAY" run "$build" --strict-shapes --input "a=$work/shape.npy"
expect_refused '\ba\b' 'shape\.npy' '64.*8' '64.*16'
make_npy "$work/dtype.npy" '<i4' '64, 16' 1024 i 1
run "$L3REPLAY" run "$build" --input "a=$work/dtype.npy"
expect_refused '\ba\b' 'dtype\.npy' 'int32' 'fp32'
run "$L3REPLAY" run "$build" --input "a=$work/nowhere.npy"
expect_refused 'nowhere\.npy'
head -c 1000 "$build/data/in/a.npy" >"$work/short.npy"
run "$L3REPLAY" run "$build" --input "a=$work/short.npy"
expect_refused 'short\.npy'
echo 'not an array' >"$work/text.npy"
run "$L3REPLAY" run "$build" --input "a=$work/text.npy"
expect_refused 'text\.npy' 'npy'
run "$L3REPLAY" run "$build" --expect "out=$work/shape.npy"
expect_refused '\bout\b' 'shape\.npy'
run "$L3REPLAY" run "$build" --input "nobody=$work/shape.npy"
expect_usage 'nobody' '\ba\b.*\bb\b.*\bout\b'

expect_nothing_left
conclude
