#!/bin/bash
# A job that compiles with all its processes: what is counted, and how errors of compilers are reported.
. "$(dirname "$0")/lib_replay.sh"

export L3REPLAY_CACHE_DIR=$work/store

copy_example tensor-parallel
sources=$(find "$build/next_levels" -name '*.cpp' | wc -l)

# An empty store has nothing to reuse, whichever process compiles.
run "$L3REPLAY" run "$build" -n 4 --no-ccache
expect_pass 0
expect_err "compile [0-9]+ ms: [0-9]+ built, 0 reused"
objects=$(find "$L3REPLAY_CACHE_DIR" -path '*/objects/*' -name '*.so' | wc -l)
expect_err "compile [0-9]+ ms: $objects built, 0 reused"
run "$L3REPLAY" cache
expect_out "hits +0 of $sources look-ups"
run "$L3REPLAY" run "$build" -n 4 --no-ccache
expect_pass 0
expect_err "compile [0-9]+ ms: 0 built, $sources reused"
run "$L3REPLAY" cache
expect_out "hits +$sources of $((2 * sources)) look-ups"

# --no-ccache is for all processes. The orchestrations of process 0 wait until another process compiles one.
cores=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }' | head -n 2 | paste -sd,)
if [[ $cores == *,* ]]; then
    mkdir "$work/bin"
    printf '#!/bin/sh\necho "$@" >>"%s"\nexec "$@"\n' "$work/ccache.log" >"$work/bin/ccache"
    cat >"$work/bin/orch-c++" <<EOF
#!/bin/bash
if [[ " \$* " == *" -o "* ]]; then
    [ "\$OMPI_COMM_WORLD_RANK" = 0 ] || : >"$work/along"
    for ((i = 0; i < 300; i++)); do
        [ -e "$work/along" ] && break
        sleep 0.1
    done
fi
exec g++ "\$@"
EOF
    chmod +x "$work/bin/ccache" "$work/bin/orch-c++"
    rm -rf "$L3REPLAY_CACHE_DIR"
    run env PATH="$work/bin:$PATH" L3REPLAY_ORCH_CXX="$work/bin/orch-c++" taskset -c "$cores" \
        mpirun -np 2 "$L3REPLAY" run "$build" --no-ccache
    expect_pass 0
    [ -e "$work/along" ] || complain "process 1 compiled nothing"
    [ -e "$work/ccache.log" ] && complain "--no-ccache used ccache: $(cat "$work/ccache.log")"
fi

# Each kernel that does not compile is reported once and whole, in the order of the programs.
broken=$(find "$build/next_levels" -path '*/kernels/*' -name '*.cpp' | head -n 3)
n=0
for file in $broken; do
    n=$((n + 1))
    echo "#error broken number $n" >>"$file"
done
run "$L3REPLAY" run "$build" -n 4 --no-ccache
expect_infra "does not compile \($n of $sources sources failed\)"
for i in $(seq "$n"); do
    found=$(grep -c "error: .*#error broken number $i" "$work/err")
    [ "$found" -eq 1 ] || complain "error $i is reported $found times"
done
for file in $broken; do
    found=$(grep -c "/$(basename "$file") does not compile: " "$work/err")
    [ "$found" -eq 1 ] || complain "$file is reported $found times"
done
[ -n "$broken" ] || complain "no kernel was broken"

conclude
