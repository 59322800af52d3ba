# A place where the run writes has little room or none. What a verdict does not need is done without, with a warning.
variants="tmpdir build store profiles saved shm"

inject() { # PLACE
    local room setup="" options=() allowed=(PASS INFRA)
    can_mount
    draw_build
    draw_way
    room=$(draw 4k 64k 512k 2m 8m 24m)
    mkdir -p "$work/small"
    case $1 in
    tmpdir) setup="mount -t tmpfs -o size=$room none $work/tmp" ;;
    build) setup="cp -r $build $work/kept && mount -t tmpfs -o size=$room none $build && cp -r $work/kept/. $build" ;;
    store) setup="mount -t tmpfs -o size=$room none $work/small" && L3REPLAY_CACHE_DIR=$work/small ;;
    profiles) setup="mount -t tmpfs -o size=$room none $work/small" && options=(--swimlane --dfx-dir "$work/small/dfx") ;;
    saved) setup="mount -t tmpfs -o size=$room none $work/small" && options=(--save-outputs "$work/small/saved") ;;
    shm) setup="mount -t tmpfs -o size=$room none /dev/shm" ;;
    esac
    # A build that does not fit is no try.
    [ "$1" = build ] && [[ $room != [28]m && $room != 24m ]] && setup=${setup/size=$room/size=2m}
    way=("${namespace[@]}" "$setup" "${way[@]}")
    run_replay "${options[@]}"
    way=()
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || complain "exit code $status"
    judge "${allowed[@]}"
}
