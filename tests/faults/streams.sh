# The standard streams are closed, full, or read by nobody.
variants="stdin-closed stderr-closed stdout-closed stdout-full stderr-full stdout-broken stderr-broken all-closed"

inject() { # VARIANT
    local redirect judged="judge PASS"
    draw_build
    draw_way
    case $1 in
    stdin-closed) redirect='exec "$@" <&-' ;;
    stderr-closed) redirect='exec "$@" 2>&-' ;;
    stderr-full) redirect='exec "$@" 2>/dev/full' ;;
    stderr-broken) redirect='{ "$@" 2>&1 1>&3 | true; exit "${PIPESTATUS[0]}"; } 3>&1' ;;
    stdout-closed) redirect='exec "$@" >&-' judged=judge_ended ;;
    stdout-full) redirect='exec "$@" >/dev/full' judged=judge_ended ;;
    stdout-broken) redirect='"$@" | true; exit "${PIPESTATUS[0]}"' judged=judge_ended ;;
    all-closed) redirect='exec "$@" <&- >&- 2>&-' judged=judge_ended ;;
    esac
    # mpirun's own streams are not ours.
    way=() processes=(-n "$(draw 1 2)")
    way=(bash -c "$redirect" -)
    run_replay
    way=()
    $judged
    # A result that nobody could read is none.
    [ "$judged" = judge_ended ] && [ "$1" != stdout-broken ] && [ "$status" -eq 0 ] && complain "exit code 0 without a marker"
    return 0
}
