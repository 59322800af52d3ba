#!/bin/bash
# From a hand edit to a fresh binary, through `run` and `compile`: what is compiled, kept, thrown away, reported.
. "$(dirname "$0")/lib_replay.sh"

# A store of its own: what is compiled and what is found there is what this test is about.
export L3REPLAY_CACHE_DIR=$work/store
unset PTOAS_ROOT PYPTO_REBUILD_FROM_PTO

built() { # NUMBER REUSED: what the summary says was compiled
    expect_err "compile [0-9]+ ms: $1 built, $2 reused"
}

stamp() {
    echo "$build/next_levels/$1/cache/binary_context.json"
}

copy_example vector-add
kernel=$build/next_levels/add_rows/kernels/aiv/vector_add.cpp

# The first replay compiles both sources and leaves binaries where the stack keeps them.
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
built 2 0
expect_out '^\[cpp->\.so\] no cached binaries to invalidate'
for file in cache/incore_0_aiv_vector_add_a2a3sim.bin cache/orch_add_rows.bin cache/binary_context.json \
    kernels/aiv/vector_add.so orchestration/add_rows.so; do
    [ -s "$build/next_levels/add_rows/$file" ] || complain "$file is missing"
done
cmp -s "$build/next_levels/add_rows/cache/orch_add_rows.bin" "$build/next_levels/add_rows/orchestration/add_rows.so" ||
    complain "the two copies of the orchestration differ"
grep -q '"platform":[[:space:]]*"a2a3sim"' "$(stamp add_rows)" || complain "the stamp does not name the platform"

# Unchanged: nothing is thrown away, and the run says that nothing changed.
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
built 0 2
expect_out '^\[cpp->\.so\] no cached binaries to invalidate'
expect_err 'no source changed since the last replay'

# One edit costs one compile, and is named.
echo '// edited' >>"$kernel"
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
built 1 1
expect_out '^\[cpp->\.so\] invalidated 4 cached binary file\(s\); cpp will rebuild'
expect_err 'changed since the last replay: kernel add_rows/vector_add\.cpp$'

# --no-recompile runs the old binary and says so; it compiles nothing and deletes nothing.
before=$(stat -c %Y.%i "$build/next_levels/add_rows/kernels/aiv/vector_add.so")
echo '// edited again' >>"$kernel"
run "$L3REPLAY" run "$build" -n 1 --no-recompile
expect_pass 0
built 0 0
expect_out 'skipped'
expect_err 'vector_add\.cpp of program add_rows was edited after the binary that runs'
[ "$(stat -c %Y.%i "$build/next_levels/add_rows/kernels/aiv/vector_add.so")" = "$before" ] ||
    complain "--no-recompile touched a binary"

# A binary that the stamp does not vouch for is never run: another platform, no stamp, a damaged one, one of Python's.
run "$L3REPLAY" run "$build" -n 1 --no-recompile --platform a5sim
expect_pass 0
expect_err 'rebuilt: platform a2a3sim -> a5sim'
rm "$(stamp add_rows)"
run "$L3REPLAY" run "$build" -n 1 --no-recompile
expect_pass 0
expect_err 'rebuilt: no stamp'
echo '{' >"$(stamp add_rows)"
run "$L3REPLAY" run "$build" -n 1 --no-recompile
expect_pass 0
expect_err 'program add_rows is rebuilt'
sed -i 's/l3replay-cpu-[0-9a-f]*/0123456789012345678901234567890123456789/' "$(stamp add_rows)"
run "$L3REPLAY" run "$build" -n 1 --no-recompile
expect_pass 0
expect_err 'rebuilt: .*revision'

# A missing binary under a good stamp is noticed.
rm "$build/next_levels/add_rows/cache/orch_add_rows.bin"
run "$L3REPLAY" run "$build" -n 1 --no-recompile
expect_pass 0
expect_err 'rebuilt: binaries are missing'

# compile alone: the same files, nothing runs; a source that does not compile leaves no stamp.
"$L3REPLAY" invalidate "$build" >"$work/out" 2>&1
run "$L3REPLAY" compile "$build"
expect_status 0
expect_err '1 programs are up to date'
[ -s "$(stamp add_rows)" ] || complain "compile left no stamp"
echo 'this is not C++' >>"$kernel"
run "$L3REPLAY" compile "$build"
expect_status 3
expect_err 'vector_add\.cpp' 'does not compile'
[ -e "$(stamp add_rows)" ] && complain "a failed compile left a stamp"
run "$L3REPLAY" run "$build" -n 1
expect_infra 'does not compile'
sed -i '$d' "$kernel"

