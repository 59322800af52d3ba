# A signal asks the run to end, at a random moment: sent to the process that was started, to its whole group as a terminal
# does it, or twice as an impatient user does it. INFRA, unless the run had ended.
late=yes
variants="int term hup group-int group-term twice early"

inject() { # VARIANT
    local allowed=(PASS INFRA)
    draw_build
    draw_way
    if [ ${#way[@]} -gt 0 ]; then
        # Process 0 makes this file as soon as it has its handlers.
        printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" != 0 ] || export L3REPLAY_STARTED=%s\nexec "$@"\n' "$work/started" >"$work/first.sh"
        chmod +x "$work/first.sh"
        way+=("$work/first.sh")
    fi
    # The shell's background process leads no group, so that this one becomes the leader of a new one.
    way=(setsid "${way[@]}")
    start_replay
    if [ "$1" = early ]; then
        wait_for_the_moment "$(number 300)"
    else
        random_moment
    fi
    case $1 in
    int | term | hup) kill -"${1^^}" "$started" ;;
    early) kill -"$(draw INT TERM HUP)" "$started" ;;
    group-int) kill -INT -- "-$started" ;;
    group-term) kill -TERM -- "-$started" ;;
    twice)
        kill -"$(draw INT TERM)" "$started"
        wait_for_the_moment "$(number 300)"
        kill -INT "$started"
        ;;
    esac 2>/dev/null
    finish_run
    way=("${way[@]:1}")
    # Before that, nobody of ours can print. Where mpirun is not the user's, what came before the handlers ended us.
    if [ ${#way[@]} -gt 0 ]; then
        [ -e "$work/started" ] || allowed+=(none)
    else
        [ "$status" -le 128 ] || allowed+=(none)
    fi
    judge "${allowed[@]}"
}
