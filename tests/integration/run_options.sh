#!/bin/bash
# Options of `l3replay run`: devices, inputs, outputs, expectations, results, seeds.
. "$(dirname "$0")/lib_replay.sh"

json() { # PYTHON_EXPRESSION over `result`
    python3 -c 'import json, sys; result = json.load(open(sys.argv[1])); sys.exit(not (eval(sys.argv[2])))' \
        "$work/result.json" "$1" || complain "the result should satisfy: $1"
}

# Without mpirun it starts itself.
copy_example vector-add
run "$L3REPLAY" run "$build"
expect_pass 0
expect_out '^PYPTO_EXEC_DEVICES=0,1,2,3$'
run "$L3REPLAY" run "$build" -n 2
expect_pass 0
run "$L3REPLAY" run "$build" -n 2 --device-ids 3,5
expect_pass 3
expect_out '^PYPTO_EXEC_DEVICES=3,5$'

# Outputs are saved as they were compared: whole .npy files, equal to the expected ones byte for byte.
for example in vector-add pipeline; do
    copy_example "$example"
    run "$L3REPLAY" run "$build" -n 2 --save-outputs "$work/saved/$example"
    expect_pass 0
    for file in "$build"/data/out/*.npy; do
        python3 - "$file" "$work/saved/$example/$(basename "$file")" <<'PYTHON' || complain "$file was not saved right"
import sys
def parts(path):
    data = open(path, "rb").read()
    end = 10 + int.from_bytes(data[8:10], "little")
    return eval(data[10:end]), data[end:]
sys.exit(parts(sys.argv[1]) != parts(sys.argv[2]))
PYTHON
    done
done

# Expectations: one that holds, one that does not, tolerances that decide.
copy_example vector-add
cp "$build/data/out/out.npy" "$work/right.npy"
rm -r "$build/data/out"
run "$L3REPLAY" run "$build" -n 1
expect_status 0
expect_err "not compared|nothing.*compar|no expected"
run "$L3REPLAY" run "$build" -n 1 --expect "out=$work/right.npy"
expect_pass 0
make_npy "$work/wrong.npy" '<f4' '64, 16' 1024 f 0.5
run "$L3REPLAY" run "$build" -n 1 --expect "out=$work/wrong.npy"
expect_fail '1024 of 1024|1024.*1024' '\bout\b' '0\.5' '\[0, 0\]|\(0, 0\)|index 0'
# Values lie in -26..26, so 26.5 is the largest distance from 0.5.
run "$L3REPLAY" run "$build" -n 1 --expect "out=$work/wrong.npy" --rtol 0 --atol 26.5
expect_pass 0
run "$L3REPLAY" run "$build" -n 1 --expect "out=$work/wrong.npy" --rtol 0 --atol 26.4
expect_fail 'of 1024'

# Inputs and scalars by plain name; what is expected follows from the example's definition.
copy_example pipeline
make_npy "$work/zero.npy" '<f4' '8, 64' 512 f 0
run "$L3REPLAY" run "$build" -n 1 --input "x=$work/zero.npy" --save-outputs "$work/zero"
expect_pass 0
expect_out '^PYPTO_EXEC_CHECKED=0/2 outputs$'
expect_err 'note: references in data/out belong to other inputs: --input x__ssa_v0'
run "$L3REPLAY" run "$build" -n 1 --input "x=$work/zero.npy" --validate
expect_fail '\bout' # data/out is for the other input
python3 - "$work/zero/out__ssa_v0.npy" <<'PYTHON' || complain "with x = 0 a row is its weight"
import struct, sys
values = struct.unpack("<512f", open(sys.argv[1], "rb").read()[-2048:])
weights = [i if i % 2 == 0 else 8 - i for i in range(8)]
sys.exit(list(values) != [float(w) for w in weights for _ in range(64)])
PYTHON
run "$L3REPLAY" run "$build" -n 1 --scalar n=3
expect_pass 0
expect_out '^PYPTO_EXEC_CHECKED=2/2 outputs$' # what data/in holds too
run "$L3REPLAY" run "$build" -n 1 --scalar n=2
expect_pass 0
expect_err 'references in data/out belong to other inputs: --scalar n'
run "$L3REPLAY" run "$build" -n 1 --scalar n=2 --validate
expect_fail 'mismatch|differ|wrong'
run "$L3REPLAY" run "$build" -n 1 --scalar nobody=2
expect_usage nobody
run "$L3REPLAY" run "$build" -n 1 --scalar x=2
expect_usage 'x__ssa_v0.*tensor' '--input'
run "$L3REPLAY" run "$build" -n 1 --scalar n=many
expect_usage many

# --result: a file for programs.
copy_example vector-add
run "$L3REPLAY" run "$build" -n 2 --device-ids 0-3 --result "$work/result.json"
expect_pass 0
json 'result["result"] == "PASS"'
json 'result["devices"] == [0, 1, 2, 3]'
json 'result["world_size"] == 4'
# Compilers: by what they say themselves, also when everything came from the store.
cxx=$(command -v g++ || command -v clang++-19)
for _ in 1 2; do
    run env L3REPLAY_ORCH_CXX="$cxx" "$L3REPLAY" run "$build" -n 1 --result "$work/result.json"
    expect_pass 0
    json "result['versions']['orchestration_compiler'] == '$(LC_ALL=C "$cxx" --version | head -n 1)'"
    json 'any(name in result["versions"]["kernel_compiler"] for name in ("g++", "clang"))'
    json 'result["versions"]["l3replay"] and result["versions"]["mpi"]'
done
run "$L3REPLAY" run "$build" -n 1 --result "$work/result.json"
run "$L3REPLAY" run "$build" -n 1 --no-recompile --result "$work/result.json"
expect_pass 0
json '"kernel_compiler" not in result["versions"] and "mpi" in result["versions"]'
run "$L3REPLAY" run "$build" -n 2 --expect "out=$work/wrong.npy" --result "$work/result.json"
expect_status 1
json 'result["result"] == "FAIL"'
json '"out" in json.dumps(result["error"])'
rm "$build/orchestration/host_orch.py"
run "$L3REPLAY" run "$build" --result "$work/result.json"
expect_status 3
json 'result["result"] == "INFRA"'

# It may be no file at all: nothing is replaced, and what cannot take it is an error.
copy_example vector-add
run "$L3REPLAY" run "$build" -n 1 --result /dev/full
expect_infra '/dev/full' 'No space'
[ -c /dev/full ] || complain "/dev/full should still be a device"
run "$L3REPLAY" run "$build" -n 1 --result /dev/stdout
expect_status 0
expect_out '^\{$' '"result":.*"PASS"' '^PYPTO_EXEC_RESULT=PASS device=0$'
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/result.json" &
reader=$!
run "$L3REPLAY" run "$build" -n 1 --result "$work/fifo"
expect_pass 0
[ -p "$work/fifo" ] || complain "the FIFO should still be one"
wait "$reader"
json 'result["result"] == "PASS"'
ln -s result.json "$work/link.json"
run "$L3REPLAY" run "$build" -n 2 --expect "out=$work/wrong.npy" --result "$work/link.json"
expect_status 1
[ -L "$work/link.json" ] || complain "the link should still be one"
json 'result["result"] == "FAIL"'

# Places that cannot be written are reported before a kernel runs: these would crash.
copy_example vector-add
replace_call "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp" vector_add '    __builtin_trap();'
mkdir -p "$work/kept/out.npy"
for place in "--result $work/no/such.json" "--result $work" "--save-outputs $work/wrong.npy/in" \
    "--save-outputs $work/wrong.npy" "--save-outputs $work/kept"; do
    # shellcheck disable=SC2086 # two words
    run "$L3REPLAY" run "$build" -n 1 $place
    expect_infra "${place#* }" 'hint'
    refuse_err 'trap|SIGILL|illegal instruction'
    [ "$(grep -c '^l3replay: error: [^ ]' "$work/err")" -eq 1 ] || complain "one error should be reported"
done

# Generated inputs depend on the seed alone: the same twice, whatever the number of processes and cards.
copy_example vector-add
rm -r "$build/data"
run "$L3REPLAY" run "$build" -n 1 --device-ids 0 --seed 7 --save-outputs "$work/seed7a"
run mpirun -np 2 "$L3REPLAY" run "$build" --device-ids 0-7 --seed 7 --save-outputs "$work/seed7b"
run "$L3REPLAY" run "$build" -n 1 --seed 8 --save-outputs "$work/seed8"
cmp -s "$work/seed7a/out.npy" "$work/seed7b/out.npy" || complain "one seed gave two results"
cmp -s "$work/seed7a/out.npy" "$work/seed8/out.npy" && complain "two seeds gave one result"

# Lanes of mixed tasks take turns, or all run at once; the result counts turns that were lost.
copy_example vector-add
for threads in turns free; do
    run "$L3REPLAY" run "$build" -n 1 --threads "$threads" --result "$work/result.json"
    expect_pass 0
    json 'len(result["dispatches"]) > 0 and all(d["turns_lost"] == 0 for d in result["dispatches"])'
done
run "$L3REPLAY" run "$build" --threads many
expect_usage "--threads is turns or free, not 'many'"

# Usage errors.
run "$L3REPLAY" run
expect_usage 'BUILD|usage'
run "$L3REPLAY" run "$build" --no-such-option
expect_usage 'no-such-option'
run "$L3REPLAY" run "$build" --device-ids 1,x
expect_usage '1,x'
run "$L3REPLAY" run "$build" --device-ids 1,1
expect_usage '\b1\b.*(twice|again|duplicate)'
run "$L3REPLAY" run "$build" --timeout soon
expect_usage 'soon'
run "$L3REPLAY" run "$build" --input a
expect_usage 'NAME='
run "$L3REPLAY" no-such-command
expect_usage 'no-such-command'
run "$L3REPLAY" --version
expect_status 0
run "$L3REPLAY" --help
expect_status 0
expect_out run plan inspect
conclude
