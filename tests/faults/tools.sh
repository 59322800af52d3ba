# A tool that a run calls is missing, hangs, fails, prints nonsense or leaves something behind.
variants="missing hangs fails garbage killed leaves-child slow"

inject() { # VARIANT
    local tool tools=$work/tools dir entry
    draw_build
    draw_way
    tool=$(draw g++ python3 ccache ld git)
    mkdir "$tools"
    case $1 in
    missing)
        # PATH with everything but the tool.
        for dir in /usr/local/bin /usr/bin /bin; do
            for entry in "$dir"/*; do
                [[ $(basename "$entry") == "$tool"* ]] || ln -s "$entry" "$tools/" 2>/dev/null
            done
        done
        ;;
    hangs) printf '#!/bin/sh\nexec sleep 1000\n' >"$tools/$tool" ;;
    fails) printf '#!/bin/sh\nexit %s\n' "$(draw 1 2 127 255)" >"$tools/$tool" ;;
    garbage) printf '#!/bin/sh\nhead -c 3000000 /dev/urandom\nexit 0\n' >"$tools/$tool" ;;
    killed) printf '#!/bin/sh\nkill -KILL $$\n' >"$tools/$tool" ;;
    leaves-child) printf '#!/bin/sh\nsleep 1000 &\nexec %s "$@"\n' "$(command -v "$tool")" >"$tools/$tool" ;;
    slow) printf '#!/bin/sh\nsleep 1\nexec %s "$@"\n' "$(command -v "$tool")" >"$tools/$tool" ;;
    esac
    [ "$1" = missing ] || chmod +x "$tools/$tool"
    L3REPLAY_CACHE_DIR=$work/store # so that there is something to compile
    export L3REPLAY_RECORD_TIMEOUT=$((10 * slow))
    if [ "$1" = missing ]; then
        PATH=$tools run_replay --compile-timeout $((20 * slow))
    else
        PATH=$tools:$PATH run_replay --compile-timeout $((20 * slow))
    fi
    case $1 in
    leaves-child | slow) judge PASS ;;
    *) judge PASS INFRA ;;
    esac
}
