# A process of the run stands still at a random moment, and goes on after a while or never (SIGSTOP, SIGCONT): a debugger, a
# frozen container, a host that swaps. What stands for ever is ended by a limit, and named.
late=yes
variants="0-goes-on 1-goes-on executor-goes-on python-goes-on 1-stays executor-stays python-stays"

inject() { # VARIANT
    local victims allowed=(PASS INFRA)
    draw_build
    draw_way
    case $1 in
    1-*) way=(mpirun -np 2) processes=() ;;
    # An executor that stands still looks like a kernel that hangs.
    executor-stays) allowed=(PASS INFRA FAIL) ;;
    esac
    L3REPLAY_RECORD_TIMEOUT=$((10 * slow)) start_replay --timeout $((10 * slow))
    random_moment
    victims=($(find_role "${1%%-*}"))
    [ ${#victims[@]} -eq 0 ] || kill -STOP "${victims[0]}" 2>/dev/null
    if [[ $1 == *goes-on ]]; then
        wait_for_the_moment "$(number 3000)"
        [ ${#victims[@]} -eq 0 ] || kill -CONT "${victims[0]}" 2>/dev/null
    fi
    finish_run
    judge "${allowed[@]}"
}
