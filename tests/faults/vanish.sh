# Files vanish or are replaced at a random moment of the run. A kernel that computes nonsense never gets PASS by that.
variants="reference replaced-reference input source metadata cache store build tmpdir profiles"

inject() { # WHAT
    local options=() wrong allowed=(PASS INFRA)
    draw_build
    draw_way
    wrong=$(number 2)
    if [ "$wrong" -eq 1 ]; then
        copy_example vector-add
        replace_call "$build/next_levels/add_rows/kernels/aiv/vector_add.cpp" vector_add "    vector_add(a, a, out, rows * 16);"
        allowed=(FAIL INFRA)
    fi
    [ "$1" = store ] && cp -r "$L3REPLAY_CACHE_DIR" "$work/store" && L3REPLAY_CACHE_DIR=$work/store
    [ "$1" = profiles ] && options=(--swimlane --dfx-dir "$work/dfx")
    start_replay "${options[@]}"
    random_moment
    case $1 in
    reference) rm -rf "$build/data/out" ;;
    replaced-reference) for file in "$build"/data/out/*; do head -c 100 "$file" >"$work/new" && mv "$work/new" "$file"; done ;;
    input) rm -rf "$build/data/in" ;;
    source) find "$build" -name '*.cpp' -delete ;;
    metadata) rm -f "$build/distributed_meta.json" ;;
    cache) rm -rf "$build"/next_levels/*/cache ;;
    store) rm -rf "$work/store" ;;
    build) rm -rf "$build" ;;
    tmpdir) find "$work/tmp" -mindepth 1 -maxdepth 1 -name 'l3replay*' -exec rm -rf {} + ;;
    profiles) rm -rf "$work/dfx" ;;
    esac 2>/dev/null
    finish_run
    # References of other inputs than those that are left are not compared with, and the run says so.
    if grep -aq 'is not in data/in' "$work/err" && [ "$1" = input ]; then
        allowed=(PASS INFRA)
    # An empty or missing directory of references at the start means that nothing is compared: too early is no try.
    elif [ "$wrong" -eq 1 ] && grep -aq 'PYPTO_EXEC_CHECKED=0/' "$work/out"; then
        skip "the references were gone before the run began"
    fi
    judge "${allowed[@]}"
}