# A .pto that is newer than its .cpp, and no ptoas: it runs, and a note says so.
mkdir -p "$build/next_levels/add_rows/ptoas"
echo 'module {}' >"$build/next_levels/add_rows/ptoas/vector_add.pto"
run env PATH="/usr/bin:/bin" "$L3REPLAY" run "$build" -n 1
expect_pass 0
expect_out '^\[pto->cpp\] skipped'
expect_err '1 \.pto files are newer'
rm -r "$build/next_levels/add_rows/ptoas"

# Read-only: replayed from the store, and nothing is written to it.
if [ "$(id -u)" -ne 0 ]; then
    "$L3REPLAY" invalidate "$build" >"$work/out" 2>&1
    chmod -R a-w "$build"
    run "$L3REPLAY" run "$build" -n 1
    expect_pass 0
    expect_err 'cannot be written to'
    [ -e "$(stamp add_rows)" ] && complain "a read-only build was written to"
    chmod -R u+w "$build"
fi

# A command asks each compiler for its version once, whether it compares stamps, compiles and stamps or has nothing to do.
copy_example vector-add
cat >"$work/orch-c++" <<EOF
#!/bin/sh
[ "\$1" = --version ] && echo asked >>"$work/asked"
exec g++ "\$@"
EOF
chmod +x "$work/orch-c++"
for options in --no-recompile '--log-level info'; do
    rm -f "$work/asked"
    # shellcheck disable=SC2086
    run env L3REPLAY_ORCH_CXX="$work/orch-c++" "$L3REPLAY" run "$build" -n 1 $options
    expect_pass 0
    [ "$(wc -l <"$work/asked")" -eq 1 ] || complain "the compiler was asked $(wc -l <"$work/asked") times"
done

# ccache is used where it is found, and the object is the same without it.
copy_example vector-add
mkdir "$work/ccache-bin"
printf '#!/bin/sh\necho "$@" >>"%s"\nexec "$@"\n' "$work/ccache.log" >"$work/ccache-bin/ccache"
chmod +x "$work/ccache-bin/ccache"
rm -rf "$L3REPLAY_CACHE_DIR"
run env PATH="$work/ccache-bin:$PATH" "$L3REPLAY" run "$build" -n 1
expect_pass 0
built 2 0
[ "$(grep -c 'vector_add\.cpp -c$' "$work/ccache.log")" -eq 1 ] || complain "ccache did not compile the kernel: $(cat "$work/ccache.log")"
through=$(md5sum <"$build/next_levels/add_rows/kernels/aiv/vector_add.so")
rm -rf "$L3REPLAY_CACHE_DIR" "$work/ccache.log"
run env PATH="$work/ccache-bin:$PATH" "$L3REPLAY" run "$build" -n 1 --no-ccache
expect_pass 0
[ -e "$work/ccache.log" ] && complain "--no-ccache used ccache"
[ "$(md5sum <"$build/next_levels/add_rows/kernels/aiv/vector_add.so")" = "$through" ] ||
    complain "the kernel differs with and without ccache"
# A user's base directory makes ccache write paths relative to it into what a kernel depends on; ours must stay whole.
if command -v ccache >/dev/null; then
    rm -rf "$L3REPLAY_CACHE_DIR"
    run env CCACHE_BASEDIR=/ CCACHE_DIR="$work/ccache" "$L3REPLAY" run "$build" -n 1
    expect_pass 0
    run env CCACHE_BASEDIR=/ CCACHE_DIR="$work/ccache" "$L3REPLAY" run "$build" -n 1
    expect_pass 0
fi

# All processes of a job share the compiling: nothing is compiled twice.
copy_example per-rank
run mpirun -np 4 "$L3REPLAY" run "$build" --log-level info
expect_pass 0
objects=$(find "$L3REPLAY_CACHE_DIR" -path '*/objects/*' -name '*.so' | wc -l)
rm -rf "$L3REPLAY_CACHE_DIR"
run "$L3REPLAY" compile "$build"
expect_status 0
alone=$(find "$L3REPLAY_CACHE_DIR" -path '*/objects/*' -name '*.so' | wc -l)
[ "$alone" -gt 0 ] && [ "$objects" -ge "$alone" ] || complain "one process made $alone objects, four made $objects"

# Killed at any moment, the next replay is right: 20 times, at moments spread over a whole run.
for i in $(seq 20); do
    rm -rf "$L3REPLAY_CACHE_DIR/v1/objects"
    start "$L3REPLAY" run "$build" -n 1
    moment=$((i * 7 % 20))
    while kill -0 "$started" 2>/dev/null && [ "$moment" -gt 0 ]; do
        sleep 0.02
        moment=$((moment - 1))
    done
    kill -KILL "$started" 2>/dev/null
    wait "$started" 2>/dev/null
done
expect_nothing_left
run "$L3REPLAY" run "$build" -n 1
expect_pass 0
run "$L3REPLAY" run "$build" -n 1 --no-recompile
expect_pass 0
built 0 0

conclude
