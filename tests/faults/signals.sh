# A signal asks the run to end, at a random moment: sent to the process that was started, to its whole group as a terminal
# does it, or twice as an impatient user does it. INFRA, unless the run had ended.
variants="int term hup group-int group-term twice early"

inject() { # VARIANT
    draw_build
    draw_way
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
    judge PASS INFRA
}
