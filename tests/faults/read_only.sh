# A place where the run writes can only be read.
variants="tmpdir build cache store profiles saved home"

inject() { # PLACE
    local place options=() allowed=(PASS INFRA)
    can_mount
    draw_build
    draw_way
    mkdir -p "$work/place"
    case $1 in
    tmpdir) place=$work/tmp ;;
    build) place=$build allowed=(PASS) ;;
    cache)
        place=$(find "$build/next_levels" -mindepth 1 -maxdepth 1 -type d | head -n 1)
        allowed=(PASS)
        ;;
    store) place=$work/place L3REPLAY_CACHE_DIR=$work/place allowed=(PASS) ;;
    profiles) place=$work/place options=(--swimlane --dfx-dir "$work/place/dfx") ;;
    saved) place=$work/place options=(--save-outputs "$work/place/saved") allowed=(INFRA) ;;
    home) place=$work/place && export HOME=$work/place allowed=(PASS) ;;
    esac
    way=("${namespace[@]}" "mount --bind $place $place && mount -o remount,ro,bind $place" "${way[@]}")
    run_replay "${options[@]}"
    way=()
    judge "${allowed[@]}"
}
