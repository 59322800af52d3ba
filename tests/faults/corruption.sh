# A file that is read holds something else. What l3replay wrote itself is made again: PASS. What a user wrote is an error that
# names it, or changes what the program computes.
variants="last stamp object tool lock metadata config host-orch source input reference pto"

# What happens to a file.
spoil() { # FILE
    local size
    case $(number 9) in
    0) : >"$1" ;;
    1) truncate -s "$(number $(($(stat -c %s "$1") + 1)))" "$1" ;;
    2) head -c 4096 /dev/urandom >"$1" ;;
    3)
        size=$(stat -c %s "$1")
        chmod u+w "$1"
        [ "$size" -gt 0 ] && printf "\\x$(printf %02x "$(number 256)")" | dd of="$1" bs=1 seek="$(number "$size")" conv=notrunc status=none
        ;;
    4) rm -f "$1" && mkdir "$1" ;;
    5) rm -f "$1" && mkfifo "$1" ;;
    6) rm -f "$1" && ln -s "$(basename "$1")" "$1" ;;
    7) rm -f "$1" ;;
    8) rm -f "$1" && ln -s /dev/zero "$1" ;;
    esac
}

pick() { # FIND_ARGUMENT...
    local files
    mapfile -t files < <(find "$@" 2>/dev/null | sort)
    [ ${#files[@]} -gt 0 ] || skip "no such file"
    echo "${files[$(number ${#files[@]})]}"
}

inject() { # FILE_KIND
    local file allowed=(PASS FAIL INFRA)
    draw_build
    draw_way
    case $1 in
    object | tool) cp -r "$L3REPLAY_CACHE_DIR" "$work/store" && L3REPLAY_CACHE_DIR=$work/store ;;&
    last | stamp | lock | object | tool)
        run_replay
        [ "$status" -eq 0 ] || complain "the run before failed"
        allowed=(PASS)
        ;;
    esac
    case $1 in
    last) file=$(pick "$build" -name .l3replay.last) ;;
    stamp) file=$(pick "$build" -name binary_context.json) ;;
    lock) file=$(pick "$build" -name '.binary_context.lock') ;;
    object) file=$(pick "$work/store" -type f -path '*objects*') ;;
    tool) file=$(pick "$work/store" -type f -path '*tools*') ;;
    metadata) file=$build/distributed_meta.json ;;
    config) file=$(pick "$build" -name kernel_config.py) ;;
    host-orch) file=$build/orchestration/host_orch.py ;;
    source) file=$(pick "$build/next_levels" -name '*.cpp') ;;
    input) file=$(pick "$build/data/in" -type f) ;;
    reference) file=$(pick "$build/data/out" -type f) ;;
    pto)
        file=$(pick "$build/next_levels" -name '*.cpp')
        head -c 300 /dev/urandom >"${file%.cpp}.pto"
        file=${file%.cpp}.pto
        ;;
    esac
    spoil "$file"
    run_replay
    judge "${allowed[@]}"
}
