# Several commands work on the same build and the same store at once.
variants="runs compile invalidate clear trim profiles"

inject() { # VARIANT
    local others=() pid
    draw_build
    draw_way
    [ "$(draw shared own)" = own ] && L3REPLAY_CACHE_DIR=$work/store
    other() {
        env L3R_TEST_TAG="$tag" TMPDIR="$work/tmp" timeout 60 "$L3REPLAY" "$@" >"$work/other" 2>&1 </dev/null
    }
    (
        for _ in 1 2 3; do
            case $1 in
            runs) other run "$build" -n 1 --device-ids 0-1 ;;
            compile) other compile "$build" ;;
            invalidate) other invalidate "$build" ;;
            clear) other cache --clear ;;
            trim) L3REPLAY_CACHE_MAX=1K other cache --trim ;;
            profiles) other run "$build" -n 1 --device-ids 0-1 --swimlane --dfx-dir "$work/dfx" ;;
            esac
        done
    ) &
    others=$!
    if [ "$1" = profiles ]; then
        run_replay --swimlane --dfx-dir "$work/dfx"
    else
        run_replay
    fi
    local first=$status
    wait "$others" 2>/dev/null
    status=$first
    if [ "$1" = profiles ]; then judge PASS INFRA; else judge PASS; fi
}
